package writer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// columnsWorld is a fieldWorld of columns with many documents.
func columnsWorld(t *testing.T, r *rand.Rand, docs int) *fieldWorld {
	t.Helper()
	x := &fieldWorld{fs: memfs.New(), docs: map[string][]worldValue{}}
	var fields []schema.Field
	for _, f := range worldFields {
		if f.Column {
			fields = append(fields, f)
		}
	}
	var err error
	if x.w, err = writer.OpenFS(t.Context(), x.fs, writer.Options{Schema: &schema.Schema{Fields: fields}, Threads: 2, MergePolicy: writer.NoMerges}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.w.Close() })
	x.schema = x.w.Schema()
	for i := range docs {
		id := fmt.Sprint(r.IntN(docs)) // some replace others
		var values []schema.Value
		for f := range x.schema.Fields {
			n := 1
			if r.IntN(8) == 0 {
				n = r.IntN(4)
			}
			for range n {
				v := schema.KeywordValue(f, fmt.Append(nil, "w", r.IntN(40*(f+1))))
				if r.IntN(20) == 0 {
					v = schema.KeywordValue(f, "")
				}
				switch x.schema.Fields[f].Kind {
				case schema.Integer:
					v = schema.IntegerValue(f, int64(i)*1000+r.Int64N(70000))
				case schema.Float:
					v = schema.FloatValue(f, r.NormFloat64())
				case schema.Time:
					v = schema.NanosValue(f, int64(i)*3e8)
				}
				values = append(values, v)
			}
		}
		if err := x.w.Add(t.Context(), writer.Doc{ID: []byte(id), Values: values}); err != nil {
			t.Fatal(err)
		}
		x.docs[id] = nil
		for _, v := range values {
			x.docs[id] = append(x.docs[id], worldValue{x.schema.Fields[v.Field].ID, v})
		}
		if i%(docs/3) == docs/3-1 {
			if err := x.w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return x
}

// columns checks the columns.
func (x *fieldWorld) columns(t *testing.T, when string) {
	t.Helper()
	if err := x.w.Commit(t.Context()); err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	r, err := reader.Open(t.Context(), reader.FromStore(x.fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	for i := range x.schema.Fields {
		x.checkColumn(t, s, &x.schema.Fields[i])
	}
}

// Columns of many blocks hold what documents have after flushes, deletes, merges of segments with
// and without deleted documents, reorders and sorting.
func TestLargeColumns(t *testing.T) {
	longtest.Once(t)
	ctx, r := t.Context(), rand.New(rand.NewPCG(36, 1))
	x := columnsWorld(t, r, 9000)
	x.columns(t, "flushed")
	for range 900 {
		id := fmt.Sprint(r.IntN(9000))
		delete(x.docs, id)
		if err := x.w.Delete(ctx, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	x.columns(t, "deleted")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"some merged", func() error { _, err := x.w.Merge(ctx, writer.MergeOptions{MaxSegments: 2}); return err }},
		{"shuffled", func() error { return x.reorder(writer.OrderRandom, worldOrder{}) }},
		{"sorted by keywords", func() error { return x.reorder("field:host", worldOrder{x.fieldID("host"), false}) }},
		{"descending", func() error { return x.reorder("field:-count", worldOrder{x.fieldID("count"), true}) }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		x.columns(t, step.name)
	}
}

func (x *fieldWorld) fieldID(name string) uint32 {
	f, _ := x.schema.Field(name)
	return f.ID
}

// A collection of lists brings the values of columns, stored or not. Lists alone would leave a
// column without what they say.
func TestInvertedColumns(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "body", Kind: schema.Text}, {Name: "at", Kind: schema.Time, Unit: schema.UnitSecond, Column: true, Stored: true},
		{Name: "tag", Kind: schema.Keyword, Column: true}, {Name: "n", Kind: schema.Integer, Column: true},
	}}
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s, Order: "field:-n"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	key := func(f int, k string) schema.Value { return schema.KeywordValue(f, []byte(k)) }
	in := writer.Inverted{Fields: []string{"at", "n", "tag"}, Docs: pairsOf([]writer.InvertedDoc{
		{ID: []byte("a"), Lens: []uint32{0, 0, 0}, Values: []schema.Value{schema.NanosValue(0, 2_900_000_000), key(2, "y"), key(2, "x"), key(2, "y"), key(2, "")}},
		{ID: []byte("b"), Lens: []uint32{0, 0, 0}},
		{ID: []byte("c"), Lens: []uint32{0, 0, 0}, Values: []schema.Value{schema.IntegerValue(1, 9), schema.IntegerValue(1, -9), key(2, "x")}},
	}), Lists: pairsOf([]writer.InvertedList{
		{Term: []byte("x"), Field: 2, Postings: format.Postings{Docs: []uint32{0, 2}, Freqs: []uint32{1, 1}}},
		{Term: []byte("y"), Field: 2, Postings: format.Postings{Docs: []uint32{0}, Freqs: []uint32{1}}},
	})}
	if err := w.AddInverted(ctx, in); err != nil {
		t.Fatal(err)
	}
	body := writer.Inverted{Field: "body", Docs: pairsOf([]writer.InvertedDoc{{ID: []byte("d")}}), Lists: pairsOf([]writer.InvertedList{})}
	if err := w.AddInverted(ctx, body); err != nil { // its columns are empty
		t.Fatal(err)
	}
	body.Field = "tag"
	if err := w.AddInverted(ctx, body); !errors.Is(err, writer.ErrInvalid) {
		t.Errorf("lists of a column: %v", err)
	}
	in.Docs = pairsOf([]writer.InvertedDoc{{ID: []byte("e"), Lens: []uint32{0, 0, 0}, Values: []schema.Value{key(1, "x")}}})
	if err := w.AddInverted(ctx, in); err == nil {
		t.Error("a keyword in a column of integers")
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	snap, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if err := snap.Verify(ctx); err != nil {
		t.Fatal(err)
	}
	var got []string
	for doc := range uint32(snap.Stats().Docs) {
		id, err := snap.AppendID(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		var values []schema.Value
		for _, f := range s.Fields {
			of, _ := snap.Field(f.Name)
			if values, err = of.AppendValues(values, doc); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, fmt.Sprint(string(id), values))
	}
	want := []string{"c[x -9 9]", "a[1970-01-01T00:00:02Z  x y]", "b[]", "d[]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
