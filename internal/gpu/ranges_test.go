//go:build emu && cgo

package gpu

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Disjunctions by ranges of documents equal brute force: up to as many terms as the device takes, all matching documents
// or few of them wanted, ranges of many lengths, and room for few keys.
func TestRanges(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 400, Segments: 2, Terms: kernels.MaxTerms, MaxDF: 0.9, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 9})
	dev := testDevice(t, 5)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		o := Options{Scorer: sc, Memory: 4 << 20, ranges: 1, width: rapid.SampledFrom([]int{128, 256}).Draw(rt, "width"),
			overflow: rapid.SampledFrom([]int64{0, 1}).Draw(rt, "overflow"), AsStored: rapid.Bool().Draw(rt, "stored")}
		views, deleted := viewsIn(c), (*docset.Bits)(nil)
		if rapid.Bool().Draw(rt, "deletes") {
			deleted = deleteSome(r, views)
		}
		x, err := newExecutor(dev, views, o)
		if err != nil {
			t.Fatal(err)
		}
		defer closeExecutor(t, x)
		var qs []gputrial.Query
		for range 2 {
			q := gputrial.Query{K: rapid.SampledFrom([]int{1, 10, 100, 3000}).Draw(rt, "k"), Mode: query.ModeOr}
			q.Terms = r.Perm(kernels.MaxTerms)[:rapid.IntRange(1, kernels.MaxTerms).Draw(rt, "terms")]
			qs = append(qs, q)
		}
		check(t, x, c, sc, qs, deleted)
	})
}

func queriesOf(qs []gputrial.Query) (out []search.Query) {
	for _, q := range qs {
		out = append(out, q.Query())
	}
	return out
}

// Disjunctions of any lengths share a batch: what goes by ranges of documents costs no pass of its own, whichever comes first,
// and all equal brute force.
func TestMixedLengths(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 600, Segments: 2, Terms: kernels.MaxTerms, MaxDF: 0.9, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 4})
	dev := testDevice(t, 5)
	for _, stored := range []bool{false, true} {
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, AsStored: stored})
		if err != nil {
			t.Fatal(err)
		}
		defer closeExecutor(t, x)
		check(t, x, c, sc, []gputrial.Query{{K: 10, Mode: query.ModeOr, Terms: rand.New(rand.NewPCG(1, 1)).Perm(kernels.MaxTerms)}}, nil) // loads all lists
		rapid.Check(t, func(rt *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
			var qs []gputrial.Query
			for range rapid.IntRange(1, 12).Draw(rt, "queries") {
				q := gputrial.Query{K: rapid.SampledFrom([]int{1, 10, 100, 1000}).Draw(rt, "k"), Mode: query.ModeOr}
				n := rapid.SampledFrom([]int{1, 2, 3, 9, 10, 30, kernels.MaxTerms}).Draw(rt, "terms")
				q.Terms = r.Perm(kernels.MaxTerms)[:n]
				qs = append(qs, q)
			}
			before := x.stages.Next()
			check(t, x, c, sc, qs, nil)
			for i, p := range x.resolve(queriesOf(qs)) {
				if dense, n := x.shape().dense(&p), len(qs[i].Terms); n == 1 && dense || n == kernels.MaxTerms && !dense {
					t.Errorf("%d terms go by ranges: %v", n, dense)
				}
			}
			if passes := x.stages.Next() - before - 1; passes != 1 {
				t.Errorf("%d passes for %d queries, want 1", passes, len(qs))
			}
		})
	}
}

// Documents that all have one score leave no room for their keys: they are answered with room for all, or by the CPU.
func TestEqualScores(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 900, Segments: 1, Terms: 4, MaxDF: 1, MinDF: 900, DocsCodec: "bp128", FreqsCodec: "bp128"})
	q := gputrial.Query{K: 3, Mode: query.ModeOr, Terms: []int{0, 1, 2, 3}}
	for _, threshold := range []int64{0, 1} {
		cpu := &counted{brute: brute{c: c, sc: sc}}
		x, err := newExecutor(testDevice(t, 1), viewsIn(c), Options{Scorer: sc, CPU: cpu, Memory: 4 << 20, ranges: 1, overflow: -11, Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		check(t, x, c, sc, []gputrial.Query{q}, nil)
		if want := int(threshold); cpu.asked != want || x.Err() != nil {
			t.Errorf("threshold %d: the CPU answered %d, want %d; %v", threshold, cpu.asked, want, x.Err())
		}
		closeExecutor(t, x)
	}
}

func TestSelectable(t *testing.T) {
	for shared, want := range map[int]int{48 << 10: 3840, 64 << 10: 3840, 99 << 10: 7936, 163 << 10: 16128, 227 << 10: 16128, 0: 256} {
		if got := selectable(shared); got != want {
			t.Errorf("%d bytes of shared memory: k up to %d, want %d", shared, got, want)
		}
	}
}
