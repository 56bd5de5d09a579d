package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

func simpleSearcher(t *testing.T) (*Searcher, *reader.Snapshot) {
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(87, 88)), 900, 30, 10), []int{4}, 400)
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, snapshot
}

// A query by text is that by the terms of the text, and those given beside it.
func TestText(t *testing.T) {
	s, _ := simpleSearcher(t)
	want, err := s.Search(t.Context(), Query{RawTerms: querytest.Terms("w1", "w4", "w2"), K: 20})
	if err != nil {
		t.Fatal(err)
	}
	byText := []Query{{Text: "W1, w4; w2", K: 20}, {Text: "W2", RawTerms: querytest.Terms("w4", "w1"), K: 20}}
	results, err := s.Execute(t.Context(), byText)
	if err != nil {
		t.Fatal(err)
	}
	complete, err := s.Complete(byText)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range byText {
		if !slices.Equal(results[i].Hits, want.Hits) {
			t.Errorf("%+v: %s", q, difference(want.Hits, results[i].Hits))
		}
		if c := complete[i]; c.Text != "" || len(c.RawTerms) != 3 || q.Text == "" {
			t.Errorf("%+v completed is %+v", q, c)
		}
	}
	if r, err := s.Search(t.Context(), Query{RawTerms: querytest.Terms("W1")}); err != nil || len(r.Hits) != 0 {
		t.Errorf("a raw term was analyzed: %v, %v", r, err)
	}
	for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
		if r, err := s.Search(t.Context(), Query{Text: "., !", Mode: mode}); err != nil || len(r.Hits) != 0 {
			t.Errorf("text without words, %v: %v, %v", mode, r, err)
		}
	}
}

func TestDefaultK(t *testing.T) {
	s, _ := simpleSearcher(t)
	r, err := s.Search(t.Context(), Query{RawTerms: querytest.Terms("w1")})
	if err != nil || len(r.Hits) != query.DefaultK {
		t.Errorf("K 0: %d hits, %v", len(r.Hits), err)
	}
}

func TestCount(t *testing.T) {
	s, _ := simpleSearcher(t)
	for _, q := range []Query{{Text: "w1 w3", Mode: query.ModeAnd}, {Text: "w1 w3", K: 2}, {Text: "nowhere"}, {}} {
		want := uint64(0)
		all := q
		all.K = 0
		for doc, err := range s.Matches(t.Context(), all) {
			if err != nil || doc == 4 {
				t.Fatal(doc, err)
			}
			want++
		}
		if n, err := s.Count(t.Context(), q); n != want || err != nil {
			t.Errorf("%+v: Count gives %d, %v, want %d", q, n, err, want)
		}
		got := uint64(0)
		for range s.Matches(t.Context(), q) {
			got++
		}
		if q.K > 0 {
			want = min(want, uint64(q.K))
		}
		if got != want {
			t.Errorf("%+v: Matches yields %d, want %d", q, got, want)
		}
	}
	if n, err := s.Count(t.Context(), Query{Text: "w1", Mode: query.ModeAndOr}); n != 0 || !errors.Is(err, query.ErrInvalid) {
		t.Errorf("Count of AndOr: %d, %v", n, err)
	}
}

// Concurrent executions of one query have traces of their own.
func TestTraceOfEach(t *testing.T) {
	s, _ := simpleSearcher(t)
	q := Query{Text: "w0 w3", Trace: true}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			r, err := s.Search(t.Context(), q)
			if err != nil || r.Trace == nil || len(r.Trace.Segments) == 0 {
				t.Errorf("%v, %v", r.Trace, err)
			}
		})
	}
	running.Wait()
	if r, err := s.Search(t.Context(), Query{Text: "w0"}); err != nil || r.Trace != nil {
		t.Errorf("a trace that nobody asked for: %v", err)
	}
}

// callsOf calls every method of s that can fail.
func callsOf(ctx context.Context, s *Searcher) map[string]error {
	q := Query{Text: "w1 w2", Mode: query.ModeAnd, K: 3}
	errs := map[string]error{}
	_, errs["Search"] = s.Search(ctx, q)
	_, errs["Execute"] = s.Execute(ctx, []Query{q})
	_, errs["AppendHits"] = s.AppendHits(ctx, nil, &q)
	_, errs["SearchAmong"] = s.SearchAmong(ctx, q, []uint32{1}, 1)
	_, errs["Count"] = s.Count(ctx, q)
	for doc, err := range s.Matches(ctx, q) {
		if err != nil && doc != reader.NoDoc {
			err = errors.New("an error comes with a document")
		}
		errs["Matches"] = err
	}
	_, errs["AppendLengths"] = s.AppendLengths(nil, querytest.Terms("w1"))
	_, errs["AppendFieldLengths"] = s.AppendFieldLengths(nil, "", querytest.Terms("w1"))
	other, err := s.Retain()
	if errs["Retain"] = err; err == nil {
		other.Close()
	}
	return errs
}

// The zero value is a closed Searcher, and a nil context is the background.
func TestZeroSearcher(t *testing.T) {
	s, snapshot := simpleSearcher(t)
	var none context.Context
	for what, err := range callsOf(none, s) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	var zero Searcher
	errs := callsOf(t.Context(), &zero)
	_, errs["Parse"] = zero.Parse("w1")
	_, errs["Complete"] = zero.Complete([]Query{{Text: "w1"}})
	for what, err := range errs {
		if !errors.Is(err, query.ErrClosed) {
			t.Errorf("zero value: %s: %v", what, err)
		}
	}
	if err := errors.Join(zero.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	for what, err := range callsOf(t.Context(), s) {
		if !errors.Is(err, query.ErrClosed) {
			t.Errorf("closed: %s: %v", what, err)
		}
	}
	if !s.Over(snapshot) || zero.Over(snapshot) || s.Over(querytest.Index(t, [][]string{{"a"}}, nil)) || s.Over(nil) {
		t.Error("Over is wrong")
	}
}

// Params: a field of 0 is a default, Zero is 0, and what is negative is refused.
func TestParams(t *testing.T) {
	for _, c := range []struct {
		p     query.Params
		k1, b float64
	}{{query.Params{}, 1.2, 0.75}, {query.Params{B: 0.4}, 1.2, 0.4}, {query.Params{K1: 0.9}, 0.9, 0.75}, {query.Params{K1: query.Zero, B: query.Zero}, 0, 0}, {query.Exactly(0, 0.4), 0, 0.4}} {
		if k1, b := c.p.Values(); k1 != c.k1 || b != c.b || c.p.Check() != nil {
			t.Errorf("%+v: k1 %g, b %g", c.p, k1, b)
		}
	}
	for _, p := range []query.Params{{K1: -1}, {B: -1}, query.Exactly(-0.5, 0)} {
		if err := p.Check(); !errors.Is(err, query.ErrParams) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
