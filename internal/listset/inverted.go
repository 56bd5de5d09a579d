package listset

import (
	"fmt"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/writer"
)

// inverted returns the set for writer.AddInverted. The ids of its documents count from
// first.
func (s *Set) inverted(first int) writer.Inverted {
	return writer.Inverted{Docs: s.documents(first), Lists: s.lists(), ForeignLengths: true}
}

func (s *Set) documents(first int) iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		old := s.order.Inverse()
		var id []byte
		for d := range s.Docs {
			from := d
			if s.order != nil {
				from = int(old[d])
			}
			id = fmt.Appendf(id[:0], "d%09d", first+d)
			if !yield(writer.InvertedDoc{ID: id, Len: s.length(from)}, nil) {
				return
			}
		}
	}
}

func (s *Set) lists() iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		byTerm := make([]int, len(s.Lists))
		for i := range byTerm {
			byTerm[i] = i
		}
		slices.SortFunc(byTerm, func(a, b int) int {
			if s.Terms[a] < s.Terms[b] {
				return -1
			}
			return 1
		})
		var freqs []uint32
		for _, i := range byTerm {
			if len(s.Lists[i]) == 0 {
				continue
			}
			freqs = freqs[:0]
			for _, f := range s.Freqs[i] {
				freqs = append(freqs, uint32(f))
			}
			if !yield(writer.InvertedList{Term: []byte(s.Terms[i]), Postings: format.Postings{Docs: s.Lists[i], Freqs: freqs}}, nil) {
				return
			}
		}
	}
}
