package segment

import (
	"math/bits"
	"unsafe"
)

// A compact list is one bit stream, least significant bit first: the binary
// interpolative code of its docIDs (Moffat and Stuiver 2000) and then the Elias
// gamma code of each frequency.

// loadBits returns at least 57 bits of b from bit pos on. The caller checks that
// the 8 bytes at pos/8 are readable.
func loadBits(b *byte, pos uint) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(b), pos>>3)) >> (pos & 7)
}

// span is a range of elements still to be decoded, docIDs lo to hi.
type span struct {
	i, j   int32
	lo, hi uint32
}

// decodeCompact decodes len(docs) postings in documents 0 to max from b, behind
// which at least 8 bytes are readable. It reports whether b is exactly one list.
func decodeCompact(docs, freqs []uint32, b []byte, max uint32) bool {
	if len(b) == 0 || len(freqs) != len(docs) || len(docs) == 0 {
		return false
	}
	end := uint(len(b)) * 8
	pos, ok := decodeInterpolative(docs, unsafe.SliceData(b), end, max)
	if !ok {
		return false
	}
	pos, ok = decodeGamma(freqs, unsafe.SliceData(b), pos, end)
	if !ok || end-pos >= 8 {
		return false
	}
	return uint(b[len(b)-1])>>(8-(end-pos)) == 0 || end == pos
}

func decodeInterpolative(docs []uint32, b *byte, end uint, max uint32) (uint, bool) {
	var stack [32]span // right halves; each is at most half of the one below
	depth := 0
	pos := uint(0)
	i, j, lo, hi := int32(0), int32(len(docs)), uint32(0), max
	for {
		for i < j {
			m := i + (j-i)/2
			l := lo + uint32(m-i)
			r := hi - uint32(j-1-m) - l + 1 // how many values element m can have
			k := uint(bits.Len32(r)) - 1
			w := loadBits(b, pos)
			short := uint32(2)<<k - r // values with k bits, the others have k+1
			v := uint32(w) & (1<<k - 1)
			pos += k
			if v >= short {
				v = 2*v + uint32(w>>k)&1 - short
				pos++
			}
			if pos > end {
				return 0, false
			}
			v += l
			docs[m] = v
			if m+1 < j {
				stack[depth&31] = span{m + 1, j, v + 1, hi}
				depth++
			}
			j, hi = m, v-1
		}
		if depth == 0 {
			return pos, true
		}
		depth--
		s := &stack[depth&31]
		i, j, lo, hi = s.i, s.j, s.lo, s.hi
	}
}

// decodeGamma decodes len(freqs) Elias gamma codes from bit pos on: as many zero
// bits as the value has bits below its highest, a one, and those bits.
func decodeGamma(freqs []uint32, b *byte, pos, end uint) (uint, bool) {
	for i := 0; i < len(freqs); {
		if pos > end {
			return 0, false
		}
		w := loadBits(b, pos)
		if ones := min(bits.TrailingZeros64(^w), 56, len(freqs)-i); ones > 0 {
			for j := range freqs[i : i+ones] {
				freqs[i+j] = 1
			}
			i += ones
			pos += uint(ones)
			continue
		}
		k := uint(bits.TrailingZeros64(w))
		if k > 31 || pos+2*k+1 > end {
			return 0, false
		}
		pos += k + 1
		freqs[i] = 1<<k | uint32(loadBits(b, pos))&(1<<k-1)
		pos += k
		i++
	}
	return pos, pos <= end
}
