package pinion_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Facets count by names and values of Go: keywords, ranges that begin with their least value and end before their greatest, buckets where
// Truncate begins them, and of numbers at multiples of a width.
func TestFacets(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text}, {Name: "brand", Kind: schema.Keyword, Column: true}, {Name: "price", Kind: schema.Float, Column: true},
		{Name: "stock", Kind: schema.Integer, Column: true}, {Name: "added", Kind: schema.Time, Unit: schema.UnitMillisecond, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	at := func(text string) time.Time {
		to, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	for i, d := range []map[string]any{
		{"brand": []string{"acme", "apex"}, "price": 10.0, "stock": -1, "added": at("2026-03-01T23:30:00+01:00")}, // a Sunday
		{"brand": "acme", "price": 9.99, "stock": 0, "added": at("2026-03-02T00:00:00Z")},                         // a Monday
		{"brand": "zeta", "price": 49.5, "stock": 9, "added": at("2026-03-08T23:59:59Z")},                         // a Sunday
		{"brand": "apex", "price": 50.0, "stock": 10, "added": at("1969-12-31T23:59:00Z")},                        // a Wednesday
		{},
	} {
		d["title"] = "vase"
		if err := x.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: d}); err != nil {
			t.Fatal(err)
		}
	}
	vase := query.Match{Text: "vase"}
	for _, c := range []struct {
		facet pinion.Facet
		want  string
	}{
		{pinion.Facet{Field: "brand"}, "acme:2 apex:2 zeta:1"},
		{pinion.Facet{Field: "brand", Limit: 1}, "acme:2"},
		{pinion.Facet{Field: "price", Ranges: []pinion.Range{{Max: 10}, {Min: 10, Max: 50}, {Min: 50.0}, {}}}, "(-inf, 10):1 [10, 50):2 [50, inf):1 (-inf, inf):4"},
		{pinion.Facet{Field: "price", Ranges: []pinion.Range{{Min: 10, Max: 50, AboveMin: true, WithMax: true}}}, "(10, 50]:2"},
		{pinion.Facet{Field: "price", Width: 10}, "0:1 10:1 40:1 50:1"},
		{pinion.Facet{Field: "price", Width: 0.5}, "9.5:1 10:1 49.5:1 50:1"},
		{pinion.Facet{Field: "stock", Width: 10}, "-10:1 0:2 10:1"},
		{pinion.Facet{Field: "stock", Ranges: []pinion.Range{{Min: 0, Max: 10}}}, "[0, 10):2"},
		{pinion.Facet{Field: "added", Every: time.Hour}, "1969-12-31T23:00:00Z:1 2026-03-01T22:00:00Z:1 2026-03-02T00:00:00Z:1 2026-03-08T23:00:00Z:1"},
		{pinion.Facet{Field: "added", Every: 24 * time.Hour}, "1969-12-31T00:00:00Z:1 2026-03-01T00:00:00Z:1 2026-03-02T00:00:00Z:1 2026-03-08T00:00:00Z:1"},
		{pinion.Facet{Field: "added", Every: 7 * 24 * time.Hour}, "1969-12-29T00:00:00Z:1 2026-02-23T00:00:00Z:1 2026-03-02T00:00:00Z:2"},
		{pinion.Facet{Field: "added", Ranges: []pinion.Range{{Min: at("2026-03-02T00:00:00Z"), Max: at("2026-03-08T23:59:59Z")}}}, "1"},
	} {
		for range 2 { // the second one from the cache
			p, err := x.Search(t.Context(), pinion.Request{Query: vase, Facets: []pinion.Facet{c.facet}})
			if err != nil || len(p.Facets) != 1 || p.Facets[0].Field != c.facet.Field || p.Facets[0].Missing != 1 || p.Total != 5 {
				t.Fatalf("%+v: %+v, %v", c.facet, p, err)
			}
			if c.facet.Field == "added" && c.facet.Ranges != nil {
				if n := p.Facets[0].Counts[0].Count; fmt.Sprint(n) != c.want {
					t.Errorf("%+v: %d", c.facet, n)
				}
				continue
			}
			if got := counts(p.Facets[0]); got != c.want {
				t.Errorf("%+v\n got %s\nwant %s", c.facet, got, c.want)
			}
		}
	}
	for want, f := range map[string]pinion.Facet{
		`"nosuch": there is no such field`:      {Field: "nosuch"},
		`"title", which is of kind text`:        {Field: "title"},
		"Limit is -1":                           {Field: "brand", Limit: -1},
		"Limit is for keywords":                 {Field: "price", Width: 1, Limit: 3},
		"kind integer is counted by ranges, or": {Field: "stock"},
		"kind time is counted by ranges, or":    {Field: "added"},
		"Every is for times":                    {Field: "stock", Every: 10},
		"Width is for numbers":                  {Field: "added", Width: 10},
		"2.5, not a whole number":               {Field: "stock", Width: 2.5},
		"width NaN":                             {Field: "price", Width: math.NaN()},
		"not a multiple of its unit, 1ms":       {Field: "added", Every: time.Microsecond},
		"more than one of Ranges, Every and":    {Field: "price", Width: 1, Ranges: []pinion.Range{{}}},
		`"cheap"`:                               {Field: "price", Ranges: []pinion.Range{{Max: "cheap"}}},
		"not for keywords":                      {Field: "brand", Ranges: []pinion.Range{{Min: "a"}}},
	} {
		if _, err := x.Search(t.Context(), pinion.Request{Query: vase, Facets: []pinion.Facet{f}}); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want one of %s", f, err, want)
		}
	}
}

// counts returns the counts of a facet, each behind its value.
func counts(f pinion.FacetCounts) string {
	var all []string
	for _, c := range f.Counts {
		value := fmt.Sprint(c.Value)
		if at, ok := c.Value.(time.Time); ok {
			value = at.Format(time.RFC3339)
		}
		all = append(all, fmt.Sprint(value, ":", c.Count))
	}
	return strings.Join(all, " ")
}
