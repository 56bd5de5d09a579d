package pinion_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// BenchmarkFacetStats counts the matches of a word that half of a million documents have, over a month of them in no order: by hour
// alone, with figures, and by three chosen values at once; and shows the best of hosts, with three of each.
func BenchmarkFacetStats(b *testing.B) {
	ctx := context.Background()
	x, err := pinion.OpenFS(ctx, memfs.New(), pinion.Options{NoCache: true, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text}, {Name: "service", Kind: schema.Keyword, Column: true}, {Name: "host", Kind: schema.Keyword, Column: true},
		{Name: "latency", Kind: schema.Integer, Column: true}, {Name: "cost", Kind: schema.Float, Column: true},
		{Name: "time", Kind: schema.Time, Unit: schema.UnitMillisecond, Column: true}}}})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(54, 2))
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	docs := make([]pinion.Doc, 0, 10_000)
	for i := range 1_000_000 {
		docs = append(docs, pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": []string{"get", "put"}[rng.IntN(2)],
			"service": fmt.Sprint("s", rng.IntN(20)), "host": fmt.Sprint("h", rng.IntN(200)), "latency": int64(rng.ExpFloat64() * 500),
			"cost": rng.ExpFloat64() * 0.03, "time": begin.Add(time.Duration(rng.Int64N(int64(30 * 24 * time.Hour))))}})
		if len(docs) == cap(docs) {
			if err := x.Add(ctx, docs...); err != nil {
				b.Fatal(err)
			}
			docs = docs[:0]
		}
	}
	hour := func(stats ...pinion.Stat) pinion.Request {
		return pinion.Request{Query: query.Match{Text: "get"}, Limit: 1, Facets: []pinion.Facet{{Field: "time", Every: time.Hour, Stats: stats}}}
	}
	chips := func(ignore bool) pinion.Request {
		return pinion.Request{Query: query.Match{Text: "get"}, Limit: 10, Filter: query.And{query.In{Field: "service", Values: []any{"s1", "s2", "s3"}},
			query.AtLeast("latency", 100), query.AtMost("cost", 0.05)}, Facets: []pinion.Facet{{Field: "service", IgnoreOwn: ignore},
			{Field: "latency", Width: 100, IgnoreOwn: ignore}, {Field: "cost", Width: 0.01, IgnoreOwn: ignore}}}
	}
	for _, c := range []struct {
		name string
		r    pinion.Request
	}{
		{"hours", hour()}, {"hours-control", hour()},
		{"mean-of-integers", hour(pinion.Stat{Field: "latency"})},
		{"mean-of-floats", hour(pinion.Stat{Field: "cost"})},
		{"percentiles", hour(pinion.Stat{Field: "latency", Percentiles: []float64{50, 99}})},
		{"distinct", hour(pinion.Stat{Field: "host", Distinct: true})},
		{"day-by-service", pinion.Request{Query: query.Match{Text: "get"}, Limit: 1, Facets: []pinion.Facet{{Field: "time", Every: 24 * time.Hour,
			Facets: []pinion.Facet{{Field: "service", Stats: []pinion.Stat{{Field: "latency"}}}}}}}},
		{"all", pinion.Request{Query: query.Match{Text: "get"}, Limit: 1, Facets: []pinion.Facet{{Stats: []pinion.Stat{{Field: "latency"}}}}}},
		{"plain-facets", chips(false)}, {"plain-facets-control", chips(false)}, {"chips", chips(true)},
		{"collapse", pinion.Request{Query: query.Match{Text: "get"}, Collapse: "host"}},
		{"group", pinion.Request{Query: query.Match{Text: "get"}, Collapse: "host", Group: &pinion.Group{}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Search(ctx, c.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
