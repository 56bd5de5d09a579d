package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
)

// A node over an index without a schema gives the hits of the terms that it stands for.
func TestNode(t *testing.T) {
	s, _ := simpleSearcher(t)
	leaf := func(w string) query.Node { return query.Term{Text: w} }
	for _, c := range []struct {
		node  query.Node
		terms string
		mode  query.Mode
	}{
		{leaf("w1"), "w1", query.ModeOr},
		{query.Match{Text: "W1, w4"}, "w1 w4", query.ModeOr},
		{query.Match{Text: "w1 w4", Mode: query.ModeAnd}, "w1 w4", query.ModeAnd},
		{query.Match{Text: "w1 w4 w1", Mode: query.ModeAndOr}, "w1 w1 w4", query.ModeAndOr},
		{query.Match{}, "", query.ModeOr},
		{query.Bool{}, "", query.ModeOr},
		{query.Bool{Must: []query.Node{leaf("w1"), query.Match{Text: "w4 w2", Mode: query.ModeAnd}, query.Bool{Must: []query.Node{leaf("w3")}}}}, "w1 w2 w3 w4", query.ModeAnd},
		{query.Bool{Must: []query.Node{query.Match{Text: "w1"}, query.Match{Text: "?"}, query.Match{Text: "w2", Mode: query.ModeAndOr}}}, "w1 w2", query.ModeAnd},
		{query.Bool{Should: []query.Node{leaf("w1"), query.Match{Text: "w9 w2"}, query.Bool{Should: []query.Node{leaf("w1")}}, query.Bool{Must: []query.Node{leaf("w8")}}}}, "w1 w1 w2 w8 w9", query.ModeOr},
		{query.Bool{Should: []query.Node{query.Match{Text: "w1 w4", Mode: query.ModeAnd}, query.Match{Text: "!"}}}, "w1 w4", query.ModeAnd},
		{leaf("nosuch"), "nosuch", query.ModeOr},
	} {
		want, err := s.Search(t.Context(), Query{RawTerms: querytest.Terms(strings.Fields(c.terms)...), Mode: c.mode, K: 30})
		if err != nil {
			t.Fatal(err)
		}
		q := Query{Node: c.node, K: 30}
		if got, err := s.Search(t.Context(), q); err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("%+v: %v: %s", c.node, err, difference(want.Hits, got.Hits))
		}
		own, err := s.Complete([]Query{q})
		if err != nil {
			t.Fatal(err)
		}
		var terms []string
		for _, b := range own[0].RawTerms {
			terms = append(terms, string(b))
		}
		slices.Sort(terms)
		if got := strings.Join(terms, " "); own[0].Node != nil || got != c.terms || own[0].Mode != c.mode && len(terms) > 1 {
			t.Errorf("%+v is completed to %q, mode %v", c.node, got, own[0].Mode)
		}
		if c.mode == query.ModeAndOr {
			continue
		}
		n, err := s.Count(t.Context(), q)
		all, err2 := s.Search(t.Context(), Query{Node: c.node, K: 900})
		if err != nil || err2 != nil || n != uint64(len(all.Hits)) {
			t.Errorf("%+v: %d matches, %v, %d hits", c.node, n, err, len(all.Hits))
		}
	}
}

// A boost multiplies the score; the boosts of a term that occurs several times add up.
func TestBoost(t *testing.T) {
	s, _ := simpleSearcher(t)
	search := func(n ...query.Node) []Hit {
		t.Helper()
		r, err := s.Search(t.Context(), Query{Node: query.Bool{Should: n}, K: 900})
		if err != nil {
			t.Fatal(err)
		}
		return r.Hits
	}
	one, four := search(query.Term{Text: "w3"}), search(query.Match{Text: "w3", Boost: 4})
	for i := range one {
		if four[i] != (Hit{one[i].Doc, 4 * one[i].Score}) {
			t.Fatalf("hit %d: %v, boosted %v", i, one[i], four[i])
		}
	}
	five, boosted := search(query.Term{Text: "w3", Boost: 4}, query.Term{Text: "w3"}), search(query.Term{Text: "w3", Boost: 5})
	for i := range one {
		if five[i] != boosted[i] {
			t.Fatalf("hit %d: %v, boosted by the sum %v", i, five[i], boosted[i])
		}
	}
	own, err := s.Complete([]Query{{Node: query.Match{Text: "w3", Boost: 4}}})
	if err != nil || own[0].Node == nil || own[0].K != query.DefaultK {
		t.Errorf("a node with a boost is completed to %+v, %v", own, err)
	}
}

// The pages of a query, one after the other, are its hits.
func TestAfter(t *testing.T) {
	s, _ := simpleSearcher(t)
	for _, q := range []Query{
		{RawTerms: querytest.Terms("w1", "w4", "w2")}, {RawTerms: querytest.Terms("w1", "w2"), Mode: query.ModeAnd},
		{Node: query.Match{Text: "w1 w7", Boost: 0.5}}, {Text: "w0", Filter: every(0, 800, 3)},
	} {
		q.K = 900
		whole, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, q.K = range []int{1, 10, 100} {
			var hits []Hit
			for q.After = nil; len(hits) < len(whole.Hits); {
				r, err := s.Search(t.Context(), q)
				if err != nil || len(r.Hits) == 0 {
					t.Fatalf("%+v: %d hits, %v", q, len(hits), err)
				}
				hits = append(hits, r.Hits...)
				q.After = &Position{Score: hits[len(hits)-1].Score, Doc: hits[len(hits)-1].Doc}
			}
			if !slices.Equal(hits, whole.Hits) {
				t.Errorf("%+v: %s", q, difference(whole.Hits, hits))
			}
			if r, err := s.Search(t.Context(), q); err != nil || len(r.Hits) > 0 {
				t.Errorf("%+v: %v after the last hit, %v", q, r.Hits, err)
			}
			if n, err := s.Count(t.Context(), q); err != nil || n != uint64(len(whole.Hits)) {
				t.Errorf("%+v: %d matches, %v", q, n, err)
			}
		}
	}
	q := Query{Text: "w1", K: 3, After: &Position{Score: 0, Doc: math.MaxUint32}}
	if r, err := s.Search(t.Context(), q); err != nil || len(r.Hits) > 0 {
		t.Errorf("%v after everything, %v", r.Hits, err)
	}
}

// What a query cannot say is an error that says so.
func TestNodeErrors(t *testing.T) {
	s, _ := simpleSearcher(t)
	one := query.Term{Text: "w1"}
	both := query.Match{Text: "w1 w2"}
	for _, c := range []struct {
		q    Query
		is   error
		says string
	}{
		{Query{Node: one, Text: "w2"}, query.ErrInvalid, "beside Text"},
		{Query{Node: one, RawTerms: querytest.Terms("w2")}, query.ErrInvalid, "beside Text"},
		{Query{Node: one, Mode: query.ModeAnd}, query.ErrInvalid, "mode and"},
		{Query{Node: &one}, query.ErrInvalid, "*query.Term"},
		{Query{Node: query.Bool{Must: []query.Node{one, nil}}}, query.ErrInvalid, "<nil>"},
		{Query{Node: query.Term{Field: "title", Text: "w1"}}, query.ErrInvalid, `field "title"`},
		{Query{Node: query.Match{Field: "title", Text: "w1"}}, query.ErrInvalid, `field "title"`},
		{Query{Node: query.Match{Text: "w1", Mode: 7}}, query.ErrInvalid, "mode(7)"},
		{Query{Node: query.Match{Text: "w1", Boost: -1}}, query.ErrInvalid, `boost is -1, not above 0 and up to 1e+06: "w1"`},
		{Query{Node: query.Term{Text: "w1", Boost: math.NaN()}}, query.ErrInvalid, "NaN"},
		{Query{Node: query.Term{Text: "w1", Boost: 2 * query.MaxBoost}}, query.ErrInvalid, "2e+06"},
		{Query{Node: with(both, query.ModeAndOr), After: &Position{Score: 1, Doc: 1}}, query.ErrInvalid, "depend on K"},
		{Query{Text: "w1", Mode: query.ModeAndOr, After: &Position{Score: 1, Doc: 1}}, query.ErrInvalid, "depend on K"},
		{Query{Text: "w1", After: &Position{Score: -1, Doc: 1}}, query.ErrInvalid, "score -1"},
		{Query{Text: "w1", After: &Position{Score: float32(math.NaN()), Doc: 1}}, query.ErrInvalid, "score NaN"},
	} {
		_, err := s.Search(context.Background(), c.q)
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%+v: %v, want %v that says %q", c.q, err, c.is, c.says)
		}
	}
	if _, err := s.Count(t.Context(), Query{Node: with(both, query.ModeAndOr)}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("count of and-or: %v", err)
	}
}

func with(m query.Match, mode query.Mode) query.Match { m.Mode = mode; return m }
