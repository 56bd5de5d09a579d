package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// boosted returns a searcher over documents whose title has a boost in the schema.
func boosted(t *testing.T, boost float64) *search.Searcher {
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Boost: boost}, {Name: "body", Kind: schema.Text}, {Name: "a^2", Kind: schema.Text},
	}}})
	for d := range 60 {
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{
			schema.TextValue(0, []byte(strings.Repeat("rose ", d%4)+strings.Repeat("vase ", d%3))),
			schema.TextValue(1, []byte(strings.Repeat("vase ", d%5)+strings.Repeat("rose ", d%7)+"x")), schema.TextValue(2, []byte("tulip")),
		}}))
	}
	l.Do(l.Commit(t.Context()))
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Boosts of Match.Fields are as good as those of a schema, to the bit, in any order and mode.
func TestMatchFields(t *testing.T) {
	two, three, one := boosted(t, 2), boosted(t, 3), boosted(t, 1)
	find := func(s *search.Searcher, n query.Node) []search.Hit {
		t.Helper()
		hits, err := s.AppendHits(t.Context(), nil, &search.Query{Node: n, K: 100})
		if err != nil || len(hits) == 0 {
			t.Fatal(hits, err)
		}
		return hits
	}
	for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd} {
		in := func(s *search.Searcher, fields ...string) []search.Hit {
			m := query.Match{Text: "rose vase", Mode: mode, Fields: fields}
			hits := find(s, m)
			if nested := find(s, query.Bool{Must: []query.Node{query.All{Score: query.Zero}, m}}); !slices.Equal(nested, hits) {
				t.Errorf("%v %v: within a Bool %v, alone %v", mode, fields, nested, hits)
			}
			return hits
		}
		want := in(three, "title", "body")
		for _, got := range [][]search.Hit{in(two, "title^3", "body"), in(one, "body", "title^3"), in(one, "body^1", "title^3.0"), in(three, "title^3", "body")} {
			if !slices.Equal(got, want) {
				t.Errorf("%v: %v, want %v", mode, got, want)
			}
		}
		if got := in(two, "title^2", "body", "a^2"); !slices.Equal(got, find(two, query.Match{Text: "rose vase", Mode: mode})) {
			t.Errorf("%v: the boosts of the schema give other hits", mode)
		}
		if slices.Equal(in(two, "title", "body"), want) {
			t.Errorf("%v: boosts have no effect", mode)
		}
	}
	for says, m := range map[string]query.Match{
		"both the field":              {Field: "body", Fields: []string{"title"}},
		`"title" is twice`:            {Fields: []string{"title", "title^2"}},
		"no number above 0":           {Fields: []string{"title^x"}},
		`"title^0" in Fields`:         {Fields: []string{"title^0"}},
		"the boost is -1":             {Fields: []string{"title^-1"}},
		"the boost is NaN":            {Fields: []string{"title^NaN"}},
		`"none"`:                      {Fields: []string{"none^2"}},
		"over the fields body, title": {Fields: []string{"title", "body"}, Mode: query.ModeAndOr},
	} {
		m.Text = "rose"
		if _, err := two.Search(t.Context(), search.Query{Node: m}); err == nil || !strings.Contains(err.Error(), says) || !errors.Is(err, query.ErrInvalid) && m.Mode == query.ModeOr {
			t.Errorf("%v: %v; it should say %s", m.Fields, err, says)
		}
	}
}
