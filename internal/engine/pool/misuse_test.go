package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// callsOf calls every method of p that can fail.
func callsOf(ctx context.Context, p *Pool) map[string]error {
	q := search.Query{Text: "w1 w2", Mode: query.ModeAnd}
	errs := map[string]error{}
	_, errs["Search"] = p.Search(ctx, q)
	_, errs["empty"] = p.Search(ctx, search.Query{})
	_, errs["AppendHits"] = p.AppendHits(ctx, nil, &q)
	_, errs["Execute"] = p.Execute(ctx, []search.Query{q, {}})
	_, errs["AppendLengths"] = p.AppendLengths(nil, querytest.Terms("w1"))
	_, errs["AppendFieldLengths"] = p.AppendFieldLengths(nil, "", querytest.Terms("w1"))
	done := make(chan error, 1)
	if errs["Submit"] = p.Submit(ctx, &q, func(_ []search.Hit, err error) { done <- err }); errs["Submit"] == nil {
		errs["Submit"] = <-done
	}
	return errs
}

// The zero value is a closed Pool, and a nil context is the background.
func TestZeroPool(t *testing.T) {
	var zero Pool
	for what, err := range callsOf(t.Context(), &zero) {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("zero value: %s: %v", what, err)
		}
	}
	zero.Close()
	if c := zero.Counts(); c != (Counts{}) || zero.Workers() != 0 {
		t.Errorf("zero value: %+v", c)
	}
	var none context.Context
	p := newTestPool(t, newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(61, 62)), 300, 30, 10), nil), Options{Workers: 2})
	for what, err := range callsOf(none, p) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestRefused(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(63, 64)), 300, 30, 10), nil)
	for _, o := range []Options{{Workers: MaxWorkers + 1}, {Workers: 1 << 40}, {Workers: -1}, {Model: 9}} {
		if _, err := New(s, o); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	p := newTestPool(t, s, Options{Workers: 2})
	q := search.Query{Text: "w1"}
	if err := p.Submit(t.Context(), &q, nil); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("Submit without a function: %v", err)
	}
	if err := p.Submit(t.Context(), nil, func([]search.Hit, error) {}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("Submit without a query: %v", err)
	}
	if _, err := p.Search(t.Context(), search.Query{Text: "w1", K: -1}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("K -1: %v", err)
	}
	p.Close()
}

// A Pool answers after its snapshot and its Searcher are closed, by text as the Searcher does, in every
// model.
func TestOwnSearcher(t *testing.T) {
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(65, 66)), 2000, 30, 10), nil, 900)
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var pools []*Pool
	for _, m := range models {
		pools = append(pools, newTestPool(t, s, Options{Workers: 3, Model: m, TaskPostings: 128}))
	}
	q := search.Query{Text: "W1 w4", RawTerms: querytest.Terms("w2")}
	want, err := s.Search(t.Context(), q)
	if err := errors.Join(err, s.Close(), snapshot.Close()); err != nil {
		t.Fatal(err)
	}
	for i, p := range pools {
		got, err := p.Search(t.Context(), q)
		if err != nil || len(got.Hits) != query.DefaultK || !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("%v: %s, %v", models[i], difference(want.Hits, got.Hits), err)
		}
	}
}

// The hits that Submit hands out stay as they are.
func TestKeptHits(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(67, 68)), 2000, 30, 10), nil)
	p := newTestPool(t, s, Options{Workers: 2})
	const n = 300
	kept, answered := make([][]search.Hit, n), make(chan error, n)
	queries := make([]search.Query, n)
	for i := range queries {
		queries[i] = search.Query{RawTerms: querytest.Terms("w1", "w"+string(rune('2'+i%7))), K: 1 + i%20}
		if err := p.Submit(t.Context(), &queries[i], func(hits []search.Hit, err error) {
			kept[i] = hits
			answered <- err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
	for i, q := range queries {
		if want, err := s.Search(t.Context(), q); err != nil || !slices.Equal(kept[i], want.Hits) {
			t.Fatalf("query %d: %s, %v", i, difference(want.Hits, kept[i]), err)
		}
	}
}
