//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

func viewsIn(c *gputrial.Collection) (s []residency.Segment) {
	for _, p := range c.Parts {
		s = append(s, residency.Segment{Seg: p.Segment, Base: p.Base})
	}
	return s
}

// with returns options with a scorer.
func with(sc *search.Scorer, o Options) Options {
	o.Scorer = sc
	return o
}

func closeExecutor(t *testing.T, x *Executor) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func mustScorer(t *testing.T, c *gputrial.Collection) *search.Scorer {
	t.Helper()
	sc, err := search.NewScorer(query.DefaultParams(), c.Stats())
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func check(t *testing.T, x search.Executor, c *gputrial.Collection, sc *search.Scorer, qs []gputrial.Query, deletes *docset.Bits) {
	t.Helper()
	in := make([]search.Query, len(qs))
	for i, q := range qs {
		in[i] = q.Query()
	}
	got, err := x.Execute(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, c, sc, qs, deletes)
}

func compare(t *testing.T, got []search.Result, c *gputrial.Collection, sc *search.Scorer, qs []gputrial.Query, deletes *docset.Bits) {
	t.Helper()
	for i, q := range qs {
		if want := c.Answer(sc, q, deletes); !gputrial.Equal(got[i].Hits, want) {
			t.Fatalf("query %d %+v:\n got %v\nwant %v", i, q, got[i].Hits, want)
		}
	}
}

func TestExecutorEqualsBruteForce(t *testing.T) {
	shapes := []gputrial.Shape{
		{Docs: 6000, Segments: 1, Terms: 40, MaxDF: 0.7, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128"},
		{Docs: 6000, Segments: 1, Terms: 40, MaxDF: 0.7, MinDF: 1, DocsCodec: "vbyte128", FreqsCodec: "vbyte128"},
		{Docs: 5000, Segments: 3, Terms: 30, MaxDF: 0.5, MinDF: 1, DocsCodec: "vbyte128", FreqsCodec: "bp128", Clustered: true},
		{Docs: 20000, Segments: 2, Terms: 30, MaxDF: 0.9, MinDF: 3, DocsCodec: "bp128", FreqsCodec: "vbyte128"},
		{Docs: 6000, Segments: 1, Terms: 40, MaxDF: 0.7, MinDF: 1, DocsCodec: "newpfd", FreqsCodec: "ef"},
		{Docs: 7000, Segments: 2, Terms: 40, MaxDF: 0.7, MinDF: 1, DocsCodec: "newpfd", FreqsCodec: "newpfd", Clustered: true},
		{Docs: 6000, Segments: 1, Terms: 40, MaxDF: 0.7, MinDF: 1, DocsCodec: "ef", FreqsCodec: "newpfd", Clustered: true},
		{Docs: 8000, Segments: 3, Terms: 30, MaxDF: 0.9, MinDF: 1, DocsCodec: gputrial.Mixed},
	}
	for i, s := range shapes {
		for _, seed := range []uint64{1, 0}[:few(1, 2)] {
			s.Seed = uint64(i)
			t.Run(fmt.Sprintf("%s-%s-%d-seed%d", s.DocsCodec, s.FreqsCodec, s.Segments, seed), func(t *testing.T) {
				c, err := gputrial.New(s, true)
				if err != nil {
					t.Fatal(err)
				}
				sc := mustScorer(t, c)
				dev := testDevice(t, seed)
				x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 8 << 20, width: 3072, AsStored: seed == 1})
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(seed, 3))
				check(t, x, c, sc, c.Draw(r, few(12, 25), 5, 40, query.ModeAnd, query.ModeOr, query.ModeAndOr), nil)
				check(t, x, c, sc, c.Draw(r, 4, 3, 1000, query.ModeAnd, query.ModeOr), nil)
				closeExecutor(t, x)
				if err := dev.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
