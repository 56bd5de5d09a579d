package pinion_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// similar returns the cosine of two vectors.
func similar(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// TestHitNearest holds that hits say which of their vectors is the nearest, and what it scores, over segments, deletes and other nodes.
func TestHitNearest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := openNotes(t, pinion.Options{})
		has := map[string][][]float32{}
		for i := range rapid.IntRange(1, 30).Draw(r, "documents") {
			id := fmt.Sprint(rapid.IntRange(0, 20).Draw(r, "id"))
			var own [][]float32
			for j := range rapid.IntRange(0, 4).Draw(r, "vectors") {
				own = append(own, vectorOf(fmt.Sprint(i, j)))
			}
			if err := x.Add(t.Context(), pinion.Doc{ID: id, Fields: map[string]any{"title": "a", "v": own, "w": vectorOf(id)}}); err != nil {
				r.Fatal(err)
			}
			has[id] = own
			if rapid.Bool().Draw(r, "sync") {
				if err := x.Sync(t.Context()); err != nil {
					r.Fatal(err)
				}
			}
		}
		v, w := vectorOf("query"), vectorOf("other")
		near := query.Nearest{Field: "v", Vector: v, K: rapid.IntRange(1, 30).Draw(r, "k"), Boost: 3}
		alike := query.Similarity{Field: "w", Vector: w}
		for _, q := range []pinion.Request{{Query: near}, {Query: query.Bool{Should: []query.Node{query.Match{Text: "a"}, near, alike}}},
			{Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: query.Match{Text: "a"}}, {Query: near}}}}} {
			q.Limit, q.Offset = 50, rapid.IntRange(0, 2).Draw(r, "offset")
			plain, err := x.Search(t.Context(), q)
			q.Nearest = true
			page, err2 := x.Search(t.Context(), q)
			if err != nil || err2 != nil || len(plain.Hits) != len(page.Hits) {
				r.Fatal(err, err2)
			}
			_, both := q.Query.(query.Bool)
			for i, h := range page.Hits {
				if plain.Hits[i].Nearest != nil || plain.Hits[i].ID != h.ID || plain.Hits[i].Score != h.Score {
					r.Fatalf("hit %d: %+v, without Nearest %+v", i, h, plain.Hits[i])
				}
				want := 0
				if len(has[h.ID]) > 0 {
					want++
					n := h.Nearest[0]
					best := slices.MaxFunc(has[h.ID], func(a, b []float32) int {
						return map[bool]int{true: 1, false: -1}[similar(a, v) > similar(b, v)]
					})
					if n.Field != "v" || n.Number >= len(has[h.ID]) || math.Abs(float64(n.Score)-(1+similar(best, v))/2) > 1e-6 || math.Abs(similar(has[h.ID][n.Number], v)-similar(best, v)) > 1e-6 {
						r.Fatalf("%s: %+v of %v", h.ID, n, has[h.ID])
					}
					if _, alone := q.Query.(query.Nearest); alone && float32(n.Score*3) != h.Score && math.Abs(float64(n.Score*3-h.Score)) > 1e-6 {
						r.Fatalf("%s scores %v, and its vector %v", h.ID, h.Score, n.Score)
					}
				}
				if both {
					if n := h.Nearest[want]; n.Field != "w" || n.Number != 0 {
						r.Fatalf("%s: %+v", h.ID, n)
					}
					want++
				}
				if len(h.Nearest) != want {
					r.Fatalf("%s: %+v, want %d", h.ID, h.Nearest, want)
				}
			}
		}
	})
}

// TestHitNearestParts holds that the numbers are those of the parts of texts, also where an Executor answers and of a Source.
func TestHitNearestParts(t *testing.T) {
	e, dir := &encoder{}, t.TempDir()
	all := []pinion.Embed{{Field: "v", From: []string{"title", "body"}, Texts: e.embed, Split: halves}}
	x, err := pinion.Open(t.Context(), dir, pinion.Options{Schema: notes(), Embed: all})
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"one", "two", "three", "four"}
	if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"body": []string{"two| |three", "four"}, "title": "one"}}); err != nil {
		t.Fatal(err)
	}
	check := func(s pinion.Searcher) {
		t.Helper()
		for i, text := range parts {
			p, err := s.Search(t.Context(), pinion.Request{Query: query.Nearest{Field: "v", Text: text, K: 1}, Nearest: true})
			if err != nil || len(p.Hits) != 1 || len(p.Hits[0].Nearest) != 1 || p.Hits[0].Nearest[0].Number != i || p.Hits[0].Nearest[0].Score != p.Hits[0].Score {
				t.Errorf("%s: %+v, %v", text, p.Hits, err)
			}
		}
	}
	check(x)
	p, err := x.Search(t.Context(), pinion.Request{Filter: query.IDs{"a"}, Nearest: true})
	if err != nil || len(p.Hits) != 1 || p.Hits[0].Nearest != nil {
		t.Errorf("without a query: %+v, %v", p.Hits, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	o := pinion.ReaderOptions{Embed: all, NoCache: true}
	r, err := o.OpenSource(t.Context(), reader.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	check(r)
	if _, err := r.Search(t.Context(), pinion.Request{Query: query.Nearest{Field: "none", Text: "x", K: 1}, Nearest: true}); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

// TestShowNearest holds that View.Show compares what texts stand for, as searches do, and that it says so where nothing embeds them.
func TestShowNearest(t *testing.T) {
	e := &encoder{}
	x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"title"}, Texts: e.embed, Split: halves}}})
	if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"title": "one|two|three"}}); err != nil {
		t.Fatal(err)
	}
	r := pinion.Request{Query: query.Nearest{Field: "v", Text: "two", K: 1}, Nearest: true}
	err := x.View(t.Context(), func(v *pinion.View) error {
		found, err := v.Search(t.Context(), r)
		if err != nil {
			return err
		}
		for _, r := range []pinion.Request{r, {Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: r.Query}}}, Nearest: true}} {
			shown, err := v.Show(t.Context(), found.Hits, r)
			if err != nil {
				return err
			}
			if got := shown.Hits[0].Nearest; len(got) != 1 || got[0].Number != 1 || !slices.Equal(got, found.Hits[0].Nearest) {
				t.Errorf("%v, want %v", got, found.Hits[0].Nearest)
			}
		}
		bare, err := pinion.NewView(v.Snapshot(), nil)
		if err != nil {
			return err
		}
		defer bare.Close()
		if _, err := bare.Show(t.Context(), found.Hits, r); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a text where nothing embeds it: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
