package synth

// naming gives each rank a name. All names have the same length, and their order has
// nothing to do with ranks, as in a dictionary of words.
type naming struct {
	bits    int // a multiple of letterBits
	mask    uint64
	times   uint64 // odd
	inverse uint64 // of times modulo 2^bits
}

// letters ascend bytewise; all of them are letters or digits to any analyzer.
const letters = "234567abcdefghijklmnopqrstuvwxyz"

const (
	letterBits  = 5
	maxNameBits = 25
)

func newNaming(terms int) naming {
	n := naming{bits: letterBits}
	for 1<<n.bits < terms {
		n.bits += letterBits
	}
	n.mask = 1<<n.bits - 1
	n.times = 0x9e3779b97f4a7c15 & n.mask
	n.inverse = n.times // Newton: an odd number is its own inverse modulo 8
	for range 5 {
		n.inverse *= 2 - n.times*n.inverse
	}
	n.inverse &= n.mask
	return n
}

// count returns the number of names.
func (n naming) count() int { return 1 << n.bits }

// rank returns the rank of name i in bytewise order. It may exceed all ranks in use.
func (n naming) rank(i int) int { return int(uint64(i) * n.inverse & n.mask) }

func (n naming) append(dst []byte, rank int) []byte {
	i := uint64(rank) * n.times & n.mask
	for at := n.bits - letterBits; at >= 0; at -= letterBits {
		dst = append(dst, letters[i>>at&(1<<letterBits-1)])
	}
	return dst
}
