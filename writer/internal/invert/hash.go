package invert

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Odd constants with well-mixed bits (wyhash's).
const (
	mix0 = 0xa0761d6478bd642f
	mix1 = 0xe7037ed1a0b428db
	mix2 = 0x8ebc6af09c88c6e3
)

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// head returns the first eight bytes of b[from:to], zero-padded. Eight bytes after
// from must be readable.
func head(b []byte, from, to uint32) uint64 {
	x := binary.LittleEndian.Uint64(b[from:])
	if n := to - from; n < 8 {
		x &= 1<<(8*n) - 1
	}
	return x
}

// hashTerm hashes b[from:to], whose head is x. The seed differs between processes,
// so that no input is slow for all of them; it does not affect the files written.
func hashTerm(seed, x uint64, b []byte, from, to uint32) uint32 {
	n := to - from
	if n <= 8 {
		h := mix(x^seed, uint64(n)^mix0)
		return uint32(mix(h, mix1))
	}
	h := mix(x^seed, uint64(n)^mix0)
	for ; n > 16; n -= 8 {
		from += 8
		h = mix(h^binary.LittleEndian.Uint64(b[from:]), mix1)
	}
	return uint32(mix(h^binary.LittleEndian.Uint64(b[to-8:]), mix2))
}

// NewSeed returns a random seed for inverters.
func NewSeed() uint64 { return rand.Uint64() }
