//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// An index of which no field is indexed is answered as by a Searcher, and refused where no CPU answers.
func TestNoIndexedField(t *testing.T) {
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true}, {Name: "n", Kind: schema.Integer, Column: true}, {Name: "worth", Kind: schema.Float, Column: true}}}})
	do(err)
	for i := range 200 {
		do(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.KeywordValue(0, fmt.Append(nil, i%3)), schema.IntegerValue(1, int64(i)), schema.FloatValue(2, float64(i%7))}}))
		if i%90 == 89 {
			do(w.Flush(t.Context()))
		}
	}
	do(errors.Join(w.Commit(t.Context()), w.Delete(t.Context(), []byte("7")), w.Commit(t.Context()), w.Close()))
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	defer index.Close()
	snapshot, err := index.Snapshot()
	do(err)
	defer snapshot.Close()
	cpu, err := search.NewSearcher(snapshot, search.Options{})
	do(err)
	defer cpu.Close()
	some := query.Range{Field: "n", Min: schema.IntegerValue(0, 150)}
	queries := []search.Query{
		{Node: query.All{}, K: 10, Total: true},
		{Node: query.All{}, K: 10, Static: &search.Static{Field: "worth"}},
		{Node: query.Bool{Filter: []query.Node{some}}, K: 100},
		{Node: query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{some}}, K: 5, Sort: []search.SortBy{{Field: "n", Desc: true}}, Facets: []search.Facet{{Field: "level"}}},
		{Node: query.Bool{}, K: 3},
		{Text: "words", K: 3},
	}
	for _, own := range []search.Executor{cpu, nil} {
		for _, apart := range []bool{false, true} {
			x, err := New(newDevice(testDevice(t, 1)), snapshot, Options{Memory: 8 << 20, CPU: own, AsStored: apart})
			do(err)
			for _, q := range queries {
				want, wrong := cpu.Search(t.Context(), q)
				got, err := x.Execute(t.Context(), []search.Query{q})
				switch {
				case wrong != nil:
					if !errors.Is(err, query.ErrInvalid) {
						t.Errorf("%+v: %v, want %v", q, err, wrong)
					}
				case own == nil && errors.Is(err, ErrUnsupported):
				case err != nil || fmt.Sprint(got[0].Hits, got[0].Facets) != fmt.Sprint(want.Hits, want.Facets):
					t.Errorf("%+v: %v, %v, want %v", q, got, err, want)
				}
			}
			if b, err := x.Filters(t.Context(), []Filter{{{{Where: some}}}}); err != nil {
				t.Error(err)
			} else if set, err := b.Bitmap(t.Context(), 0); err != nil || set.Len() != 50 || b.Close() != nil {
				t.Errorf("%v, %v", set, err)
			}
			closeExecutor(t, x)
		}
	}
}
