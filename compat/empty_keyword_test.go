package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// emptySchema has columns of keywords: one that is indexed too, and one that is not.
var emptySchema = &schema.Schema{Fields: []schema.Field{
	{Name: "bare", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "tags", Kind: schema.Keyword, Column: true},
}}

var emptyOptions = writer.Options{Schema: emptySchema, MergePolicy: writer.NoMerges, DocsCodec: "bp128", FreqsCodec: "bp128"}

// keywordsOf returns the keywords of document i in both columns, a set. Those from 900 on have no empty one.
func keywordsOf(i int) []string {
	var all []string
	if i%3 == 0 && i < 900 {
		all = append(all, "")
	}
	if i%4 > 0 {
		all = append(all, fmt.Sprintf("tag-%02d", i*7%40))
	}
	return all
}

func addKeywords(lo, hi int) func(ctx context.Context, w *writer.Writer) error {
	return func(ctx context.Context, w *writer.Writer) error {
		for i := lo; i < hi; i++ {
			values := []schema.Value{schema.TextValue(1, []byte("a word"))}
			for _, k := range keywordsOf(i) {
				values = append(values, schema.KeywordValue(0, []byte(k)), schema.KeywordValue(2, []byte(k)), schema.KeywordValue(2, []byte(k)))
			}
			if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, "d", i), Values: values}); err != nil {
				return err
			}
		}
		return nil
	}
}

// checkKeywords compares the keywords of an index with those of the documents of each segment, as both readers have them,
// and the versions of its segments, 0.N.
func checkKeywords(t *testing.T, what, dir string, versions []uint16, segments ...[]int) {
	t.Helper()
	got, snapshot := bothReaders(t, what, dir)
	if len(got.segments) != len(segments) {
		t.Fatalf("%s: %d segments", what, len(got.segments))
	}
	for i, docs := range segments {
		s := snapshot.Segments()[i].Views()
		if v := s.Header().Version; v.Minor != versions[i] {
			t.Errorf("%s: segment %d has version %v, want %v", what, i, v, versions[i])
		}
		var want [][]string
		for _, doc := range docs {
			want = append(want, keywordsOf(doc))
		}
		for _, name := range []string{"bare", "tags"} {
			for j, is := range [][][]string{got.segments[i].columns[name], engineColumn(t, s, name)} {
				if !slices.EqualFunc(is, want, slices.Equal[[]string]) {
					t.Errorf("%s: segment %d, reader %d, column %q:\n%q\nwant\n%q", what, i, j, name, is, want)
				}
			}
		}
	}
}

// A reader written from FORMAT.md alone finds empty keywords: as they were added, after a merge, and after one that leaves all of them out.
func TestEmptyKeywordSpecification(t *testing.T) {
	dir := t.TempDir()
	change(t, dir, emptyOptions, addKeywords(0, 300))
	change(t, dir, emptyOptions, addKeywords(900, 1000))
	checkKeywords(t, "added", dir, []uint16{8, 8}, sequence(0, 300), sequence(900, 1000))
	merge := func(ctx context.Context, w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	}
	change(t, dir, emptyOptions, merge)
	checkKeywords(t, "merged", dir, []uint16{8}, slices.Concat(sequence(0, 300), sequence(900, 1000)))
	var left, gone []int
	for _, i := range slices.Concat(sequence(0, 300), sequence(900, 1000)) {
		if slices.Contains(keywordsOf(i), "") {
			gone = append(gone, i)
		} else {
			left = append(left, i)
		}
	}
	change(t, dir, emptyOptions, func(ctx context.Context, w *writer.Writer) error {
		for _, i := range gone {
			if err := w.Delete(ctx, fmt.Append(nil, "d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	change(t, dir, emptyOptions, merge)
	checkKeywords(t, "merged without them", dir, []uint16{8}, left)
}

// emptyIndex is an index with empty keywords, of the first version that has them: documents 0 to 499 and 900 to 999, in two
// segments.
const emptyIndex = "empty-keyword-0.5.tar.gz"

// Empty keywords that were written long ago are read.
func TestEmptyKeywordGolden(t *testing.T) {
	path := filepath.Join("testdata", emptyIndex)
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		change(t, dir, emptyOptions, addKeywords(0, 500))
		change(t, dir, emptyOptions, addKeywords(900, 1000))
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkKeywords(t, "golden", unpack(t, path), []uint16{5, 3}, sequence(0, 500), sequence(900, 1000))
}
