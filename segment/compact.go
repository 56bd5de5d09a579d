package segment

import (
	"math/bits"
	"unsafe"
)

// A compact list is one bit stream, least significant bit first: the binary
// interpolative code of its docIDs (Moffat and Stuiver 2000) and then the Elias
// gamma code of each frequency.
//
// The docIDs are coded as the sequence u, u[i] being docID i-1 minus i-1: it need
// not rise strictly, and no number has to be kept free for the elements between
// two others. u[0] is 0 and u[n+1] the number of documents minus n.

// interpolation is one step of the interpolative code: element mid of u lies
// between elements low and high, which are known.
type interpolation struct{ mid, low, high uint8 }

// The steps for lists of n elements are interpolations[n*(n-1)/2:][:n]: the
// middle element, then the left half, then the right half.
var interpolations = func() (t [minExtent * (minExtent - 1) / 2]interpolation) {
	at := 0
	var halve func(low, high int)
	halve = func(low, high int) {
		if n := high - low - 1; n > 0 {
			mid := low + 1 + n/2
			t[at] = interpolation{uint8(mid), uint8(low), uint8(high)}
			at++
			halve(low, mid)
			halve(mid, high)
		}
	}
	for n := range minExtent {
		halve(0, n+1)
	}
	return t
}()

// stepsFor returns the steps of a list of n elements, n below minExtent.
func stepsFor(n int) []interpolation { return interpolations[n*(n-1)/2:][:n] }

// smallDocs has room for the u of a compact list; indexing by a byte needs no
// check.
type smallDocs = [256]uint32

// loadBits returns at least 57 bits of b from bit pos on. The caller checks that
// the 8 bytes at pos/8 are readable.
func loadBits(b *byte, pos uint) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(b), pos>>3)) >> (pos & 7)
}

// decodeCompact decodes n postings, 1 to 127, of a segment of docs documents, n
// or more, from b, behind which at least 8 bytes are readable. The docIDs are
// u[:n] then. It reports whether b is exactly one list.
func decodeCompact(u *smallDocs, freqs *[minExtent]uint32, n int, b []byte, docs uint32) bool {
	if len(b) == 0 {
		return false
	}
	end := uint(len(b)) * 8
	pos := decodeInterpolative(u, n, unsafe.SliceData(b), end, docs)
	if pos > end {
		return false
	}
	pos = decodeGamma(freqs[:n], unsafe.SliceData(b), pos, end)
	return pos <= end && end-pos < 8 && uint(b[len(b)-1])>>(8-(end-pos)) == 0
}

// decodeInterpolative returns the bit position after the code, beyond end if it
// does not lie before that.
func decodeInterpolative(u *smallDocs, n int, b *byte, end uint, docs uint32) uint {
	u[0], u[n+1] = 0, docs-uint32(n)
	// No branches on the bits, which could not be predicted, and the load of an
	// element does not wait for whether the one before took its last bit: that bit
	// is shifted out after the load.
	pos, long := uint(0), uint(0)
	for _, s := range stepsFor(n) {
		low := u[s.low]
		r := u[s.high] - low + 1 // the element is one of r numbers
		k := uint(bits.Len32(r)-1) & 31
		w := *(*uint64)(unsafe.Add(unsafe.Pointer(b), pos>>3)) >> (pos&7 + long)
		pos += long + k
		if pos > end {
			return pos
		}
		power := uint64(1) << k
		short := 2*power - uint64(r) // the first ones take k bits, the others k+1
		v := w & (power - 1)
		long = uint((short - 1 - v) >> 63)
		v += -uint64(long) & (v + w>>k&1 - short)
		u[s.mid] = low + uint32(v)
	}
	pos += long
	for i := range uint8(n) {
		u[i] = u[i+1] + uint32(i)
	}
	return pos
}

// gammaByte is what eight bits of gamma codes hold: n whole codes of len bits
// together, their values in the bytes of values.
type gammaByte struct {
	values uint64
	n, len uint8
}

var gammaBytes = func() (t [256]gammaByte) {
	for b := range t {
		e := &t[b]
		for e.len < 8 {
			k := uint8(bits.TrailingZeros8(uint8(b) >> e.len))
			if e.len+2*k+1 > 8 {
				break
			}
			e.values |= (1<<k | uint64(b)>>(e.len+k+1)&(1<<k-1)) << (8 * e.n)
			e.n++
			e.len += 2*k + 1
		}
	}
	return t
}()

// decodeGamma decodes Elias gamma codes from bit pos on: as many zero bits as the
// value has bits below its highest, a one, and those bits. It returns the bit
// position after them, beyond end if they do not lie before that.
func decodeGamma(freqs []uint32, b *byte, pos, end uint) uint {
	for len(freqs) >= 8 && pos <= end {
		e := &gammaBytes[loadBits(b, pos)&255]
		if e.n == 0 {
			if pos = gammaCode(&freqs[0], b, pos, end); pos > end {
				return pos
			}
			freqs = freqs[1:]
			continue
		}
		f, v := (*[8]uint32)(freqs), e.values
		for i := range f {
			f[i] = uint32(v>>(8*i)) & 255
		}
		freqs = freqs[e.n&15:]
		pos += uint(e.len)
	}
	for i := range freqs {
		if pos = gammaCode(&freqs[i], b, pos, end); pos > end {
			return pos
		}
	}
	return pos
}

// gammaCode decodes one code at pos.
func gammaCode(v *uint32, b *byte, pos, end uint) uint {
	if pos > end {
		return pos
	}
	w := loadBits(b, pos)
	k := uint(bits.TrailingZeros64(w))
	if k > 28 { // not all of it in 57 bits
		if k > 31 || pos+2*k+1 > end {
			return end + 1
		}
		w = loadBits(b, pos+k+1) << (k + 1)
	}
	*v = 1<<(k&31) | uint32(w>>((k+1)&63))&(1<<(k&31)-1)
	return pos + 2*k + 1
}
