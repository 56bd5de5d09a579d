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

// impactSchema has a field of impacts between others.
var impactSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "splade", Kind: schema.Impacts, Scale: 0.01},
	{Name: "tags", Kind: schema.Keyword},
}}

var impactOptions = writer.Options{Schema: impactSchema, MergePolicy: writer.NoMerges, DocsCodec: "bp128", FreqsCodec: "bp128"}

// weightsOf returns the vector of document i.
func weightsOf(i int) map[string]int {
	v := map[string]int{"all": 1 + i*7%255, fmt.Sprint("few", i%50): 255 - i%3}
	if i%3 == 0 {
		v["##third"] = 1 + i%5
	}
	if i%400 == 7 {
		v[fmt.Sprint("once", i)] = 1 + i%200
	}
	return v
}

func addImpacts(lo, hi int) func(ctx context.Context, w *writer.Writer) error {
	return func(ctx context.Context, w *writer.Writer) error {
		for i := lo; i < hi; i++ {
			var v []schema.Impact
			for term, weight := range weightsOf(i) {
				v = append(v, schema.Impact{Term: term, Weight: uint8(weight)})
			}
			d := writer.Doc{ID: fmt.Append(nil, "d", i), Values: []schema.Value{
				schema.TextValue(0, []byte("a word")), schema.ImpactsValue(1, v), schema.KeywordValue(2, []byte("tag"))}}
			if err := w.Add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// checkImpacts compares the weights of an index with those of the documents of each segment, once as a reader written
// from FORMAT.md alone has them, and once as package segment does.
func checkImpacts(t *testing.T, what, dir string, segments ...[]int) {
	t.Helper()
	got, snapshot := bothReaders(t, what, dir)
	if f, ok := snapshot.Field("splade"); !ok || f.Description().Scale != 0.01 {
		t.Errorf("%s: %v", what, ok)
	}
	if len(got.segments) != len(segments) {
		t.Fatalf("%s: %d segments", what, len(got.segments))
	}
	for i, docs := range segments {
		want := map[string][]posting{}
		for doc, d := range docs {
			for term, weight := range weightsOf(d) {
				want[term] = append(want[term], posting{doc, weight})
			}
		}
		s := snapshot.Segments()[i].Views()
		for term, of := range want {
			if is := got.segments[i].lists["splade\x00"+term]; !slices.Equal(is, of) {
				t.Fatalf("%s: segment %d: %q has %v, want %v", what, i, term, is, of)
			}
			e, _, err := s.Field(1).Lookup([]byte(term))
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.Lists().List(e)
			if err != nil {
				t.Fatal(err)
			}
			most := slices.MaxFunc(of, func(a, b posting) int { return a.tf - b.tf }).tf
			if l.N != len(of) || int(l.MaxWeight()) != most {
				t.Errorf("%s: segment %d: %q has %d postings with weights up to %d, want %d, %d", what, i, term, l.N, l.MaxWeight(), len(of), most)
			}
		}
		if n := s.Fields()[1].Terms; int(n) != len(want) {
			t.Errorf("%s: segment %d: %d terms, want %d", what, i, n, len(want))
		}
	}
}

// A reader written from FORMAT.md alone finds the weights that were added, with deleted documents, and after a merge
// that leaves those out.
func TestImpactsSpecification(t *testing.T) {
	dir := t.TempDir()
	change(t, dir, impactOptions, addImpacts(0, 100))
	change(t, dir, impactOptions, addImpacts(100, 1500))
	checkImpacts(t, "added", dir, sequence(0, 100), sequence(100, 1500))
	change(t, dir, impactOptions, func(ctx context.Context, w *writer.Writer) error { return w.Delete(ctx, []byte("d7")) })
	checkImpacts(t, "with a deleted document", dir, sequence(0, 100), sequence(100, 1500))
	change(t, dir, impactOptions, func(ctx context.Context, w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	})
	checkImpacts(t, "merged", dir, sequence(0, 1500, 7))
}

// impactsIndex is an index with impacts, of the first version that has them: documents 0 to 999 in two segments.
const impactsIndex = "impacts-0.4.tar.gz"

// Impacts that were written long ago are read.
func TestImpactsGolden(t *testing.T) {
	path := filepath.Join("testdata", impactsIndex)
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		change(t, dir, impactOptions, addImpacts(0, 900))
		change(t, dir, impactOptions, addImpacts(900, 1000))
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkImpacts(t, "golden", unpack(t, path), sequence(0, 900), sequence(900, 1000))
}
