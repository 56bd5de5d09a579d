// Package synthetic draws posting lists as Anh and Moffat do (Index compression
// using 64-bit words, Softw. Pract. Exper. 40, 2010): the lists of Mallia 2019,
// table 1, and of most papers on integer codecs.
package synthetic

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Range is the usual limit of docIDs: lists are drawn from [0, Range).
const Range = 1 << 29

// Uniform returns n distinct docIDs below limit, every set equally likely, in
// ascending order. n must not exceed limit.
func Uniform(seed uint64, n, limit int) []uint32 {
	docs := make([]uint32, n)
	newSource(seed).uniform(docs, 0, uint32(limit))
	return docs
}

// Clustered returns n distinct docIDs below limit in ascending order, in clusters: the
// list is recursively halved at a random docID, and a quarter of the halves on either
// side are filled uniformly.
func Clustered(seed uint64, n, limit int) []uint32 {
	docs := make([]uint32, n)
	newSource(seed).clustered(docs, 0, uint32(limit))
	return docs
}

// Freqs returns n frequencies from 1 to most, most of them small: P(f) is proportional to
// 1/f^2.
func Freqs(seed uint64, n int, most uint32) []uint32 {
	s := newSource(seed)
	freqs := make([]uint32, n)
	for i := range freqs {
		freqs[i] = min(most, uint32(1/(1-s.rng.Float64()+1e-9)))
	}
	return freqs
}

type source struct {
	rng *rand.Rand
	bit []uint64
}

func newSource(seed uint64) *source {
	return &source{rng: rand.New(rand.NewPCG(seed, 0x50494e494f4e))}
}

// uniform fills docs with distinct values of [lo, hi).
func (s *source) uniform(docs []uint32, lo, hi uint32) {
	n, size := len(docs), int(hi-lo)
	switch {
	case n == 0:
	case n == size:
		for i := range docs {
			docs[i] = lo + uint32(i)
		}
	case size/64 <= 8*n:
		s.marked(docs, lo, size)
	default:
		s.sorted(docs, lo, size)
	}
}

// marked draws with a bitmap of the range: the set or its complement, whichever is
// smaller.
func (s *source) marked(docs []uint32, lo uint32, size int) {
	words := (size + 63) / 64
	if cap(s.bit) < words {
		s.bit = make([]uint64, words)
	}
	bit := s.bit[:words]
	clear(bit)
	n, want := len(docs), uint64(1)
	if 2*n > size {
		n, want = size-n, 0
	}
	for n > 0 {
		x := s.rng.Uint32N(uint32(size))
		if m := uint64(1) << (x % 64); bit[x/64]&m == 0 {
			bit[x/64] |= m
			n--
		}
	}
	have := docs[:0]
	for i, w := range bit {
		if want == 0 {
			w = ^w
		}
		for ; w != 0 && len(have) < len(docs); w &= w - 1 { // the complement goes on beyond the range
			have = append(have, lo+uint32(64*i+bits.TrailingZeros64(w)))
		}
	}
}

// sorted draws until there are enough distinct values.
func (s *source) sorted(docs []uint32, lo uint32, size int) {
	have := docs[:0]
	for len(have) < len(docs) {
		for i := len(have); i < len(docs); i++ {
			have = append(have, lo+s.rng.Uint32N(uint32(size)))
		}
		slices.Sort(have)
		have = slices.Compact(have)
	}
}

// clustered fills docs with distinct values of [lo, hi).
func (s *source) clustered(docs []uint32, lo, hi uint32) {
	n, size := len(docs), int(hi-lo)
	if n <= 10 || size <= n+1 {
		s.uniform(docs, lo, hi)
		return
	}
	half := n / 2
	cut := lo + uint32(half+s.rng.IntN(size-n-1))
	left, right := s.clustered, s.clustered
	switch p := s.rng.Float64(); {
	case p < 0.25:
		left = s.uniform
	case p < 0.5:
		right = s.uniform
	}
	left(docs[:half], lo, cut)
	right(docs[half:], cut, hi)
}
