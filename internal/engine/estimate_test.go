package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/internal/querytest"
)

// The first threshold of a disjunction over a segment with deletes is reached by k documents
// that are not deleted, also when the best documents are, and is not given up for them.
func TestFirstThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	docs := make([][]string, 6000)
	for d := range docs {
		if r.IntN(3) == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"long"}, 1+int(r.ExpFloat64()*3))...)
		}
		if d%200 == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"short"}, 1+r.IntN(6))...)
		}
		docs[d] = append(docs[d], slices.Repeat([]string{"filler"}, 5+r.IntN(40))...)
	}
	c, _ := registry.ByName("bp128")
	hits := func(deleted map[int]bool, word string, k int) []topk.Hit {
		s := searcherOver(t, docs, deleted, c)
		h, _, err := AppendHits(t.Context(), s, []topk.Hit(nil), &Query{Terms: querytest.Terms(word), K: k, Mode: Or, Algorithm: algorithm.Exhaustive}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, word := range []string{"long", "short"} {
		best := hits(nil, word, 6000)
		for _, n := range []int{0, 1, 5, 20} {
			deleted := map[int]bool{}
			for _, h := range best[:n] {
				deleted[int(h.Doc)] = true
			}
			for d := 1; d < 6000; d += 5 { // neither list needs these
				if d%200 != 0 && !slices.Contains(docs[d], "long") {
					deleted[d] = true
				}
			}
			left := hits(deleted, word, 6000)
			for _, k := range []int{1, 5, 10} {
				s := searcherOver(t, docs, deleted, c)
				run := s.execution()
				q := Query{Terms: querytest.Terms(word), K: k, Mode: Or}
				run.begin(t.Context(), s, &q)
				if err := (resolving{run}).resolve(); err != nil {
					t.Fatal(err)
				}
				run.Top.Reset(k, 1)
				if !run.enter(0, false) || !run.Open(1) {
					t.Fatal(run.Err)
				}
				run.SumBounds()
				run.FirstEssential()
				switch theta := run.Top.Theta; {
				case theta <= 0:
					t.Errorf("%s, %d of the best deleted, k %d: no threshold", word, n, k)
				case theta > left[k-1].Score:
					t.Errorf("%s, %d of the best deleted, k %d: threshold %g, but hit %d scores %g", word, n, k, theta, k, left[k-1].Score)
				}
			}
		}
	}
}

// searcherOver returns a Searcher over docs, in segments that are cut before the given ones.
func searcherOver(t *testing.T, docs [][]string, deleted map[int]bool, c codec.Codec, cuts ...int) *Searcher {
	t.Helper()
	st := bm25.Stats{Docs: uint64(len(docs) - len(deleted))}
	for d, words := range docs {
		if !deleted[d] {
			st.Tokens += uint64(len(words))
		}
		st.MaxLen = max(st.MaxLen, uint32(len(words)))
	}
	var segments []Segment
	for _, p := range querytest.Parts(t, docs, deleted, c, cuts...) {
		segments = append(segments, Segment(p))
	}
	s := new(Searcher)
	if err := s.Init(segments, Options{Fields: []Field{{Scorer: bm25.New(0.9, 0.4, st)}}, Docs: st.Docs}); err != nil {
		t.Fatal(err)
	}
	return s
}
