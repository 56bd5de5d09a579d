package pinion_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Request.Filter restricts hits, totals and facets as Bool.Filter does, and leaves scores as they are. DeleteWhere takes nodes
// of values of Go, and refuses those that only searches know.
func TestRequestFilter(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text}, {Name: "brand", Kind: schema.Keyword, Column: true}, {Name: "price", Kind: schema.Float, Column: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i, text := range []string{"rose vase", "vase", "tulip vase", "rose"} {
		d := pinion.Doc{ID: string(rune('a' + i)), Values: []schema.Value{schema.TextValue(0, []byte(text)),
			schema.KeywordValue(1, []byte([]string{"acme", "apex"}[i%2])), schema.FloatValue(2, float64(i))}}
		if err := x.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	search := func(r pinion.Request) pinion.Page {
		t.Helper()
		r.Facets = []pinion.Facet{{Field: "brand"}}
		p, err := x.Search(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	ids := func(p pinion.Page) (s string) {
		for _, h := range p.Hits {
			s += string(h.ID)
		}
		return s
	}
	vase := query.Match{Text: "rose vase"}
	all := search(pinion.Request{Query: vase})
	for _, c := range []struct {
		filter query.Node
		want   string
	}{
		{query.Equal("brand", "acme"), "ac"},
		{query.Equal("brand", "apex"), "bd"},
		{query.And{query.Between("price", 1, 2), query.Equal("brand", "acme")}, "c"},
		{query.Or{query.Below("price", 1), query.IDs{"d", "x"}}, "ad"},
		{query.Not{Node: query.Match{Text: "tulip"}}, "abd"},
		{query.Match{Text: "vase"}, "abc"},
		{query.In{Field: "brand"}, ""},
	} {
		for range 2 { // the second one from the cache
			p := search(pinion.Request{Query: vase, Filter: c.filter})
			want := slices.DeleteFunc(slices.Clone(all.Hits), func(h pinion.Hit) bool { return !strings.Contains(c.want, string(h.ID)) })
			if len(want) != len(c.want) || p.Total != uint64(len(want)) || p.Facets[0].Missing != 0 ||
				!slices.EqualFunc(p.Hits, want, func(a, b pinion.Hit) bool { return string(a.ID) == string(b.ID) && a.Score == b.Score }) {
				t.Errorf("%v: %v, want %v", c.filter, p.Hits, want)
			}
			alone := search(pinion.Request{Filter: query.And{vase, c.filter}})
			if len(alone.Hits) != len(want) || slices.ContainsFunc(alone.Hits, func(h pinion.Hit) bool { return h.Score != 0 }) {
				t.Errorf("%v alone: %v", c.filter, alone.Hits)
			}
			both := search(pinion.Request{Query: query.And{c.filter, vase}})
			if _, match := c.filter.(query.Match); ids(both) != ids(p) && !match {
				t.Errorf("%v: And has %s, want %s", c.filter, ids(both), ids(p))
			}
		}
	}
	if _, err := x.Search(t.Context(), pinion.Request{Query: vase, Filter: query.Equal("price", "cheap")}); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), `"cheap"`) {
		t.Error(err)
	}
	for _, n := range []query.Node{vase, query.Not{Node: vase}, query.Equal("price", "cheap"), nil} {
		if _, err := x.DeleteWhere(t.Context(), n); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%v: %v", n, err)
		}
	}
	if n, err := x.DeleteWhere(t.Context(), query.Or{query.Equal("brand", "acme"), query.AtLeast("price", 3)}); n != 3 || err != nil {
		t.Error(n, err)
	}
	if p := search(pinion.Request{Query: vase}); ids(p) != "b" {
		t.Errorf("left %s", ids(p))
	}
}

// A Match of ModeAndOr under any Filter has the hits with all words if there are as many as the page takes, and else those with one.
func TestFilterAndOr(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text}, {Name: "brand", Kind: schema.Keyword, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i, text := range []string{"rose vase", "rose", "vase blue", "tulip", "rose vase blue"} {
		if err := x.Add(t.Context(), pinion.Doc{ID: string(rune('a' + i)), Fields: map[string]any{"title": text, "brand": text[:1]}}); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(r pinion.Request) string {
		t.Helper()
		p, err := x.Search(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range p.Hits {
			ids = append(ids, h.ID)
		}
		slices.Sort(ids)
		return strings.Join(ids, "")
	}
	m := query.Match{Text: "rose vase", Mode: query.ModeAndOr}
	blue := query.Term{Field: "title", Text: "blue"}
	for _, c := range []struct {
		filter       query.Node
		one, several string // pages of one hit, and of as many as there are
	}{
		{query.Equal("brand", "r"), "a", "abe"},
		{blue, "e", "ce"},
		{query.Not{Node: blue}, "a", "ab"},
		{query.Term{Field: "title", Text: "tulip"}, "", ""},
		{query.And{query.Equal("brand", "v"), blue}, "c", "c"},
	} {
		if got := ids(pinion.Request{Query: m, Filter: c.filter, Limit: 1}); got != c.one {
			t.Errorf("%v: the first is %s, want %s", c.filter, got, c.one)
		}
		if got := ids(pinion.Request{Query: m, Filter: c.filter}); got != c.several {
			t.Errorf("%v: %s, want %s", c.filter, got, c.several)
		}
	}
	for _, r := range []pinion.Request{{Total: true}, {Sort: []pinion.Sort{{Field: "brand"}}}, {After: &pinion.After{}}, {Collapse: "brand"}} {
		r.Query, r.Filter = m, blue
		if _, err := x.Search(t.Context(), r); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
