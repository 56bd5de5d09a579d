package order

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/segment"
)

// longLists returns the lists of s with at least 128 postings, with documents
// numbered by p.
func longLists(tb testing.TB, s *segment.Segment, p Permutation) (l [][]uint32, postings int) {
	for docs, err := range SegmentLists(s, 128) {
		if err != nil {
			tb.Fatal(err)
		}
		moved := slices.Clone(docs)
		for i, d := range moved {
			moved[i] = p[d]
		}
		slices.Sort(moved)
		l = append(l, moved)
		postings += len(moved)
	}
	return l, postings
}

// BenchmarkSizes measures how many bits every codec needs for the docIDs of a
// segment's long lists in several orders. PINION_ORDER may name a file with another
// order: a 32-bit docID for every document, as PISA's reorder-docids writes to
// OUTPUT.mapping.
func BenchmarkSizes(b *testing.B) {
	s := openIndex(b)
	docs := s.Meta().Docs
	input := make(Permutation, docs)
	for i := range input {
		input[i] = uint32(i)
	}
	orders := []struct {
		name string
		p    Permutation
	}{
		{"input", input},
		{"bp", mustBisectSegment(b, s)},
		{"random", Shuffle(docs, 1)},
	}
	if path := os.Getenv("PINION_ORDER"); path != "" {
		raw, err := os.ReadFile(path)
		if err != nil || len(raw) != 4*int(docs) {
			b.Fatalf("%d bytes in %s, %v", len(raw), path, err)
		}
		p := make(Permutation, docs)
		for i := range p {
			p[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		if err := p.Check(); err != nil {
			b.Fatal(err)
		}
		orders = append(orders, struct {
			name string
			p    Permutation
		}{"given", p})
	}
	for _, o := range orders {
		l, postings := longLists(b, s, o.p)
		for _, c := range registry.All() {
			b.Run(o.name+"/"+c.ID().String(), func(b *testing.B) { benchSizes(b, c, l, postings) })
		}
		for level := range pfordelta.MaxLevel + 1 {
			c, err := pfordelta.Level(level)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/pfordelta,level%d", o.name, level), func(b *testing.B) { benchSizes(b, c, l, postings) })
		}
	}
}

func benchSizes(b *testing.B, c codec.Codec, lists [][]uint32, postings int) {
	bytes := 0
	for b.Loop() {
		bytes = 0
		for _, docs := range lists {
			n, err := c.DocsSize(docs)
			if err != nil {
				b.Fatal(err)
			}
			bytes += n
		}
	}
	b.ReportMetric(8*float64(bytes)/float64(postings), "bits/posting")
	b.ReportMetric(float64(bytes), "bytes")
}

func mustBisectSegment(tb testing.TB, s *segment.Segment) Permutation {
	p, err := Bisect(tb.Context(), s.Meta().Docs, SegmentLists(s, DefaultMinDF), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
