package hybrid

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Queries that ask for their totals get them, and the hits of those that do not, whoever answers.
func TestTotals(t *testing.T) {
	s := newIndex(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for what, x := range map[string]*Executor{"CPU": newHybrid(t, s, nil, Options{}), "GPU": newHybrid(t, s, &stub{Executor: s}, Options{Mode: OnlyGPU})} {
		for _, n := range []int{1, 5, 200} {
			var queries []search.Query
			for range n {
				q := search.Query{Text: fmt.Sprintf("w%d w%d", rng.IntN(100), rng.IntN(100)), Mode: query.Mode(rng.IntN(2)), Total: rng.IntN(3) > 0}
				queries = append(queries, q)
			}
			results, err := x.Execute(t.Context(), queries)
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range queries[:min(n, 30)] {
				one, err := x.Search(t.Context(), q)
				want, err2 := s.Search(t.Context(), q)
				if err != nil || err2 != nil || one.Total != want.Total || results[i].Total != want.Total {
					t.Errorf("%s: total of %q: %d and %d, %v, want %d", what, q.Text, one.Total, results[i].Total, err, want.Total)
				}
				if !slices.Equal(one.Hits, want.Hits) || !slices.Equal(results[i].Hits, want.Hits) {
					t.Errorf("%s: hits of %q: %v and %v, want %v", what, q.Text, one.Hits, results[i].Hits, want.Hits)
				}
				q.Total = true
				want, _ = s.Search(t.Context(), q)
				if got, err := x.Count(t.Context(), q); err != nil || got != want.Total {
					t.Errorf("%s: count of %q: %d, %v, want %d", what, q.Text, got, err, want.Total)
				}
			}
		}
		for _, q := range []search.Query{{Text: "w1", Mode: query.ModeAndOr, Total: true}, {Node: query.Match{Text: "none w1", Mode: query.ModeAndOr}, K: 1 << 20, Total: true}} {
			_, searchErr := x.Search(t.Context(), q)
			_, executeErr := x.Execute(t.Context(), []search.Query{q})
			if !errors.Is(searchErr, query.ErrInvalid) || !errors.Is(executeErr, query.ErrInvalid) {
				t.Errorf("%s: and-or of %+v: %v, %v", what, q, searchErr, executeErr)
			}
		}
	}
}
