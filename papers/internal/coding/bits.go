// Package coding has the codecs of the papers with their parameters, in memory: segment
// length, share of exceptions, linked exceptions, lines by segment or hash bucket. They
// serve the experiments alone; the engine's codecs are in internal/codec.
package coding

import "math/bits"

// stream is a sequence of bits.
type stream struct {
	words []uint64
	n     int
}

// put appends the low width bits of v, at most 32.
func (s *stream) put(v uint32, width int) {
	if width == 0 {
		return
	}
	for s.n+width+64 > 64*len(s.words) { // one word more than needed, for get
		s.words = append(s.words, 0)
	}
	x := uint64(v) & (1<<width - 1)
	at, shift := s.n>>6, s.n&63
	s.words[at] |= x << shift
	if shift+width > 64 {
		s.words[at+1] |= x >> (64 - shift)
	}
	s.n += width
}

// get returns width bits from bit at, at most 32.
func (s *stream) get(at, width int) uint32 {
	i, shift := at>>6, uint(at&63)
	v := s.words[i]>>shift | s.words[i+1]<<1<<(63-shift)
	return uint32(v & (1<<uint(width) - 1))
}

// set overwrites width bits at a place.
func (s *stream) set(at, width int, v uint32) {
	for i := range width {
		bit := uint64(1) << ((at + i) & 63)
		s.words[(at+i)>>6] &^= bit
		if v>>i&1 != 0 {
			s.words[(at+i)>>6] |= bit
		}
	}
}

// align fills up to a multiple of n bits.
func (s *stream) align(n int) {
	for s.n%n != 0 {
		s.put(0, min(n-s.n%n, 32))
	}
}

// widths counts values by their number of bits.
func widths(values []uint32) (count [33]int) {
	for _, v := range values {
		count[bits.Len32(v)]++
	}
	return count
}

// width returns the least number of bits that all but the given share of the values have.
func width(values []uint32, share float64) int {
	count := widths(values)
	over, room := 0, int(share*float64(len(values)))
	b := 32
	for b > 0 && over+count[b] <= room {
		over += count[b]
		b--
	}
	return b
}
