package pinion_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// A ware is a document of TestGroups: its values by field, each several, one or none.
type ware struct {
	id     string
	text   string
	brands []string
	prices []int64
	sold   time.Time
	weight float64
}

func (w *ware) doc() pinion.Doc {
	return pinion.Doc{ID: w.id, Fields: map[string]any{"body": w.text, "brand": w.brands, "price": w.prices, "sold": w.sold, "weight": w.weight}}
}

// least returns the value that a ware is grouped by, nil if it has none.
func (w *ware) least(field string) any {
	switch field {
	case "brand":
		if len(w.brands) > 0 {
			return slices.Min(w.brands)
		}
		return nil
	case "price":
		if len(w.prices) > 0 {
			return slices.Min(w.prices)
		}
		return nil
	case "sold":
		return w.sold
	}
	return w.weight
}

func wareSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "body", Kind: schema.Text, Stored: true}, {Name: "brand", Kind: schema.Keyword, Index: schema.IndexDocs, Column: true},
		{Name: "price", Kind: schema.Integer, Column: true}, {Name: "sold", Kind: schema.Time, Unit: schema.UnitMillisecond, Column: true},
		{Name: "weight", Kind: schema.Float, Column: true},
	}}
}

// drawWares draws wares with few values, some of which need quotes in a filter.
func drawWares(rng *rand.Rand, n int) []ware {
	brands := []string{"", "acme", "a b", `q"uo\te`, "\xff\x00", "naïve", "and", "*"}
	all := make([]ware, n)
	for i := range all {
		w := &all[i]
		w.id = fmt.Sprintf("d%03d", i)
		for range 1 + rng.IntN(6) {
			w.text += fmt.Sprintf("w%d ", min(rng.IntN(12), rng.IntN(12)))
		}
		for range rng.IntN(3) {
			w.brands = append(w.brands, brands[rng.IntN(len(brands))])
		}
		for range rng.IntN(3) {
			w.prices = append(w.prices, int64(rng.IntN(9)-4)<<(20*rng.IntN(3)))
		}
		w.sold = time.UnixMilli(int64(rng.IntN(4)) * 1234567890123).UTC()
		w.weight = []float64{0.1, 1e-300, 3, 1.0 / 3}[rng.IntN(4)]
	}
	return all
}

// checkGroups compares the groups of a page with what the matches of its request, all of them in one list, say.
func checkGroups(t *testing.T, r pinion.Request, page pinion.Page, matches []pinion.Hit, wares map[string]*ware) {
	t.Helper()
	groups := map[any][]pinion.Hit{}
	var order []any
	for _, h := range matches {
		v := wares[h.ID].least(r.Collapse)
		if v == nil {
			v = &h
		}
		if groups[v] == nil {
			order = append(order, v)
		}
		groups[v] = append(groups[v], h)
	}
	order = order[min(r.Offset, len(order)):]
	if want := min(len(order), cmp.Or(r.Limit, query.DefaultK)); len(page.Hits) != want {
		t.Fatalf("%+v: %d groups, want %d", r, len(page.Hits), want)
	}
	for i, h := range page.Hits {
		all := groups[order[i]]
		if h.ID != all[0].ID || h.Score != all[0].Score || h.Group == nil {
			t.Fatalf("%+v: hit %d is %q with %v, %v, want %q", r, i, h.ID, h.Score, h.Group, all[0].ID)
		}
		if _, alone := order[i].(*pinion.Hit); alone != (h.Group.Value == nil) || !alone && h.Group.Value != order[i] {
			t.Fatalf("%+v: hit %d is of the group %v, want %v", r, i, h.Group.Value, order[i])
		}
		if len(r.Group.Sort) > 0 {
			all = slices.Clone(all)
			slices.SortFunc(all, func(a, b pinion.Hit) int {
				c := cmp.Compare(wares[b.ID].weight, wares[a.ID].weight)
				if r.Group.Sort[0].Score {
					c = cmp.Or(cmp.Compare(b.Score, a.Score), c)
				}
				return cmp.Or(c, cmp.Compare(a.Doc, b.Doc))
			})
		}
		most := all[:min(len(all), cmp.Or(r.Group.Limit, pinion.DefaultGroup))]
		got := h.Group.Hits
		if h.Group.Total != uint64(len(all)) || len(got) != len(most) {
			t.Fatalf("%+v: group %v has %d of %d hits, want %d of %d", r, h.Group.Value, len(got), h.Group.Total, len(most), len(all))
		}
		for k := range got {
			if got[k].ID != most[k].ID || (len(r.Group.Sort) == 0 || r.Group.Sort[0].Score) && got[k].Score != most[k].Score || got[k].Group != nil {
				t.Fatalf("%+v: group %v has %q with %v at %d, want %q with %v", r, h.Group.Value, got[k].ID, got[k].Score, k, most[k].ID, most[k].Score)
			}
		}
	}
}

// drawGrouped draws a request with Group.
func drawGrouped(rng *rand.Rand) pinion.Request {
	r := pinion.Request{Query: query.Match{Text: fmt.Sprintf("w%d w%d", rng.IntN(12), rng.IntN(12))}, Limit: rng.IntN(9), Total: rng.IntN(2) == 0,
		Collapse: []string{"brand", "price", "sold", "weight"}[rng.IntN(4)], Group: &pinion.Group{Limit: rng.IntN(6)}}
	if rng.IntN(3) == 0 {
		r.Filter = query.AtLeast("price", 0)
	}
	if rng.IntN(4) == 0 {
		r.Facets = []pinion.Facet{{Field: "brand"}}
	}
	switch rng.IntN(5) {
	case 0:
		r.Group.Sort = []pinion.Sort{{Field: "weight", Desc: true}}
		if rng.IntN(2) == 0 {
			r.Group.Sort = append([]pinion.Sort{{Score: true}}, r.Group.Sort...)
		}
	case 1:
		r.Sort = []pinion.Sort{{Field: "sold"}}
	case 2:
		r.Static = &pinion.Static{Field: "weight", Boost: 2}
	case 3:
		r.Offset = rng.IntN(4)
	}
	return r
}

// Groups of one index, and of two parts that are merged, are those that a list of all matches has.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 4))
	ctx := t.Context()
	open := func() *pinion.Index {
		x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: wareSchema()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	all := drawWares(rng, 240)
	wares := map[string]*ware{}
	whole, parts := open(), []*pinion.Index{open(), open()}
	for i := range all {
		wares[all[i].id] = &all[i]
		for _, x := range []*pinion.Index{whole, parts[i/120]} {
			if err := x.Add(ctx, all[i].doc()); err != nil {
				t.Fatal(err)
			}
		}
		if i%50 == 49 {
			if err := whole.Sync(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 200 {
		r := drawGrouped(rng)
		page, err := whole.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		plain := r
		plain.Collapse, plain.Group, plain.Offset, plain.Limit = "", nil, 0, len(all)
		matches, err := whole.Search(ctx, plain)
		if err != nil {
			t.Fatal(err)
		}
		checkGroups(t, r, page, matches.Hits, wares)
		if got := inParts(t, parts, r); !reflect.DeepEqual(groupsOf(got), groupsOf(page)) {
			t.Fatalf("%+v: two parts have %v, one index has %v", r, groupsOf(got), groupsOf(page))
		}
	}
}

// groupsOf returns the hits and groups of a page as text.
func groupsOf(p pinion.Page) (all []string) {
	for _, h := range p.Hits {
		s := fmt.Sprintf("%s %v:", h.ID, h.Score)
		if h.Group.Value != nil {
			s += fmt.Sprintf(" %q", fmt.Sprint(h.Group.Value))
		}
		all = append(all, s)
	}
	return append(all, fmt.Sprint(p.Total, p.Facets))
}

// inParts answers a request by two parts of a collection with 120 documents each.
func inParts(t *testing.T, parts []*pinion.Index, r pinion.Request) pinion.Page {
	t.Helper()
	of := pinion.Part{Frequencies: new(query.Frequencies)}
	pages := make([]*pinion.PartPage, len(parts))
	each := func(f func(i int, v *pinion.View) error) {
		for i, x := range parts {
			if err := x.View(t.Context(), func(v *pinion.View) error { return f(i, v) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	each(func(_ int, v *pinion.View) error {
		f, err := v.Frequencies(t.Context(), r.Node())
		return errors.Join(err, of.Collection.Add(v.Collection()), of.Frequencies.Add(f))
	})
	each(func(i int, v *pinion.View) error {
		p, err := v.SearchPart(t.Context(), r, of)
		pages[i] = &p
		return err
	})
	page, err := pinion.MergePages(r, []uint32{0, 120}, pages)
	if err != nil {
		t.Fatal(err)
	}
	if page.Next() != nil {
		t.Fatalf("%+v goes on after %+v", r, page.Next())
	}
	return page
}

// A group of a request with Fuse and Rescore is what the request finds with the value as a filter.
func TestGroupsRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 5))
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: wareSchema()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, w := range drawWares(rng, 100) {
		if err := x.Add(ctx, w.doc()); err != nil {
			t.Fatal(err)
		}
	}
	match := func() query.Node { return query.Match{Text: fmt.Sprint("w", rng.IntN(12))} }
	for range 50 {
		r := pinion.Request{Collapse: "price", Group: &pinion.Group{Limit: 1 + rng.IntN(5)}, Limit: 5}
		if rng.IntN(2) == 0 {
			r.Fuse = &pinion.Fuse{Lists: []pinion.FuseList{{Query: match()}, {Query: match(), K: 20}}}
		} else {
			r.Query, r.Rescore = match(), &pinion.Rescore{Query: match()}
		}
		page, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range page.Hits {
			if h.Group.Value == nil {
				continue
			}
			one := r
			one.Collapse, one.Group, one.Limit, one.Total = "", nil, r.Group.Limit, true
			one.Filter = query.Bool{Filter: []query.Node{query.Equal("price", h.Group.Value.(int64))}, MustNot: []query.Node{query.Below("price", h.Group.Value.(int64))}}
			want, err := x.Search(ctx, one)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(h.Group.Hits, want.Hits) || h.Group.Total != want.Total {
				t.Fatalf("%+v: group %v has %+v, want %+v", r, h.Group.Value, h.Group, want)
			}
		}
	}
}

func TestGroupMisuse(t *testing.T) {
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: wareSchema()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(ctx, drawWares(rand.New(rand.NewPCG(1, 1)), 1)[0].doc()); err != nil {
		t.Fatal(err)
	}
	for want, r := range map[string]pinion.Request{
		"Group without Collapse":     {Query: query.All{}, Group: &pinion.Group{}},
		"Group of -1 hits":           {Query: query.All{}, Collapse: "price", Group: &pinion.Group{Limit: -1}},
		"beside Rescore or Fuse":     {Query: query.All{}, Collapse: "price", Rescore: &pinion.Rescore{Query: query.All{}}, Group: &pinion.Group{Sort: []pinion.Sort{{Field: "price"}}}},
		`sort by field "nosuch"`:     {Query: query.All{}, Collapse: "price", Group: &pinion.Group{Sort: []pinion.Sort{{Field: "nosuch"}}}},
		`collapse by field "nosuch"`: {Query: query.All{}, Collapse: "nosuch", Group: &pinion.Group{}},
		"fields to sort by, at most": {Query: query.All{}, Collapse: "price", Group: &pinion.Group{Sort: make([]pinion.Sort, query.MaxSort+1)}},
	} {
		if _, err := x.Search(ctx, r); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Search(canceled, pinion.Request{Query: query.All{}, Collapse: "price", Group: &pinion.Group{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
