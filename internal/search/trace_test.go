package search

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// TestTraceFates compares the fates of blocks with the counts, and with the hits: the block
// of a hit's posting has been decoded.
func TestTraceFates(t *testing.T) {
	longtest.Once(t)
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(21, 22)), 20000, 300, 10)
	snapshot := querytest.Index(t, docs, nil, 9000)
	s, err := NewSearcher(snapshot, Options{Params: query.Params{K1: 0.9, B: 0.4}, DenseBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	seen := map[uint8]int{}
	for _, a := range Algorithms() {
		mode := query.ModeOr
		if a.Conjunctive() {
			mode = query.ModeAnd
		}
		q := Query{RawTerms: querytest.Terms("w0", "w3", "w40"), K: 5, Mode: mode, Algorithm: a, Trace: true}
		r, err := s.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Trace.Segments {
			for _, l := range g.Lists {
				var docs, freqs, below uint64
				for _, f := range l.Fates {
					seen[f]++
					docs += uint64(f & DocsDecoded)
					freqs += uint64(f & FreqsDecoded / FreqsDecoded)
					below += uint64(f & BelowBound / BelowBound)
				}
				if l.Blocks > 1 && len(l.Fates) != l.Blocks {
					t.Errorf("%v, %s: %d fates of %d blocks", a, l.Term, len(l.Fates), l.Blocks)
				}
				if l.Fates != nil && (docs > l.DocBlocks || freqs > l.FreqBlocks || below > l.ByBound ||
					(docs == 0) != (l.DocBlocks == 0) || (freqs == 0) != (l.FreqBlocks == 0) || (below == 0) != (l.ByBound == 0)) {
					t.Errorf("%v, %s: %d, %d and %d blocks in fates, counts %+v", a, l.Term, docs, freqs, below, l.ListCounts)
				}
				part := snapshot.Segments()[g.Segment]
				checkDecoded(t, a, part.Views(), l, part.Base(), r.Hits)
			}
		}
	}
	if seen[0] == 0 || seen[DocsDecoded] == 0 || seen[DocsDecoded|FreqsDecoded] == 0 || seen[BelowBound]+seen[BelowBound|DocsDecoded] == 0 {
		t.Errorf("fates and their numbers: %v", seen)
	}
}

// checkDecoded checks that the block of every hit that l holds was decoded.
func checkDecoded(t *testing.T, a Algorithm, s *segment.Segment, l ListTrace, base uint32, hits []Hit) {
	e, ok, err := s.Lists().Lookup([]byte(l.Term))
	if err != nil || !ok || e.Kind != segment.KindExtent || l.Fates == nil {
		return
	}
	v, err := s.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	docs := make([]uint32, v.BlockLen)
	for block, fate := range l.Fates {
		n, err := v.DecodeDocs(docs, block, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			for _, doc := range docs[:n] {
				if base+doc == h.Doc && fate&DocsDecoded == 0 {
					t.Errorf("%v, %s: block %d holds hit %d, but has fate %d", a, l.Term, block, h.Doc, fate)
				}
			}
		}
	}
}
