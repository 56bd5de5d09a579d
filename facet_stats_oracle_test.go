package pinion_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// logged is a document of a log, with what it has in each field, ascending.
type logged struct {
	word   string
	fields map[string][]any
}

var loggedSchema = &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}, {Name: "service", Kind: schema.Keyword, Column: true},
	{Name: "latency", Kind: schema.Integer, Column: true}, {Name: "cost", Kind: schema.Float, Column: true},
	{Name: "time", Kind: schema.Time, Unit: schema.UnitMillisecond, Column: true}}}

func drawLogged(rng *rand.Rand) logged {
	d := logged{[]string{"get", "put"}[rng.IntN(2)], map[string][]any{}}
	add := func(field string, one func() any) {
		for range []int{0, 1, 1, 1, 1, 2}[rng.IntN(6)] {
			if v := one(); !slices.Contains(d.fields[field], v) {
				d.fields[field] = append(d.fields[field], v)
			}
		}
		slices.SortFunc(d.fields[field], compareAny)
	}
	add("service", func() any { return string(rune('a' + rng.IntN(4))) })
	add("latency", func() any {
		if rng.IntN(9) == 0 {
			return int64(rng.Uint64())
		}
		return rng.Int64N(300)
	})
	add("cost", func() any {
		if rng.IntN(9) == 0 {
			return (rng.Float64() - 0.5) * math.Pow(2, float64(rng.IntN(1800)-900))
		}
		return float64(rng.IntN(100)) / 10
	})
	add("time", func() any { return time.UnixMilli(rng.Int64N(7 * 86400e3)).UTC() })
	return d
}

func compareAny(a, b any) int {
	switch x := a.(type) {
	case string:
		return cmp.Compare(x, b.(string))
	case int64:
		return cmp.Compare(x, b.(int64))
	case float64:
		return cmp.Compare(x, b.(float64))
	}
	return a.(time.Time).Compare(b.(time.Time))
}

// restriction is a part of a filter, and what passes it.
type restriction struct {
	field string
	node  query.Node
	is    func(logged) bool
}

func anyOf(field string, is func(v any) bool) func(logged) bool {
	return func(d logged) bool { return slices.ContainsFunc(d.fields[field], is) }
}

func restrictions(rng *rand.Rand) (all []restriction) {
	least := rng.Int64N(200)
	for _, r := range []restriction{
		{"service", query.In{Field: "service", Values: []any{"a", "c"}}, anyOf("service", func(v any) bool { return v == "a" || v == "c" })},
		{"latency", query.Not{Node: query.AtLeast("latency", least)}, func(d logged) bool {
			return !anyOf("latency", func(v any) bool { return v.(int64) >= least })(d)
		}},
		{"latency", query.Exists{Field: "latency"}, func(d logged) bool { return len(d.fields["latency"]) > 0 }},
		{"cost", query.AtMost("cost", 7.5), anyOf("cost", func(v any) bool { return v.(float64) <= 7.5 })},
		{"", query.Match{Text: "get"}, func(d logged) bool { return d.word == "get" }},
		{"", query.Or{query.Equal("service", "b"), query.Exists{Field: "cost"}}, func(d logged) bool {
			return slices.Contains(d.fields["service"], any("b")) || len(d.fields["cost"]) > 0
		}},
	} {
		if rng.IntN(2) == 0 {
			all = append(all, r)
		}
	}
	return all
}

// filterOf returns restrictions as a filter of some form.
func filterOf(rng *rand.Rand, all []restriction) query.Node {
	var nodes []query.Node
	for _, r := range all {
		nodes = append(nodes, r.node)
	}
	switch n := len(nodes); {
	case n == 0:
		return nil
	case n == 1:
		return nodes[0]
	case rng.IntN(2) == 0:
		return query.And(nodes)
	default:
		return query.Bool{Must: nodes[:n/2], Filter: nodes[n/2:]}
	}
}

func drawStats(rng *rand.Rand) (all []pinion.Stat) {
	for range rng.IntN(3) {
		s := pinion.Stat{Field: loggedSchema.Fields[1+rng.IntN(4)].Name, Distinct: rng.IntN(2) == 0}
		if s.Field == "latency" || s.Field == "cost" {
			s.Percentiles = [][]float64{nil, {50}, {0, 12.5, 99.9, 100}}[rng.IntN(3)]
		}
		all = append(all, s)
	}
	return all
}

func drawFacet(rng *rand.Rand, top bool) (f pinion.Facet) {
	f.Stats = drawStats(rng)
	if top && rng.IntN(5) == 0 && len(f.Stats) > 0 {
		return f
	}
	switch f.Field = loggedSchema.Fields[1+rng.IntN(4)].Name; {
	case f.Field == "service":
		f.Limit = rng.IntN(4)
	case rng.IntN(2) == 0 && f.Field == "latency":
		f.Ranges = []pinion.Range{{Max: 100}, {Min: 50, Max: 250, WithMax: true}, {Min: 300, AboveMin: true}}
	case f.Field == "latency":
		f.Width = 64
	case f.Field == "cost":
		f.Width = 2.5
	default:
		f.Every = 24 * time.Hour
	}
	if top {
		f.IgnoreOwn = rng.IntN(2) == 0
		for range rng.IntN(3) {
			f.Facets = append(f.Facets, drawFacet(rng, false))
		}
	}
	return f
}

// wantCounts are the counts of a facet, by brute force. Percentiles are exact.
func wantCounts(f *pinion.Facet, docs []logged) pinion.FacetCounts {
	want := pinion.FacetCounts{Field: f.Field}
	if f.Field == "" {
		want.Stats = wantStats(f.Stats, docs)
		return want
	}
	in := map[any][]logged{}
	for _, d := range docs {
		if len(d.fields[f.Field]) == 0 {
			want.Missing++
		}
		seen := map[any]bool{}
		for _, v := range d.fields[f.Field] {
			for _, b := range bucketsOf(f, v) {
				if !seen[b] {
					seen[b], in[b] = true, append(in[b], d)
				}
			}
		}
	}
	for b := range in {
		want.Counts = append(want.Counts, pinion.FacetCount{Value: b})
	}
	if f.Ranges != nil {
		want.Counts = nil
		for _, r := range f.Ranges {
			want.Counts = append(want.Counts, pinion.FacetCount{Value: r})
		}
	} else {
		slices.SortFunc(want.Counts, func(a, b pinion.FacetCount) int {
			if f.Field == "service" && len(in[a.Value]) != len(in[b.Value]) {
				return len(in[b.Value]) - len(in[a.Value])
			}
			return compareAny(a.Value, b.Value)
		})
		if f.Field == "service" {
			want.Counts = want.Counts[:min(len(want.Counts), cmp.Or(f.Limit, query.DefaultK))]
		}
	}
	for i := range want.Counts {
		c := &want.Counts[i]
		own := in[c.Value]
		c.Count, c.Stats = uint64(len(own)), wantStats(f.Stats, own)
		for k := range f.Facets {
			c.Facets = append(c.Facets, wantCounts(&f.Facets[k], own))
		}
	}
	return want
}

func bucketsOf(f *pinion.Facet, v any) (all []any) {
	switch x := v.(type) {
	case int64:
		for _, r := range f.Ranges {
			if (r.Min == nil || x > int64(r.Min.(int)) || x == int64(r.Min.(int)) && !r.AboveMin) && (r.Max == nil || x < int64(r.Max.(int)) || x == int64(r.Max.(int)) && r.WithMax) {
				all = append(all, r)
			}
		}
		if f.Width > 0 {
			n := big.NewInt(x)
			w := big.NewInt(int64(f.Width))
			if n.Div(n, w).Mul(n, w); !n.IsInt64() {
				return []any{int64(math.MinInt64)}
			}
			return []any{n.Int64()}
		}
		return all
	case float64:
		n := new(big.Float).SetPrec(4000).SetFloat64(x)
		n.Quo(n, big.NewFloat(f.Width))
		whole, _ := n.Int(nil)
		if n.Sign() < 0 && new(big.Float).SetPrec(4000).SetInt(whole).Cmp(n) != 0 {
			whole.Sub(whole, big.NewInt(1))
		}
		at, _ := new(big.Float).Mul(new(big.Float).SetPrec(4000).SetInt(whole), big.NewFloat(f.Width)).Float64()
		if math.Abs(x) > 1e15 { // multiples of the width are no floats of their own there
			at = x
		}
		return []any{at}
	case time.Time:
		return []any{x.Truncate(f.Every)}
	}
	return []any{v}
}

func wantStats(stats []pinion.Stat, docs []logged) (all []pinion.Stats) {
	for _, s := range stats {
		var values []any
		for _, d := range docs {
			values = append(values, d.fields[s.Field]...)
		}
		slices.SortFunc(values, compareAny)
		want := pinion.Stats{Count: uint64(len(values))}
		if s.Distinct {
			want.Distinct = uint64(len(slices.Compact(slices.Clone(values))))
		}
		if s.Field != "service" && len(values) > 0 {
			want.Min, want.Max = values[0], values[len(values)-1]
			sum := new(big.Rat)
			for _, v := range values {
				switch x := v.(type) {
				case int64:
					sum.Add(sum, new(big.Rat).SetInt64(x))
				case float64:
					sum.Add(sum, new(big.Rat).SetFloat64(x))
				case time.Time:
					sum.Add(sum, big.NewRat(x.UnixMilli(), 1000))
				}
			}
			want.Sum, _ = sum.Float64()
			want.Mean, _ = sum.Quo(sum, big.NewRat(int64(len(values)), 1)).Float64()
			for _, p := range s.Percentiles {
				rank := max(1, int(math.Ceil(p*float64(len(values))/100)))
				switch x := values[rank-1].(type) {
				case int64:
					want.Percentiles = append(want.Percentiles, float64(x))
				case float64:
					want.Percentiles = append(want.Percentiles, x)
				}
			}
		}
		all = append(all, want)
	}
	return all
}

// differ returns where counts are not those that are wanted, or "".
func differ(got, want pinion.FacetCounts) string {
	if got.Field != want.Field || got.Missing != want.Missing || len(got.Counts) != len(want.Counts) {
		return fmt.Sprintf("%d counts in %q, %d missing; want %d in %q, %d", len(got.Counts), got.Field, got.Missing, len(want.Counts), want.Field, want.Missing)
	}
	if d := differStats(got.Stats, want.Stats); d != "" {
		return d
	}
	for i := range got.Counts {
		a, b := &got.Counts[i], &want.Counts[i]
		if a.Value != b.Value || a.Count != b.Count || len(a.Facets) != len(b.Facets) {
			return fmt.Sprintf("%v: %d, want %v: %d", a.Value, a.Count, b.Value, b.Count)
		}
		if d := differStats(a.Stats, b.Stats); d != "" {
			return fmt.Sprintf("%v: %s", a.Value, d)
		}
		for k := range a.Facets {
			if d := differ(a.Facets[k], b.Facets[k]); d != "" {
				return fmt.Sprintf("%v: %s", a.Value, d)
			}
		}
	}
	return ""
}

func differStats(got, want []pinion.Stats) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d of %d stats", len(got), len(want))
	}
	for i := range got {
		a, b := &got[i], &want[i]
		same := a.Count == b.Count && a.Min == b.Min && a.Max == b.Max && a.Sum == b.Sum && a.Mean == b.Mean && a.Distinct == b.Distinct && len(a.Percentiles) == len(b.Percentiles)
		for k := range a.Percentiles {
			same = same && math.Abs(a.Percentiles[k]-b.Percentiles[k]) <= pinion.PercentileError*math.Abs(b.Percentiles[k])
		}
		if !same {
			return fmt.Sprintf("%+v, want %+v", *a, *b)
		}
	}
	return ""
}
