package griffin

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/papers/internal/coding"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// pfd is the paper's CPU codec: blocks of 128, 90 % of the values regular, exceptions
// linked (section 2.1.1).
var pfd = coding.Scheme{Kind: coding.PFD, Segment: 128, Share: 0.1}

// packed is a list in that codec with its skip pointers.
type packed struct {
	*coding.List
	last []uint32 // of each block
	buf  [128]uint32
	at   int // block in buf
}

func pack(docs []uint32) (*packed, error) {
	l, err := pfd.Encode(docs)
	if err != nil {
		return nil, err
	}
	p := &packed{List: l, at: -1}
	for i := range l.Segments() {
		p.last = append(p.last, docs[l.First(i+1)-1])
	}
	return p, nil
}

// block decodes block i, unless it is decoded.
func (p *packed) block(i int) []uint32 {
	out := p.buf[:p.First(i+1)-p.First(i)]
	if p.at != i {
		p.DecodeSegment(out, i)
		p.at = i
	}
	return out
}

// search appends to out what the list has of some, which ascend: by binary search over skip
// pointers, and then in the block. Out may start where some does.
func (p *packed) search(out, some []uint32) []uint32 {
	from := 0
	for _, d := range some {
		i, _ := slices.BinarySearch(p.last[from:], d)
		if from += i; from >= len(p.last) {
			break
		}
		if _, found := slices.BinarySearch(p.block(from), d); found {
			out = append(out, d)
		}
	}
	return out
}

// merge appends to out what the list has of some, by decoding all blocks and advancing in
// both. Out may start where some does.
func (p *packed) merge(out, some []uint32) []uint32 {
	j := 0
	for i := range p.Segments() {
		for _, d := range p.block(i) {
			for j < len(some) && some[j] < d {
				j++
			}
			if j == len(some) {
				return out
			}
			if some[j] == d {
				out = append(out, d)
			}
		}
	}
	return out
}

// intersect is what Griffin's CPU does with two lists: it merges lists of like lengths and
// searches if one is much longer. What is left of the short one takes its place.
func intersect(short []uint32, long *packed) []uint32 {
	if long.Len() < 16*len(short) {
		return long.merge(short[:0], short)
	}
	return long.search(short[:0], short)
}

// conjunction answers a query, shortest list first, of which no block is decoded. The answer
// lies in buf if there is room for the shortest list.
func conjunction(buf []uint32, lists []*packed) []uint32 {
	for _, l := range lists {
		l.at = -1
	}
	have := slices.Grow(buf[:0], lists[0].Len())[:lists[0].Len()]
	lists[0].Decode(have)
	for _, l := range lists[1:] {
		have = intersect(have, l)
	}
	return have
}

// packs encodes the lists of queries, each once.
func packs(s *corpus.Set, queries [][]int) (map[int]*packed, error) {
	out := map[int]*packed{}
	for _, q := range queries {
		for _, i := range q {
			if out[i] == nil {
				p, err := pack(s.Lists[i])
				if err != nil {
					return nil, err
				}
				out[i] = p
			}
		}
	}
	return out, nil
}

// lengths are the groups of figures 12 and 13.
var lengths = []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000}

func lengthName(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%dM", n/1_000_000)
	}
	return fmt.Sprintf("%dK", n/1_000)
}

// ratios are the groups of figure 8: the lower bounds.
var ratios = []int{1, 16, 32, 64, 128, 256, 512}

// mostRatio bounds the last of them.
const mostRatio = 1024

// above returns the upper bound of a group.
func above(i int) int {
	if i+1 < len(ratios) {
		return ratios[i+1]
	}
	return mostRatio
}

// between returns a ratio of a group.
func between(rng *rand.Rand, i int) float64 {
	return float64(ratios[i]) + rng.Float64()*float64(above(i)-ratios[i])
}
