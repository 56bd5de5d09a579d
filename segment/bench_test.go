package segment_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// benchSegment is a segment with 200,000 terms of one posting.
func benchSegment(b *testing.B) (*segment.Segment, [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 1000)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprintf("document-%d", i))
	}
	for len(m.Lists) < 200_000 {
		term := make([]byte, 3+r.IntN(8))
		for i := range term {
			term[i] = "etaoinshrdlu"[min(r.IntN(12), r.IntN(12))]
		}
		if len(m.Lists[string(term)]) == 0 {
			m.AddList(string(term), segtest.Pairs(uint32(r.IntN(1000)), 1))
		}
	}
	var terms [][]byte
	for t := range m.Lists {
		terms = append(terms, []byte(t))
	}
	sort.Slice(terms, func(i, j int) bool { return string(terms[i]) < string(terms[j]) })
	r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	return segtest.Open(b, m.Build(b, segtest.Default())), terms
}

func BenchmarkLookup(b *testing.B) {
	s, terms := benchSegment(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, ok, err := s.Lists().Lookup(terms[i]); !ok || err != nil {
			b.Fatal(err)
		}
		if i++; i == len(terms) {
			i = 0
		}
	}
}

func BenchmarkFindID(b *testing.B) {
	s, _ := benchSegment(b)
	b.ReportAllocs()
	i := 0
	id := []byte("document-0")
	for b.Loop() {
		id = fmt.Appendf(id[:0], "document-%d", i%1000)
		i += 7
		if _, ok, err := s.Documents().FindID(id); !ok || err != nil {
			b.Fatal(err)
		}
	}
}
