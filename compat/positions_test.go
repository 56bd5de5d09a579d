package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// positionSchema has a field with positions between fields without.
var positionSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "about", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Positions: true},
	{Name: "tags", Kind: schema.Keyword},
}}

// positionOptions are of codecs that the reader of this package knows.
var positionOptions = writer.Options{Schema: positionSchema, MergePolicy: writer.NoMerges, DocsCodec: "bp128", FreqsCodec: "bp128"}

// positionDoc returns document i, and where its terms are in "body".
func positionDoc(i int) (writer.Doc, map[string][]int) {
	texts := []string{fmt.Sprintf("all of few%d and all", i%50)}
	if i%3 == 0 {
		texts = append(texts, "", fmt.Sprintf("once%d more and more", i)) // more values; one has no token
	}
	if i%40 == 7 {
		texts[0] += strings.Repeat(" all the", i%400) + " " + strings.Repeat("far ", i)
	}
	values := []schema.Value{schema.TextValue(0, []byte(texts[0])), schema.KeywordValue(2, []byte("tag"))}
	want := map[string][]int{}
	place := -1
	for n, text := range texts {
		values = append(values, schema.TextValue(1, []byte(text)))
		if n > 0 {
			place += 99
		}
		for _, word := range strings.Fields(text) {
			place++
			want[word] = append(want[word], place)
		}
	}
	return writer.Doc{ID: fmt.Append(nil, "d", i), Values: values}, want
}

func addPositionDocs(lo, hi int) func(ctx context.Context, w *writer.Writer) error {
	return func(ctx context.Context, w *writer.Writer) error {
		for i := lo; i < hi; i++ {
			d, _ := positionDoc(i)
			if err := w.Add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// checkPositions compares the positions of an index with those of the documents of each segment, once
// as a reader written from FORMAT.md alone has them, and once as package segment does.
func checkPositions(t *testing.T, what, dir string, segments ...[]int) {
	t.Helper()
	got, snapshot := bothReaders(t, what, dir)
	if len(got.segments) != len(segments) {
		t.Fatalf("%s: %d segments", what, len(got.segments))
	}
	for i, docs := range segments {
		want := map[string][][]int{} // by term, of each posting
		for _, d := range docs {
			_, places := positionDoc(d)
			for term, of := range places {
				want[term] = append(want[term], of)
			}
		}
		s := snapshot.Segments()[i].Views()
		n := 0
		for term, of := range got.segments[i].positions {
			name, term, _ := strings.Cut(term, "\x00")
			if n++; name != "body" || !slices.EqualFunc(of, want[term], slices.Equal[[]int]) {
				t.Fatalf("%s: segment %d, %q of %q is at %d, want %d", what, i, term, name, of, want[term])
			}
			if is := enginePositions(t, s, name, term); !slices.EqualFunc(is, want[term], slices.Equal[[]int]) {
				t.Fatalf("%s: segment %d, %q is at %d for the engine, want %d", what, i, term, is, want[term])
			}
		}
		if n != len(want) {
			t.Errorf("%s: segment %d: positions of %d terms, want %d", what, i, n, len(want))
		}
	}
}

// enginePositions returns the positions of a term's postings as package segment has them.
func enginePositions(t *testing.T, s *segment.Segment, field, term string) (all [][]int) {
	t.Helper()
	i := slices.IndexFunc(s.Fields(), func(f segment.Field) bool { return f.Name == field })
	e, _, err := s.Field(i).Lookup([]byte(term))
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.Positions()
	if err != nil {
		t.Fatal(err)
	}
	r := p.Reader()
	freqs := make([]uint32, l.BlockLen)
	for block := range l.Blocks {
		n, err := l.DecodeFreqs(freqs, block, 1)
		if err != nil {
			t.Fatal(err)
		}
		before := uint32(0)
		for _, tf := range freqs[:n] {
			places, err := r.Append(nil, block, before, tf)
			if err != nil {
				t.Fatal(err)
			}
			var of []int
			for _, p := range places {
				of = append(of, int(p))
			}
			all = append(all, of)
			before += tf
		}
	}
	return all
}

// A reader written from FORMAT.md alone finds where terms are: as they were added, with deleted
// documents, and after a merge that leaves those out.
func TestPositionsSpecification(t *testing.T) {
	dir := t.TempDir()
	o := positionOptions
	change(t, dir, o, addPositionDocs(0, 100))
	change(t, dir, o, addPositionDocs(100, 1500))
	checkPositions(t, "added", dir, sequence(0, 100), sequence(100, 1500))
	change(t, dir, o, func(ctx context.Context, w *writer.Writer) error {
		return w.Delete(ctx, []byte("d7"))
	})
	checkPositions(t, "with a deleted document", dir, sequence(0, 100), sequence(100, 1500))
	change(t, dir, o, func(ctx context.Context, w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	})
	checkPositions(t, "merged", dir, sequence(0, 1500, 7))
}

// positionsIndex is an index with positions, of the first version that has them: documents 0 to 999
// of positionDoc in two segments.
const positionsIndex = "positions-0.3.tar.gz"

// Positions that were written long ago are read.
func TestPositionsGolden(t *testing.T) {
	path := filepath.Join("testdata", positionsIndex)
	if *update && format.Current().String() == strings.TrimSuffix(strings.TrimPrefix(positionsIndex, "positions-"), ".tar.gz") {
		dir := t.TempDir()
		o := positionOptions
		change(t, dir, o, addPositionDocs(0, 900))
		change(t, dir, o, addPositionDocs(900, 1000))
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkPositions(t, "golden", unpack(t, path), sequence(0, 900), sequence(900, 1000))
}
