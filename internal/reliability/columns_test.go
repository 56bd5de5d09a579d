package reliability

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	checks "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// columnar returns the files of an index of which no field is indexed, of segments of so many documents. One document of
// the first is deleted if that is wanted.
func columnar(t testing.TB, deleted bool, docs ...int) static {
	f := memfs.New()
	w, err := writer.OpenFS(ctx, f, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true}, {Name: "n", Kind: schema.Integer, Column: true},
		{Name: "at", Kind: schema.Integer, Index: schema.IndexNone, Column: true}}}})
	check(t, err)
	r := rand.New(rand.NewPCG(20, 1))
	for first, at := 0, int64(0); len(docs) > 0; docs = docs[1:] {
		for i := first; i < first+docs[0]; i++ {
			at += r.Int64N(50)
			values := []schema.Value{schema.IntegerValue(1, int64(r.IntN(1000))), schema.IntegerValue(2, at)}
			for range r.IntN(3) {
				values = append(values, schema.KeywordValue(0, fmt.Appendf(nil, "level %d", r.IntN(40))))
			}
			check(t, w.Add(ctx, writer.Doc{ID: fmt.Append(nil, "d", i), Values: values}))
		}
		first += docs[0]
		check(t, w.Commit(ctx))
	}
	if deleted {
		check(t, w.Delete(ctx, []byte("d3")))
	}
	check(t, w.Commit(ctx), w.Close())
	return files(t, f)
}

// rewrites are the ways to write segments anew.
var rewrites = map[string]func(*writer.Writer) error{
	"merge": func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{})
		return err
	},
	"random order": func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderRandom})
		return err
	},
	"order of a column": func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderField("level", false)})
		return err
	},
}

// TestColumnMutations changes the structure of columns, with checksums that hold. Whatever reads them gives an answer or
// an error of one of the kinds of package format. Whatever writes them anew refuses those that verification refuses: where
// it copies their blocks, where it joins them with others, without deleted documents, and in another order.
func TestColumnMutations(t *testing.T) {
	sound := []static{columnar(t, false, 400, 200), columnar(t, false, segment.ColumnBlock, 500), columnar(t, true, segment.ColumnBlock, 500)}
	parsed := make([]map[string]*damage.File, len(sound))
	names := make([][]string, len(sound))
	for i := range sound {
		parsed[i] = map[string]*damage.File{}
		for name, b := range sound[i] {
			if strings.HasPrefix(name, "segment-") {
				f, err := damage.Parse(b)
				check(t, err)
				names[i], parsed[i][name] = append(names[i], name), f
			}
		}
		slices.Sort(names[i])
	}
	wrong, refused := 0, map[string]int{}
	for i := range uint64(trials(4000)) {
		r := rand.New(rand.NewPCG(*seed+i, 20))
		of := []int{0, 0, 0, 1, 2}[r.IntN(5)]
		name, other := names[of][r.IntN(2)], names[of][r.IntN(2)]
		b, what := damage.Mutate(r, parsed[of][name], parsed[of][other])
		for j := 0; j < 8 && !strings.Contains(what, "column"); j++ { // mostly of columns
			b, what = damage.Mutate(r, parsed[of][name], parsed[of][other])
		}
		if b == nil {
			continue
		}
		damaged := sound[of].with(name, b)
		bad := columnsOf(b)
		found := map[string]error{"read": expect(readColumns(r, damaged))}
		for way, change := range rewrites {
			after, err := rewriteDamaged(t, damaged, writer.Options{}, change)
			switch {
			case err != nil:
				found[way] = err
			case after != nil && bad != nil && !slices.Contains(after, name):
				found[way] = fmt.Errorf("took damaged columns: %v", bad)
			case bad != nil:
				refused[fmt.Sprint(way, of)]++
			}
		}
		for way, err := range found {
			if err != nil {
				if t.Errorf("-seed %d: index %d: %s: %s: %s: %v", *seed+i, of, name, what, way, err); wrong > 20 {
					t.Fatal("and more")
				}
				wrong++
			}
		}
	}
	t.Logf("refused: %v", refused)
}

// columnsOf returns what verification finds wrong in the columns of a segment that opens, or nil.
func columnsOf(b []byte) (fault error) {
	s, err := segment.Open("segment", segment.Aligned(b))
	if err != nil {
		return nil
	}
	checks.Segment(ctx, s, checks.Options{Report: func(d checks.Damage) {
		if fault == nil && strings.HasPrefix(d.Err.Section, "column") {
			fault = d.Err
		}
	}})
	return fault
}

// readColumns reads columns in every way.
func readColumns(r *rand.Rand, f store.ReadFS) error {
	x, err := reader.Open(context.Background(), reader.FromStore(f), reader.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	all := []error{expect(s.Verify(context.Background()))}
	for _, name := range []string{"level", "n"} {
		in, ok := s.Field(name)
		if !ok {
			return errors.Join(all...)
		}
		for range 20 {
			_, err := in.AppendValues(nil, uint32(r.IntN(int(min(max(s.Stats().Docs, 1), 600)))))
			all = append(all, expect(err))
		}
	}
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return errors.Join(append(all, expect(err))...)
	}
	defer q.Close()
	some := query.And{query.Range{Field: "n", Min: schema.IntegerValue(0, 100), Max: schema.IntegerValue(0, 700)},
		query.Not{Node: query.In{Field: "level", Values: []any{schema.KeywordValue(0, []byte("level 7"))}}}}
	for _, q1 := range []search.Query{
		{Node: query.All{}, K: 500, Sort: []search.SortBy{{Field: "level"}, {Field: "n", Desc: true}}},
		{Node: query.All{}, K: 50, Facets: []search.Facet{{Field: "level", Limit: 1000}, {Field: "n", Width: 10}}, Collapse: "level"},
		{Node: query.Bool{Filter: []query.Node{some}}, K: 500, Total: true},
	} {
		_, err := q.Search(context.Background(), q1)
		all = append(all, expect(err))
	}
	return errors.Join(all...)
}
