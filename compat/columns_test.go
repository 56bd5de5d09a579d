package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// columnSchema has a column of each kind, among fields that are none.
var columnSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "at", Kind: schema.Time, Column: true, Unit: schema.UnitSecond},
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
	{Name: "price", Kind: schema.Float, Column: true},
	{Name: "rare", Kind: schema.Integer, Column: true},
	{Name: "size", Kind: schema.Integer, Column: true},
	{Name: "tags", Kind: schema.Keyword, Column: true},
}}

// columnOptions are of codecs that the reader of this package knows.
var columnOptions = writer.Options{Schema: columnSchema, MergePolicy: writer.NoMerges, DocsCodec: "bp128", FreqsCodec: "bp128"}

// columnDoc returns document i, and its values as they are read.
func columnDoc(i int) (writer.Doc, map[string][]string) {
	at := time.Date(2026, 11, 26, 9, 0, i/3, i%3*300_000_000, time.UTC)
	level := []string{"debug", "info", "warn", "error", "fatal"}[i*i%5]
	price := []float64{0, -1.5, 19.99, 1e300, -1e-300, 250}[i%6]
	values := []schema.Value{schema.TimeValue(0, at), schema.TextValue(1, fmt.Append(nil, "word", i%500)), schema.KeywordValue(2, []byte(level)), schema.FloatValue(3, price)}
	want := map[string][]string{"at": {fmt.Sprint(1_795_683_600 + i/3)}, "level": {level}, "price": {fmt.Sprint(price)}}
	if i%9 == 0 {
		values = append(values, schema.IntegerValue(4, int64(i)<<50))
		want["rare"] = []string{fmt.Sprint(int64(i) << 50)}
	}
	if i%17 != 0 {
		values = append(values, schema.IntegerValue(5, int64(i*7919%1000)*100-5000))
		want["size"] = []string{fmt.Sprint(i*7919%1000*100 - 5000)}
	}
	for k := range i % 4 {
		tag := fmt.Sprintf("tag-%02d", (i*k*k+31*i)%40)
		values = append(values, schema.KeywordValue(6, []byte(tag)), schema.KeywordValue(6, []byte(tag)))
		want["tags"] = append(want["tags"], tag)
	}
	slices.Sort(want["tags"])
	want["tags"] = slices.Compact(want["tags"])
	return writer.Doc{ID: fmt.Append(nil, "d", i), Values: values}, want
}

// wantColumns returns the columns of documents.
func wantColumns(docs []int) map[string][][]string {
	all := map[string][][]string{}
	for _, i := range docs {
		_, want := columnDoc(i)
		for _, f := range columnSchema.Fields {
			if f.Column {
				all[f.Name] = append(all[f.Name], want[f.Name])
			}
		}
	}
	return all
}

// sequence returns the numbers from lo up to hi without some.
func sequence(lo, hi int, without ...int) (all []int) {
	for i := lo; i < hi; i++ {
		if !slices.Contains(without, i) {
			all = append(all, i)
		}
	}
	return all
}

// change does something to an index with a schema, and commits it.
func change(t *testing.T, dir string, o writer.Options, f func(ctx context.Context, w *writer.Writer) error) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{f(t.Context(), w), w.Commit(t.Context()), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func addColumnDocs(lo, hi int) func(ctx context.Context, w *writer.Writer) error {
	return func(ctx context.Context, w *writer.Writer) error {
		for i := lo; i < hi; i++ {
			d, _ := columnDoc(i)
			if err := w.Add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// checkColumns compares the columns of an index with those of the documents of each segment, once
// as a reader written from FORMAT.md alone has them, and once as package segment does.
func checkColumns(t *testing.T, what, dir string, segments ...[]int) {
	t.Helper()
	got, snapshot := bothReaders(t, what, dir)
	if len(got.segments) != len(segments) {
		t.Fatalf("%s: %d segments", what, len(got.segments))
	}
	for i, docs := range segments {
		for name, want := range wantColumns(docs) {
			for j, is := range [][][]string{got.segments[i].columns[name], engineColumn(t, snapshot.Segments()[i].Views(), name)} {
				if !slices.EqualFunc(is, want, slices.Equal[[]string]) {
					t.Errorf("%s: segment %d, reader %d, column %q:\n%q\nwant\n%q", what, i, j, name, is, want)
				}
			}
		}
	}
}

// engineColumn returns the values of a column as package segment has them.
func engineColumn(t *testing.T, s *segment.Segment, name string) (all [][]string) {
	t.Helper()
	i := slices.IndexFunc(s.Fields(), func(f segment.Field) bool { return f.Name == name })
	c, ok, err := s.Field(i).Column()
	if err != nil || !ok {
		t.Fatal(name, ok, err)
	}
	f := &s.Fields()[i]
	for doc := range s.Meta().Docs {
		keys, err := c.Append(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for _, k := range keys {
			v := fmt.Sprint(k)
			if f.Kind == schema.Keyword {
				word, err := c.Keyword(nil, k)
				if err != nil {
					t.Fatal(err)
				}
				v = string(word)
			} else if f.Kind == schema.Float {
				v = schema.KeyValue(0, f.Kind, f.Unit, k).String()
			}
			values = append(values, v)
		}
		all = append(all, values)
	}
	return all
}

// A reader written from FORMAT.md alone finds the values of columns: as they were added, with
// deleted documents, and after a merge that leaves those out.
func TestColumnsSpecification(t *testing.T) {
	dir := t.TempDir()
	o := columnOptions
	change(t, dir, o, addColumnDocs(0, 300))
	change(t, dir, o, addColumnDocs(300, 9000))
	checkColumns(t, "added", dir, sequence(0, 300), sequence(300, 9000))
	change(t, dir, o, func(ctx context.Context, w *writer.Writer) error {
		return w.Delete(ctx, []byte("d7"))
	})
	checkColumns(t, "with a deleted document", dir, sequence(0, 300), sequence(300, 9000))
	change(t, dir, o, func(ctx context.Context, w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	})
	checkColumns(t, "merged", dir, sequence(0, 9000, 7))
}

// columnsIndex is an index with columns, of the first version that has them: documents 0 to 4999
// of columnDoc in two segments.
const columnsIndex = "columns-0.3.tar.gz"

// Columns that were written long ago are read.
func TestColumnsGolden(t *testing.T) {
	path := filepath.Join("testdata", columnsIndex)
	if *update && format.Current().String() == strings.TrimSuffix(strings.TrimPrefix(columnsIndex, "columns-"), ".tar.gz") {
		dir := t.TempDir()
		o := columnOptions
		change(t, dir, o, addColumnDocs(0, 4500))
		change(t, dir, o, addColumnDocs(4500, 5000))
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkColumns(t, "golden", unpack(t, path), sequence(0, 4500), sequence(4500, 5000))
}
