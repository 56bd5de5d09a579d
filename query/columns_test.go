package query_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/internal/querytest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// shopSchema is shelfSchema with fields that have columns.
func shopSchema() *schema.Schema {
	s := shelfSchema()
	s.Fields = append(s.Fields,
		schema.Field{Name: "price", Kind: schema.KindInteger, Column: true},
		schema.Field{Name: "stars", Kind: schema.KindFloat, Column: true},
		schema.Field{Name: "sold", Kind: schema.KindTime, Column: true, Unit: schema.UnitSecond},
		schema.Field{Name: "brand", Kind: schema.KindKeyword, Column: true},
		schema.Field{Name: "added", Kind: schema.KindInteger, Column: true},
		schema.Field{Name: "never", Kind: schema.KindKeyword, Column: true},
	)
	return s
}

// What columns cannot answer is an error that names the field.
func TestColumnsMisuse(t *testing.T) {
	l := querytest.NewLive(t, writer.Options{Schema: shopSchema()})
	s, err := query.NewSearcher(l.Snapshot(), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	integer, nan := schema.IntegerValue(0, 1), schema.FloatValue(0, math.NaN())
	for _, c := range []struct {
		q    query.Query
		want string
	}{
		{query.Query{Sort: []query.SortBy{{Field: "nosuch"}}}, `"nosuch"`},
		{query.Query{Sort: []query.SortBy{{Field: "year"}}}, `"year"`},
		{query.Query{Sort: []query.SortBy{{Field: "title"}}}, `"title", which is of kind text`},
		{query.Query{Sort: []query.SortBy{{Field: "price"}, {Field: "price"}}}, `"price" to sort by twice`},
		{query.Query{Sort: make([]query.SortBy, 9)}, "at most 8"},
		{query.Query{Sort: []query.SortBy{{Field: "price"}}, After: &query.Position{}}, "SortAfter"},
		{query.Query{SortAfter: &query.SortPosition{}}, "SortAfter without Sort"},
		{query.Query{Sort: []query.SortBy{{Field: "price"}}, SortAfter: &query.SortPosition{}}, "0 values"},
		{query.Query{Sort: []query.SortBy{{Field: "stars"}}, SortAfter: &query.SortPosition{Values: []schema.Value{integer}}}, `"stars"`},
		{query.Query{Sort: []query.SortBy{{Field: "stars"}}, SortAfter: &query.SortPosition{Values: []schema.Value{nan}}}, "NaN"},
		{query.Query{Facets: []query.Facet{{Field: "title"}}}, `"title"`},
		{query.Query{Facets: []query.Facet{{Field: "price"}}}, `"price"`},
		{query.Query{Facets: []query.Facet{{Field: "stars", Every: 1}}}, "floats"},
		{query.Query{Facets: []query.Facet{{Field: "brand", Every: 1}}}, "keywords"},
		{query.Query{Facets: []query.Facet{{Field: "brand", K: -1}}}, "-1"},
		{query.Query{Facets: []query.Facet{{Field: "price", Every: -1}}}, "-1"},
		{query.Query{Facets: []query.Facet{{Field: "price", Every: 1, K: 1}}}, "K is for keywords"},
		{query.Query{Facets: []query.Facet{{Field: "sold", Every: 1500 * int64(time.Millisecond)}}}, "1.5s"},
		{query.Query{Facets: []query.Facet{{Field: "price", Ranges: []query.Range{{Min: nan}}}}}, `"price"`},
		{query.Query{Facets: []query.Facet{{Field: "stars", Ranges: []query.Range{{Max: nan}}}}}, "NaN"},
		{query.Query{Facets: []query.Facet{{Field: "stars", Ranges: []query.Range{{Field: "price"}}}}}, `"price"`},
		{query.Query{Collapse: "notes"}, `"notes"`},
		{query.Query{Collapse: "brand", Mode: query.AndOr}, "and-or"},
		{query.Query{Static: &query.Static{Field: "nosuch"}}, `"nosuch"`},
		{query.Query{Static: &query.Static{Field: "year"}}, `"year"`},
		{query.Query{Static: &query.Static{Field: "price"}}, `"price", which is of kind integer`},
		{query.Query{Static: &query.Static{Field: "stars", Weight: -1}}, `"stars" with the weight -1`},
		{query.Query{Static: &query.Static{Field: "stars", Weight: math.NaN()}}, `"stars" with the weight NaN`},
		{query.Query{Static: &query.Static{Field: "stars", Weight: 1e7}}, "1e+07"},
		{query.Query{Static: &query.Static{Field: "stars"}, Sort: []query.SortBy{{Field: "price"}}}, `"stars" with Sort`},
	} {
		if c.q.Mode == query.Or {
			c.q.Node = query.All{}
		}
		_, err := s.Search(t.Context(), c.q)
		if !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want one of %s", c.q, err, c.want)
		}
	}
	plain, err := query.NewSearcher(querytest.Index(t, [][]string{{"a"}}, nil), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.Search(t.Context(), query.Query{Text: "a", Sort: []query.SortBy{{Field: "price"}}}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("sorted without a schema: %v", err)
	}
}
