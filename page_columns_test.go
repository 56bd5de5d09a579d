package pinion_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Pages of sorted hits follow one another, also after merges between them, and when the last hit of a page is deleted.
func TestSortedPages(t *testing.T) {
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text},
		{Name: "price", Kind: schema.Integer, Column: true}, {Name: "brand", Kind: schema.Keyword, Column: true}}}})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	defer w.Close()
	rng := rand.New(rand.NewPCG(1, 36))
	type doc struct {
		number int
		price  int64
		brand  string
	}
	var want []doc
	for i := range 300 {
		d := doc{i, rng.Int64N(60), fmt.Sprint("brand", rng.IntN(7))}
		values := []schema.Value{schema.TextValue(0, []byte("rose")), schema.KeywordValue(2, []byte(d.brand))}
		if d.price < 50 {
			values = append(values, schema.IntegerValue(1, d.price))
		} else {
			d.price = 100 // none
		}
		want = append(want, d)
		do(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: values}))
		if i%70 == 69 {
			do(w.Flush(t.Context()))
		}
	}
	slices.SortFunc(want, func(a, b doc) int {
		return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(b.brand, a.brand), cmp.Compare(a.number, b.number))
	})
	request := pinion.Request{Query: query.Match{Text: "rose"}, Limit: 13, Sort: []pinion.Sort{{Field: "price"}, {Field: "brand", Desc: true}},
		Facets: []pinion.Facet{{Field: "brand", Limit: 2}}}
	page := func() (p pinion.Page) {
		do(w.Commit(t.Context()))
		x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		do(err)
		defer x.Close()
		snapshot, err := x.Snapshot()
		do(err)
		defer snapshot.Close()
		s, err := pinion.NewView(snapshot, nil)
		do(err)
		defer s.Close()
		p, err = s.Search(t.Context(), request)
		do(err)
		return p
	}
	for n := 0; ; n++ {
		p := page()
		if int(p.Total) < len(want) || len(p.Facets) != 1 || len(p.Facets[0].Counts) != 2 {
			t.Fatalf("page %d: %d matches, facets %v", n, p.Total, p.Facets)
		}
		for _, h := range p.Hits {
			if string(h.ID) != fmt.Sprint(want[0].number) || len(h.Sort) != 2 || h.Sort[1].String() != want[0].brand ||
				h.Sort[0].Kind == 0 != (want[0].price == 100) || h.Sort[0].Kind != 0 && h.Sort[0].Int() != want[0].price {
				t.Fatalf("page %d has %s %v, want %+v", n, h.ID, h.Sort, want[0])
			}
			want = want[1:]
		}
		request.After = p.Next()
		if request.After == nil {
			break
		}
		switch n {
		case 3:
			_, err := w.Merge(t.Context(), writer.MergeOptions{})
			do(err)
		case 5: // the page begins with what has the same values as the hit that is gone
			do(w.Delete(t.Context(), []byte(request.After.ID)))
			again := page().Hits
			for len(again) > 0 && again[0].Sort[0].Int() == request.After.Sort[0].Int() && again[0].Sort[1].String() == request.After.Sort[1].String() {
				again = again[1:]
			}
			if len(again) == 0 || string(again[0].ID) != fmt.Sprint(want[0].number) {
				t.Fatalf("after a hit that is deleted come %v, want %+v", again, want[0])
			}
			request.After.ID = p.Hits[len(p.Hits)-2].ID
			request.After.Sort = p.Hits[len(p.Hits)-2].Sort
		}
	}
	if len(want) > 0 {
		t.Fatalf("%d documents on no page", len(want))
	}
}
