package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Flipped bits that no checksum finds, anywhere after the section table, give a format.ErrCorrupt or some
// result but never a panic, whatever the algorithm.
func TestDamagedLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	docs := querytest.ZipfDocs(rng, 3000, 40, 12)
	rounds := longtest.Count(30, 300)
	found := 0
	for _, c := range []codec.Codec{bp128.Codec{}, vbyte128.Codec{}} {
		whole := querytest.SegmentBytes(t, docs, c)
		h, err := format.ParseFile("whole", whole)
		if err != nil {
			t.Fatal(err)
		}
		front := int(h.FrontSize())
		for range rounds {
			b := segment.Aligned(slices.Clone(whole))
			for range 1 + rng.IntN(8) {
				at := front + rng.IntN(len(b)-front)
				b[at] ^= 1 << rng.IntN(8)
			}
			s, err := segment.Open("damaged", b)
			if err != nil {
				found++
				continue
			}
			s.Raw().SkipPageChecks()
			seg := reader.NewSegment(s, 0, 0)
			q, err := over([]querytest.Part{{Segment: seg}}, Options{Seek: reader.Strategy(rng.IntN(3))})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range Algorithms() {
				mode := query.ModeOr
				if a.Conjunctive() {
					mode = query.ModeAnd
				}
				_, err := q.Search(context.Background(), Query{RawTerms: querytest.Terms("w0", "w1", "w3", "w30"), K: 10, Mode: mode, Algorithm: a})
				if err != nil {
					found++
					if !errors.Is(err, format.ErrCorrupt) {
						t.Fatalf("%v: %v", a, err)
					}
				}
				for doc, err := range q.Matches(context.Background(), Query{RawTerms: querytest.Terms("w0", "w1", "w3", "w30"), Mode: mode}) {
					if err != nil && !errors.Is(err, format.ErrCorrupt) || err == nil && doc >= 3000 {
						t.Fatalf("matches: document %d, %v", doc, err)
					}
				}
				if n, err := q.Count(context.Background(), Query{RawTerms: querytest.Terms("w0", "w1", "w3", "w30"), Mode: mode}); err != nil && !errors.Is(err, format.ErrCorrupt) || n > 3000 {
					t.Fatalf("count: %d, %v", n, err)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no damage was ever found")
	}
}

// One Searcher serves many goroutines.
func TestConcurrentSearches(t *testing.T) {
	longtest.NoEmulator(t, "takes long")
	c := newCollection(t, querytest.ZipfDocs(rand.New(rand.NewPCG(23, 24)), 3000, 300, 10), nil, query.DefaultParams(), 1000)
	queries := [][]string{{"w1", "w2"}, {"w0", "w50", "w7"}, {"w9"}, {"w3", "w200", "w4", "w5"}}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 40 {
				words := queries[(g+i)%len(queries)]
				s := c.searchers[len(c.searchers)-1-i%2*3]
				mode := query.Mode(i % 3)
				res, err := s.Search(context.Background(), Query{RawTerms: querytest.Terms(words...), K: 10, Mode: mode})
				if err == nil {
					err = c.oracle.check(res.Hits, c.oracle.scores(words, mode, 10, c.params, nil), 10)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
