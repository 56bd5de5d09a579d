package search_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// shopSchema is shelfSchema with fields that have columns.
func shopSchema() *schema.Schema {
	s := shelfSchema()
	s.Fields = append(s.Fields,
		schema.Field{Name: "price", Kind: schema.Integer, Column: true},
		schema.Field{Name: "stars", Kind: schema.Float, Column: true},
		schema.Field{Name: "sold", Kind: schema.Time, Column: true, Unit: schema.UnitSecond},
		schema.Field{Name: "brand", Kind: schema.Keyword, Column: true},
		schema.Field{Name: "added", Kind: schema.Integer, Column: true},
		schema.Field{Name: "never", Kind: schema.Keyword, Column: true},
	)
	return s
}

// What columns cannot answer is an error that names the field.
func TestColumnsMisuse(t *testing.T) {
	l := querytest.NewLive(t, writer.Options{Schema: shopSchema()})
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	integer, nan := schema.IntegerValue(0, 1), schema.FloatValue(0, math.NaN())
	for _, c := range []struct {
		q    search.Query
		want string
	}{
		{search.Query{Sort: []search.SortBy{{Field: "nosuch"}}}, `"nosuch"`},
		{search.Query{Sort: []search.SortBy{{Field: "year"}}}, `"year"`},
		{search.Query{Sort: []search.SortBy{{Field: "title"}}}, `"title", which is of kind text`},
		{search.Query{Sort: []search.SortBy{{Field: "price"}, {Field: "price"}}}, `"price" to sort by twice`},
		{search.Query{Sort: make([]search.SortBy, 9)}, "at most 8"},
		{search.Query{Sort: []search.SortBy{{Field: "price", Score: true}}}, "with Field or Desc"},
		{search.Query{Sort: []search.SortBy{{Score: true, Desc: true}}}, "with Field or Desc"},
		{search.Query{Sort: []search.SortBy{{Score: true}, {Field: "price"}, {Score: true}}}, "Score to sort by twice"},
		{search.Query{Sort: []search.SortBy{{Score: true}}, SortAfter: &search.SortPosition{Values: []schema.Value{integer}}}, "no score"},
		{search.Query{Sort: []search.SortBy{{Score: true}}, SortAfter: &search.SortPosition{Values: []schema.Value{nan}}}, "no score"},
		{search.Query{Sort: []search.SortBy{{Field: "price"}}, After: &search.Position{}}, "SortAfter"},
		{search.Query{SortAfter: &search.SortPosition{}}, "SortAfter without Sort"},
		{search.Query{Sort: []search.SortBy{{Field: "price"}}, SortAfter: &search.SortPosition{}}, "0 values"},
		{search.Query{Sort: []search.SortBy{{Field: "stars"}}, SortAfter: &search.SortPosition{Values: []schema.Value{integer}}}, `"stars"`},
		{search.Query{Sort: []search.SortBy{{Field: "stars"}}, SortAfter: &search.SortPosition{Values: []schema.Value{nan}}}, "NaN"},
		{search.Query{Facets: []search.Facet{{Field: "title"}}}, `"title"`},
		{search.Query{Facets: []search.Facet{{Field: "price"}}}, `"price"`},
		{search.Query{Facets: []search.Facet{{Field: "stars", Every: 1}}}, "kind float has buckets of some Width"},
		{search.Query{Facets: []search.Facet{{Field: "brand", Every: 1}}}, "keywords"},
		{search.Query{Facets: []search.Facet{{Field: "brand", Limit: -1}}}, "-1"},
		{search.Query{Facets: []search.Facet{{Field: "price", Every: -1}}}, "-1"},
		{search.Query{Facets: []search.Facet{{Field: "price", Width: 2.5}}}, "2.5, not a whole number"},
		{search.Query{Facets: []search.Facet{{Field: "price", Width: -2}}}, "width -2"},
		{search.Query{Facets: []search.Facet{{Field: "stars", Width: math.Inf(1)}}}, "width +Inf"},
		{search.Query{Facets: []search.Facet{{Field: "stars", Width: math.NaN()}}}, "width NaN"},
		{search.Query{Facets: []search.Facet{{Field: "stars", Width: 1, Every: 1}}}, "more than one of"},
		{search.Query{Facets: []search.Facet{{Field: "stars", Width: 1, Ranges: []query.Range{{}}}}}, "more than one of"},
		{search.Query{Facets: []search.Facet{{Field: "sold", Width: 1}}}, "Width is for numbers"},
		{search.Query{Facets: []search.Facet{{Field: "sold"}}}, "kind time is counted by ranges"},
		{search.Query{Facets: []search.Facet{{Field: "brand", Width: 1}}}, "not for keywords"},
		{search.Query{Facets: []search.Facet{{Field: "price", Width: 1, Limit: 1}}}, "Limit is for keywords"},
		{search.Query{Facets: []search.Facet{{Field: "sold", Every: 1500 * time.Millisecond}}}, "1.5s"},
		{search.Query{Facets: []search.Facet{{Field: "price", Ranges: []query.Range{{Min: nan}}}}}, `"price"`},
		{search.Query{Facets: []search.Facet{{Field: "stars", Ranges: []query.Range{{Max: nan}}}}}, "NaN"},
		{search.Query{Facets: []search.Facet{{Field: "stars", Ranges: []query.Range{{Field: "price"}}}}}, `"price"`},
		{search.Query{Collapse: "notes"}, `"notes"`},
		{search.Query{Collapse: "brand", Mode: query.ModeAndOr}, "and-or"},
		{search.Query{Static: &search.Static{Field: "nosuch"}}, `"nosuch"`},
		{search.Query{Static: &search.Static{Field: "year"}}, `"year"`},
		{search.Query{Static: &search.Static{Field: "price"}}, `"price", which is of kind integer`},
		{search.Query{Static: &search.Static{Field: "stars", Boost: -1}}, `"stars" with the boost -1`},
		{search.Query{Static: &search.Static{Field: "stars", Boost: math.NaN()}}, `"stars" with the boost NaN`},
		{search.Query{Static: &search.Static{Field: "stars", Boost: 1e7}}, "1e+07"},
		{search.Query{Static: &search.Static{Field: "stars"}, Sort: []search.SortBy{{Field: "price"}}}, `"stars" with Sort`},
	} {
		if c.q.Mode == query.ModeOr {
			c.q.Node = query.All{}
		}
		_, err := s.Search(t.Context(), c.q)
		if !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want one of %s", c.q, err, c.want)
		}
	}
	plain, err := search.NewSearcher(querytest.Index(t, [][]string{{"a"}}, nil), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.Search(t.Context(), search.Query{Text: "a", Sort: []search.SortBy{{Field: "price"}}}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("sorted without a schema: %v", err)
	}
}
