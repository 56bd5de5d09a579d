// Package listset has collections reduced to the lists of a query log, for measuring and testing:
// drawn from package synth or given, in memory or written as an index.
//
//	set.go       sets of drawn and of given lists
//	inverted.go  a set for package writer
//	index.go     sets as an open index
package listset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/internal/synth"
)

// Set is a collection, reduced to the lists of a query log.
type Set struct {
	Name    string
	Docs    int
	Lists   [][]uint32
	Freqs   [][]uint8 // at most 255
	Terms   []string
	Queries [][]int // indexes of Lists, shortest first
	base    *synth.Collection
	order   order.Permutation // nil: as generated
}

// New makes a set of the lists of queries, given as ranks, of a collection whose documents lie in
// an order, or as generated if that is nil. Queries with an empty list are left out.
func New(name string, base *synth.Collection, order order.Permutation, queries [][]int) (*Set, error) {
	s := &Set{Name: name, Docs: base.Spec().Docs, base: base, order: order}
	var ranks []int
	for _, q := range queries {
		ranks = append(ranks, q...)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	err := s.take(ranks)
	for _, q := range queries {
		var lists []int
		for _, r := range q {
			i, _ := slices.BinarySearch(ranks, r)
			if len(s.Lists[i]) == 0 {
				lists = nil
				break
			}
			lists = append(lists, i)
		}
		slices.SortFunc(lists, func(a, b int) int { return cmp.Compare(len(s.Lists[a]), len(s.Lists[b])) })
		if len(lists) > 0 {
			s.Queries = append(s.Queries, lists)
		}
	}
	return s, err
}

// take draws the lists of ranks.
func (s *Set) take(ranks []int) error {
	s.Lists, s.Freqs, s.Terms = make([][]uint32, len(ranks)), make([][]uint8, len(ranks)), make([]string, len(ranks))
	return s.base.Draw(context.Background(), ranks, 0, func(i int, p format.Postings) {
		s.Lists[i], s.Freqs[i] = s.Arrange(p)
		s.Terms[i] = string(s.base.Term(nil, ranks[i]))
	})
}

// Arrange gives the documents of a list of the set's collection their places in the order. It may
// keep p.
func (s *Set) Arrange(p format.Postings) ([]uint32, []uint8) {
	docs, freqs := p.Docs, p.Freqs
	out := make([]uint8, len(docs))
	if s.order != nil {
		pairs := make([]uint64, len(docs))
		for i, d := range docs {
			pairs[i] = uint64(s.order[d])<<8 | uint64(min(freqs[i], 255))
		}
		slices.Sort(pairs)
		for i, p := range pairs {
			docs[i], out[i] = uint32(p>>8), uint8(p)
		}
		return docs, out
	}
	for i, f := range freqs {
		out[i] = uint8(min(f, 255))
	}
	return docs, out
}

// Range makes a small set with lists of a number of terms, whose expected lengths descend
// evenly, by their logarithms, from most documents to least. Sets of other seeds have
// the same terms; rare ones may have empty lists.
func Range(seed uint64, docs, terms int, least, most float64) (*Set, error) {
	c, err := synth.New(synth.Spec{Docs: docs, Terms: 1 << 20, Length: 400, Topics: 4, Seed: seed, SiteDocs: 20})
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "range", Docs: c.Spec().Docs, base: c}
	ranks := make([]int, terms)
	for i := range ranks {
		ranks[i] = c.Rank(least * math.Pow(most/least, float64(terms-1-i)/float64(terms-1)))
	}
	return s, s.take(slices.Compact(ranks))
}

// Of makes a set of given lists, with a frequency of 1 everywhere and terms "0", "1" and
// so on.
func Of(name string, docs int, lists [][]uint32) *Set {
	s := &Set{Name: name, Docs: docs, Lists: lists}
	ones := make([]uint8, docs)
	for i := range ones {
		ones[i] = 1
	}
	for i, l := range lists {
		s.Freqs = append(s.Freqs, ones[:len(l)])
		s.Terms = append(s.Terms, fmt.Sprint(i))
	}
	return s
}

// length returns the number of tokens of a document in the generator's order.
func (s *Set) length(doc int) uint32 {
	if s.base == nil {
		return 100
	}
	return s.base.Length(doc)
}

// Postings returns the sum of the lists' lengths.
func (s *Set) Postings() (n int) {
	for _, l := range s.Lists {
		n += len(l)
	}
	return n
}

// Texts returns the terms of queries.
func (s *Set) Texts(queries [][]int) [][]string {
	out := make([][]string, len(queries))
	for i, q := range queries {
		for _, l := range q {
			out[i] = append(out[i], s.Terms[l])
		}
	}
	return out
}

// Intersect returns the docIDs that all lists of a query have. It shares no code with the
// engine.
func (s *Set) Intersect(q []int) []uint32 {
	have := slices.Clone(s.Lists[q[0]])
	for _, i := range q[1:] {
		l, kept := s.Lists[i], have[:0]
		for _, d := range have {
			at, found := slices.BinarySearch(l, d)
			if l = l[at:]; found {
				kept = append(kept, d)
			}
		}
		have = kept
	}
	return have
}
