package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

var setSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text, Stored: true},
	{Name: "brand", Kind: schema.Keyword, Column: true},
	{Name: "stock", Kind: schema.Integer, Column: true, Stored: true},
	{Name: "rank", Kind: schema.Float, Column: true},
	{Name: "added", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
}}

// goods are documents of setSchema, in the order in which they are added.
type goods []map[string]any

func drawGoods(r *rand.Rand, n int) (all goods) {
	for range n {
		d := map[string]any{"title": fmt.Sprint("vase ", []string{"blue", "red", "old"}[r.IntN(3)], strings.Repeat(" jar", r.IntN(3))), "brand": fmt.Sprint("b", r.IntN(9))}
		for _, f := range []string{"stock", "rank", "added"} {
			d[f] = drawGood(r, f)
		}
		all = append(all, d)
	}
	return all
}

// drawGood draws values of a field: mostly one, ascending.
func drawGood(r *rand.Rand, field string) any {
	n := int64(r.IntN(1000))
	if r.IntN(40) == 0 {
		return nil
	}
	switch field {
	case "stock":
		if r.IntN(20) == 0 {
			return []int64{n, n + 7}
		}
		return n
	case "rank":
		return float64(n) / 8
	}
	return time.Unix(1e9+3600*n, 0).UTC()
}

// add adds documents from from on to an index.
func (g goods) add(t *testing.T, x *pinion.Index, from int) {
	t.Helper()
	var b pinion.Batch
	for i := from; i < len(g); i++ {
		b.Add(pinion.Doc{ID: fmt.Sprint(i), Fields: g[i]})
	}
	if err := x.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// setRequests ask for all that follows from columns.
func setRequests() (all []pinion.Request) {
	vase := query.Match{Text: "vase blue"}
	day := func(n int64) time.Time { return time.Unix(1e9+3600*n, 0).UTC() }
	for _, f := range []query.Node{nil, query.Range{Field: "stock", Min: 100, Max: 400}, query.Range{Field: "stock", Min: 2000}, query.Range{Field: "rank", Max: 20.5},
		query.Range{Field: "added", Min: day(300), Max: day(310)}, query.In{Field: "stock", Values: []any{5, 77, 613}}, query.Exists{Field: "rank"},
		query.Not{Node: query.Exists{Field: "stock"}}, query.And{query.Range{Field: "rank", Min: 30.0}, query.In{Field: "brand", Values: []any{"b1", "b4"}}}} {
		all = append(all,
			pinion.Request{Query: vase, Filter: f, Limit: 20, Total: true, Fields: []string{"stock", "rank", "added"}},
			pinion.Request{Query: vase, Filter: f, Sort: []pinion.Sort{{Field: "stock", Desc: true}, {Field: "added"}}, Limit: 15, Fields: []string{"title", "stock"}},
			pinion.Request{Query: query.Match{Text: "old"}, Filter: f, Static: &pinion.Static{Field: "rank", Boost: 0.25}, Limit: 20},
			pinion.Request{Query: vase, Filter: f, Facets: []pinion.Facet{{Field: "stock", Width: 50}, {Field: "added", Every: 24 * time.Hour}, {Field: "brand"},
				{Field: "rank", Ranges: []pinion.Range{{Max: 10}, {Min: 10, Max: 100}}}}},
			pinion.Request{Query: vase, Filter: f, Sort: []pinion.Sort{{Field: "rank"}}, Collapse: "stock", Limit: 30},
		)
	}
	return all
}

// answersOf returns the pages of setRequests, each asked for three times: what is kept is kept from the second on.
func answersOf(t *testing.T, search func(context.Context, pinion.Request) (pinion.Page, error)) (all []pinion.Page) {
	t.Helper()
	for i, r := range setRequests() {
		var first pinion.Page
		for again := range 3 {
			p, err := search(t.Context(), r)
			if err != nil {
				t.Fatalf("request %d: %v", i, err)
			}

			if again == 0 {
				first = p
			} else if !reflect.DeepEqual(first.Hits, p.Hits) || !reflect.DeepEqual(first.Facets, p.Facets) {
				t.Fatalf("request %d: asked for again, it has another answer", i)
			}
		}
		all = append(all, first)
	}
	return all
}

func compareAnswers(t *testing.T, when string, got, want []pinion.Page) {
	t.Helper()
	for i := range want {
		g, w := got[i], want[i]
		if !reflect.DeepEqual(g.Hits, w.Hits) || g.Total != w.Total || !reflect.DeepEqual(g.Facets, w.Facets) {
			t.Fatalf("%s: request %d:\n%+v\nwant\n%+v", when, i, g, w)
		}
	}
}

// An index in which values were changed in place answers as one that was made with these values, whatever searches keep; and a view that was
// opened before answers as before.
func TestSetAnswers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 54))
	n, rounds := 9000, 3
	if longtest.Enabled() {
		n, rounds = 20_000, 8
	}
	g := drawGoods(r, n)
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: setSchema})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	g[:n/2].add(t, x, 0)
	if err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.add(t, x, n/2)
	before := answersOf(t, x.Search)
	for round := range rounds {
		err := x.View(t.Context(), func(v *pinion.View) error {
			var b pinion.Batch
			for range []int{3, n / 50, n}[round%3] {
				i := r.IntN(n)
				f := []string{"stock", "rank", "added"}[r.IntN(3)]
				v := drawGood(r, f)
				b.Set(fmt.Sprint(i), f, v)
				d := map[string]any{}
				for k, v := range g[i] {
					d[k] = v
				}
				d[f] = v
				g[i] = d
			}
			b.Set("none", "stock", 1)
			if err := x.Apply(t.Context(), &b); err != nil {
				return err
			}
			if round%2 == 1 {
				if err := x.Sync(t.Context()); err != nil {
					return err
				}
			}
			compareAnswers(t, "a view before", answersOf(t, v.Search), before)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: setSchema})
		if err != nil {
			t.Fatal(err)
		}
		g.add(t, fresh, 0)
		want := answersOf(t, fresh.Search)
		if err := fresh.Close(); err != nil {
			t.Fatal(err)
		}
		got := answersOf(t, x.Search)
		compareAnswers(t, fmt.Sprintf("round %d", round), got, want)
		if reflect.DeepEqual(got, before) {
			t.Fatal("nothing has changed")
		}
		before = got
	}
}

// Set is refused where it cannot be done in place, as a document is, and the rest of the batch with it.
func TestSetRefused(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: setSchema, Order: writer.OrderField("rank", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"stock": 1}}); err != nil {
		t.Fatal(err)
	}
	for want, set := range map[string]struct {
		field string
		value any
	}{
		`"title" cannot be changed in place: it is no column`:        {"title", "new"},
		`"brand" cannot be changed in place: it has keywords`:        {"brand", "b"},
		`"rank" cannot be changed in place: documents are sorted by`: {"rank", 1.5},
		`no field "price"`: {"price", 1},
		`"stock"`:          {"stock", "many"},
	} {
		var b pinion.Batch
		b.Delete("a")
		b.Set("a", set.field, set.value)
		b.Set("a", "title", nil)
		err := x.Apply(t.Context(), &b)
		var bad *writer.ChangeError
		if !errors.As(err, &bad) || bad.Number != 1 || !errors.Is(err, writer.ErrDocument) || !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if n := strings.Count(err.Error(), "title"); n == 0 {
			t.Errorf("%s: the second one is missing: %v", want, err)
		}
	}
	if err := x.Set(t.Context(), "a", "stock", []int{3, 2, 3}); err != nil {
		t.Fatal(err)
	}
	p, err := x.Search(t.Context(), pinion.Request{Filter: query.Exists{Field: "stock"}, Fields: []string{"stock"}})
	if err != nil || len(p.Hits) != 1 || fmt.Sprint(p.Hits[0].Values) != "[2 3]" {
		t.Errorf("%+v, %v", p, err)
	}
}

// In an index of texts alone there is nothing to set, and no text is replaced.
func TestSetOfTexts(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(t.Context(), pinion.Text("a", "old")); err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{nil, "new"} {
		if err := x.Set(t.Context(), "a", "", value); !errors.Is(err, writer.ErrDocument) {
			t.Errorf("%v: %v", value, err)
		}
	}
	if p, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Text: "old"}}); err != nil || len(p.Hits) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}
