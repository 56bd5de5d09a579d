package pinion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// A page behind an offset is the rest of the page without one, sorted or not, also where it ends, and has the same totals.
func TestOffset(t *testing.T) {
	x, err := Open(ctx, t.TempDir(), Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text}, {Name: "price", Kind: schema.Integer, Column: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i := range 30 {
		err := x.Add(ctx, Doc{ID: fmt.Sprint(i), Values: []schema.Value{schema.TextValue(0, []byte(strings.Repeat("rose ", 1+i%7))), schema.IntegerValue(1, int64(i*i%13))}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, sort := range [][]Sort{nil, {{Field: "price", Desc: true}}, {{Field: "price"}, {Score: true}}, {{Score: true}, {Field: "price"}}} {
		r := Request{Query: query.Match{Text: "rose"}, Limit: 100, Sort: sort, Total: true}
		whole, err := x.Search(ctx, r)
		if err != nil || len(whole.Hits) != 30 {
			t.Fatal(len(whole.Hits), err)
		}
		for _, at := range []struct{ offset, limit, want int }{{0, 7, 7}, {7, 7, 7}, {25, 7, 5}, {30, 7, 0}, {90, 7, 0}, {3, 0, 10}} {
			r.Offset, r.Limit = at.offset, at.limit
			page, err := x.Search(ctx, r)
			if err != nil || len(page.Hits) != at.want || page.Total != 30 {
				t.Fatalf("%+v: %d hits of %d, %v", at, len(page.Hits), page.Total, err)
			}
			for i, h := range page.Hits {
				if want := whole.Hits[at.offset+i]; string(h.ID) != string(want.ID) || h.Score != want.Score || fmt.Sprint(h.Sort) != fmt.Sprint(want.Sort) {
					t.Errorf("%+v: hit %d is %s, want %s", at, i, h.ID, want.ID)
				}
			}
			if more := page.Next() != nil; more != (at.want > 0 && at.want == max(at.limit, 7) || at.want == 10) {
				t.Errorf("%+v: there are more: %t", at, more)
			}
		}
	}
}

// An Index, a Reader and a View answer the same, and an Index sees what was added just before.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	x, err := Open(ctx, dir, Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "price", Kind: schema.Integer, Column: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var docs []Doc
	for i := range 150 {
		docs = append(docs, Doc{ID: fmt.Sprint("d", i), Values: []schema.Value{
			schema.TextValue(0, []byte(strings.Repeat("shepherd ", 1+i%2)+fmt.Sprint("shepherds"[:8+i%2]))), schema.IntegerValue(1, int64(i))}})
	}
	if err := x.Add(ctx, docs...); err != nil {
		t.Fatal(err)
	}
	check := func(what string, s Searcher) {
		t.Helper()
		if n := s.Len(); n != 150 {
			t.Errorf("%s: %d documents", what, n)
		}
		if n, err := s.Count(ctx, query.Match{Text: "shepherds"}); n != 75 || err != nil {
			t.Errorf("%s: %d, %v", what, n, err)
		}
		var ids, values []string
		for h, err := range s.All(ctx, query.Match{Text: "shepherds"}) {
			if err != nil {
				t.Fatal(err)
			}
			ids, values = append(ids, string(h.ID)), append(values, fmt.Sprint(h.Values))
		}
		slices.Sort(ids)
		if len(ids) != 75 || len(slices.Compact(ids)) != 75 || !slices.Contains(values, fmt.Sprint([]schema.Value{schema.TextValue(0, []byte("shepherd shepherd shepherds")), schema.IntegerValue(1, 149)})) {
			t.Errorf("%s: %d of All, such as %s", what, len(ids), values[0])
		}
		for range s.All(ctx, query.All{}) {
			break // early
		}
		for _, err := range s.All(ctx, nil) {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: no node: %v", what, err)
			}
		}
		if words, err := s.Suggest(ctx, "title", "SHEP"); fmt.Sprint(words) != "[{shepherd 150} {shepherds 75}]" || err != nil {
			t.Errorf("%s: %v, %v", what, words, err)
		}
		if words, err := s.Similar(ctx, "title", "sheperd"); len(words) == 0 || words[0].Text != "shepherd" || err != nil {
			t.Errorf("%s: %v, %v", what, words, err)
		}
		if _, err := s.Suggest(ctx, "lost", "a"); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: a field that is not there: %v", what, err)
		}
		if f := s.Schema().Fields; len(f) != 2 {
			t.Errorf("%s: %+v", what, f)
		}
	}
	check("index", x)
	if err := x.View(ctx, func(v *View) error { check("view", v); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	check("reader", r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for what, s := range map[string]Searcher{"index": x, "reader": r, "view": new(View), "index zero": new(Index), "reader zero": new(Reader)} {
		if n := s.Len(); n != 0 {
			t.Errorf("closed %s: %d documents", what, n)
		}
		if _, err := s.Count(ended, query.All{}); !errors.Is(err, ErrClosed) && !errors.Is(err, context.Canceled) {
			t.Errorf("closed %s: %v", what, err)
		}
		n := 0
		for _, err := range s.All(ctx, query.All{}) {
			if n++; !errors.Is(err, ErrClosed) {
				t.Errorf("closed %s: %v", what, err)
			}
		}
		if n != 1 {
			t.Errorf("closed %s: %d errors", what, n)
		}
	}
}
