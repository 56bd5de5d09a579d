package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
)

// Figures, facets within facets and those that leave out their own filter are those of the documents, whatever the segments, deletes, merges
// and parts.
func TestFacetStats(t *testing.T) {
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(54, 1))
	open := func() *pinion.Index {
		x, err := pinion.OpenFS(ctx, memfs.New(), pinion.Options{Schema: loggedSchema})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	for range longtest.Count(2, 10) {
		var docs []logged
		parts := []*pinion.Index{open(), open(), open()}
		whole := open()
		perPart := 1 + rng.IntN(300)
		for i := range 2 * perPart { // the last part has none
			d := drawLogged(rng)
			doc := pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": d.word}}
			for name, values := range d.fields {
				doc.Fields[name] = values
			}
			for _, x := range []*pinion.Index{whole, parts[i/perPart]} {
				if err := x.Add(ctx, doc); err != nil {
					t.Fatal(err)
				}
			}
			if rng.IntN(60) == 0 {
				if err := whole.View(ctx, func(*pinion.View) error { return nil }); err != nil { // which publishes a segment
					t.Fatal(err)
				}
			}
			docs = append(docs, d)
		}
		gone := map[int]bool{}
		for range rng.IntN(len(docs)) {
			i := rng.IntN(len(docs))
			for _, x := range []*pinion.Index{whole, parts[i/perPart]} {
				if err := x.Delete(ctx, fmt.Sprint(i)); err != nil && !gone[i] {
					t.Fatal(err)
				}
			}
			gone[i] = true
		}
		var live []logged
		for i, d := range docs {
			if !gone[i] {
				live = append(live, d)
			}
		}
		for range longtest.Count(60, 300) {
			r := pinion.Request{Limit: 3, Total: true}
			in := restrictions(rng)
			if rng.IntN(2) == 0 || len(in) == 0 {
				r.Query = query.Match{Text: "put"}
			}
			r.Filter = filterOf(rng, in)
			for range 1 + rng.IntN(3) {
				r.Facets = append(r.Facets, drawFacet(rng, true))
			}
			passing := func(without string) (all []logged) {
				for _, d := range live {
					if r.Query != nil && d.word != "put" || slices.ContainsFunc(in, func(x restriction) bool {
						return (x.field == "" || x.field != without) && !x.is(d)
					}) {
						continue
					}
					all = append(all, d)
				}
				return all
			}
			var want []pinion.FacetCounts
			for i := range r.Facets {
				without := ""
				if r.Facets[i].IgnoreOwn {
					without = r.Facets[i].Field
				}
				want = append(want, wantCounts(&r.Facets[i], passing(without)))
			}
			check := func(name string, p pinion.Page, err error) {
				if err != nil || len(p.Facets) != len(want) || p.Total != uint64(len(passing(""))) {
					t.Fatalf("%s: %+v: %d facets, total %d, want %d; %v", name, r, len(p.Facets), p.Total, len(passing("")), err)
				}
				for i := range want {
					if d := differ(p.Facets[i], want[i]); d != "" {
						t.Fatalf("%s: %+v: facet %d: %s", name, r, i, d)
					}
				}
			}
			for _, name := range []string{"whole", "from the cache"} {
				p, err := whole.Search(ctx, r)
				check(name, p, err)
			}
			p, err := searchParts(ctx, parts, r)
			check("in parts", p, err)
		}
	}
}

// searchParts returns the page of a collection in parts, whose figures have been bytes.
func searchParts(ctx context.Context, parts []*pinion.Index, r pinion.Request) (pinion.Page, error) {
	of := pinion.Part{Frequencies: new(query.Frequencies)}
	var bases []uint32
	for i, x := range parts {
		bases = append(bases, uint32(1000*i))
		err := x.View(ctx, func(v *pinion.View) error {
			f, err := v.Frequencies(ctx, r.Node())
			return errors.Join(err, of.Collection.Add(v.Collection()), of.Frequencies.Add(f))
		})
		if err != nil {
			return pinion.Page{}, err
		}
	}
	var pages []*pinion.PartPage
	for _, x := range parts {
		err := x.View(ctx, func(v *pinion.View) error {
			p, err := v.SearchPart(ctx, r, of)
			pages = append(pages, &p)
			return errors.Join(err, throughBytes(p.Facets))
		})
		if err != nil {
			return pinion.Page{}, err
		}
	}
	return pinion.MergePages(r, bases, pages)
}

func throughBytes(all []pinion.FacetCounts) error {
	stats := func(own []pinion.Stats) error {
		for i := range own {
			b, err := own[i].MarshalBinary()
			if err != nil {
				return err
			}
			own[i] = pinion.Stats{}
			if err := own[i].UnmarshalBinary(b); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range all {
		if err := stats(all[i].Stats); err != nil {
			return err
		}
		for j := range all[i].Counts {
			c := &all[i].Counts[j]
			if err := errors.Join(stats(c.Stats), throughBytes(c.Facets)); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestFacetStatsMisuse(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: loggedSchema})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	latency := []pinion.Stat{{Field: "latency"}}
	within := []pinion.Facet{{Field: "service"}}
	many := make([]pinion.Stat, query.MaxStats+1)
	for want, f := range map[string]pinion.Facet{
		"there are no Stats":                      {},
		"Every and Width go with a field":         {Every: time.Hour, Stats: latency},
		"Facets and IgnoreOwn go with a field":    {Stats: latency, Facets: within},
		`figures of the field "nosuch"`:           {Stats: []pinion.Stat{{Field: "nosuch"}}},
		`figures of the field "text"`:             {Stats: []pinion.Stat{{Field: "text"}}},
		"the percentile 101":                      {Stats: []pinion.Stat{{Field: "latency", Percentiles: []float64{101}}}},
		"the percentile NaN":                      {Stats: []pinion.Stat{{Field: "latency", Percentiles: []float64{math.NaN()}}}},
		"kind time: they are of numbers":          {Stats: []pinion.Stat{{Field: "time", Percentiles: []float64{50}}}},
		"kind keyword: they are of numbers":       {Stats: []pinion.Stat{{Field: "service", Percentiles: []float64{50}}}},
		"17 Stats, at most 16":                    {Field: "service", Stats: many},
		`within those of the field "service"`:     {Field: "service", Facets: []pinion.Facet{{Field: "service", Facets: within}}},
		"IgnoreOwn of the field":                  {Field: "service", Facets: []pinion.Facet{{Field: "service", IgnoreOwn: true}}},
		"a facet without a field within it":       {Field: "service", Facets: []pinion.Facet{{Stats: latency}}},
		"65 facets, at most 64":                   {Field: "service", Facets: slices.Repeat(within, 64)},
		"kind integer is counted by ranges, or":   {Field: "service", Facets: []pinion.Facet{{Field: "latency"}}},
		"17 percentiles of the field \"latency\"": {Stats: []pinion.Stat{{Field: "latency", Percentiles: make([]float64, 17)}}},
	} {
		_, err := x.Search(t.Context(), pinion.Request{Query: query.All{}, Facets: []pinion.Facet{f}})
		if !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
	var s pinion.Stats
	if err := s.UnmarshalBinary([]byte{1, 99}); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("bytes of no figures: %v", err)
	}
}

// A sum that is beyond the greatest float in each part of a collection is right if that of the whole is not, and each figure is counted for
// itself.
func TestFacetStatsBeyondInParts(t *testing.T) {
	var parts []*pinion.Index
	for i, v := range []float64{math.MaxFloat64, -math.MaxFloat64} {
		x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: loggedSchema})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for j := range 2 {
			if err := x.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i, j), Fields: map[string]any{"text": "a", "cost": v}}); err != nil {
				t.Fatal(err)
			}
		}
		parts = append(parts, x)
	}
	r := pinion.Request{Query: query.All{}, Facets: []pinion.Facet{{Stats: []pinion.Stat{{Field: "cost", Distinct: true}, {Field: "cost", Distinct: true}}}}}
	p, err := searchParts(t.Context(), parts, r)
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Facets[0].Stats[0]; s.Sum != 0 || s.Distinct != 2 || s.Count != 4 {
		t.Errorf("%+v", s)
	}
}

// Sums beyond the greatest float are refused, and sums that come back from there are exact.
func TestFacetStatsBeyond(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: loggedSchema})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	facet := pinion.Request{Query: query.All{}, Facets: []pinion.Facet{{Stats: []pinion.Stat{{Field: "cost"}}}}}
	for i, want := range []any{math.MaxFloat64, nil, math.MaxFloat64, 1e-300} {
		v := []float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64}[i]
		d := pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": "a", "cost": v}}
		if i == 3 {
			d.Fields["cost"] = []float64{v, 1e-300}
		}
		if err := x.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		p, err := x.Search(t.Context(), facet)
		switch {
		case want == nil && (!errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), `sum of the field "cost" is beyond`)):
			t.Errorf("%d: %v", i, err)
		case want != nil && (err != nil || p.Facets[0].Stats[0].Sum != want):
			t.Errorf("%d: %+v, %v", i, p.Facets, err)
		}
	}
}
