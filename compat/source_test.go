package compat

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// sourceIndex is an index with a field that has the values of another, of the first version that has such fields.
const sourceIndex = "source-0.8.tar.gz"

var sourceSchema = &schema.Schema{Fields: []schema.Field{{Name: "words", Kind: schema.Text, Analyzer: "simple", Of: "title"},
	{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true}}}

func addTitles(ctx context.Context, w *writer.Writer, titles ...string) error {
	for _, t := range titles {
		if err := w.Add(ctx, writer.Doc{ID: []byte(t), Values: []schema.Value{schema.TextValue(1, []byte(t))}}); err != nil {
			return err
		}
	}
	return nil
}

// A field keeps to the one whose values it has: in documents that are added, and in merges.
func TestSourceGolden(t *testing.T) {
	path := filepath.Join("testdata", sourceIndex)
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		change(t, dir, writer.Options{Schema: sourceSchema}, func(ctx context.Context, w *writer.Writer) error {
			return addTitles(ctx, w, "Running shoes", "A shoe")
		})
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := unpack(t, path)
	change(t, dir, writer.Options{}, func(ctx context.Context, w *writer.Writer) error {
		if err := addTitles(ctx, w, "Run!"); err != nil {
			return err
		}
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	})
	got, snapshot := bothReaders(t, path, dir)
	if of := snapshot.Schema().Fields[0].Of; of != "title" || len(got.segments) != 1 {
		t.Fatalf("words of %q, %d segments", of, len(got.segments))
	}
	want := []string{"title\x00run", "title\x00shoe", "words\x00a", "words\x00run", "words\x00running", "words\x00shoe", "words\x00shoes"}
	if terms := slices.Sorted(maps.Keys(got.segments[0].lists)); !slices.Equal(terms, want) {
		t.Errorf("terms %q, want %q", terms, want)
	}
	x, err := pinion.OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for want, n := range map[int]query.Node{2: query.Match{Text: "run"}, 1: query.Match{Field: "words", Text: "RUN"}} {
		if found, err := x.Count(t.Context(), n); err != nil || found != want {
			t.Errorf("%+v: %d, %v, want %d", n, found, err, want)
		}
	}
	words, err := x.Suggest(t.Context(), "words", "sho")
	if fmt.Sprint(words) != "[{shoe 1} {shoes 1}]" || err != nil {
		t.Errorf("words %v, %v", words, err)
	}
}
