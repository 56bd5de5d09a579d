package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// clustersIndex is an index with clusters, of the first version that has them, in two of three segments.
const clustersIndex = "clusters-0.8.tar.gz"

var clustersSchema = &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityL2, Clusters: true}}}

const clustersDocs = 16_400

// clustered returns the vector of a document: few differ.
func clustered(doc int) []float32 {
	return []float32{float32(doc % 200 / 10), float32(doc % 10)}
}

// addClustered adds documents from from up to to.
func addClustered(ctx context.Context, w *writer.Writer, from, to int) error {
	for doc := from; doc < to; doc++ {
		if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, doc), Values: []schema.Value{schema.VectorValue(0, clustered(doc))}}); err != nil {
			return err
		}
	}
	return nil
}

// clustersOf returns the versions of the clusters of segments.
func clustersOf(t *testing.T, dir string) (all []uint64) {
	t.Helper()
	c, err := readIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc := 0
	for _, s := range c.segments {
		for i := range s.docs {
			if want := clustered(doc); !slices.EqualFunc(s.vectors["v"][uint32(i)], [][]float32{want}, slices.Equal) {
				t.Fatalf("document %d has %v, want %v", doc, s.vectors["v"][uint32(i)], want)
			}
			doc++
		}
		all = append(all, s.clusters...)
	}
	return all
}

// Clusters that were written long ago are read, searched, and taken over by new segments and merges.
func TestClustersGolden(t *testing.T) {
	path := filepath.Join("testdata", clustersIndex)
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		for _, part := range [][2]int{{0, clustersDocs}, {clustersDocs, clustersDocs + 4_200}, {clustersDocs + 4_200, clustersDocs + 4_210}} {
			change(t, dir, writer.Options{Schema: clustersSchema, MergePolicy: writer.NoMerges}, func(ctx context.Context, w *writer.Writer) error {
				return addClustered(ctx, w, part[0], part[1])
			})
		}
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := unpack(t, path)
	was := clustersOf(t, dir)
	if len(was) != 2 || was[0] != was[1] {
		t.Fatalf("versions of clusters %x, want that of two segments", was)
	}
	x, err := pinion.OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	page, err := x.Search(t.Context(), pinion.Request{Query: query.Nearest{Field: "v", Vector: []float32{3, 7}, K: 5, Probe: 0.01}})
	if err != nil || !page.Approximate || len(page.Hits) != 5 || page.Hits[0].Score != 1 {
		t.Fatalf("found %v, approximate %t, %v", page.Hits, page.Approximate, err)
	}
	change(t, dir, writer.Options{MergePolicy: writer.NoMerges}, func(ctx context.Context, w *writer.Writer) error {
		if err := addClustered(ctx, w, clustersDocs+4_210, clustersDocs+9_000); err != nil {
			return err
		}
		return w.Flush(ctx)
	})
	if got := clustersOf(t, dir); len(got) != 3 || got[2] != was[0] {
		t.Fatalf("versions of clusters %x, after %x", got, was)
	}
	change(t, dir, writer.Options{}, func(ctx context.Context, w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	})
	if got := clustersOf(t, dir); len(got) != 1 || got[0] != was[0] {
		t.Fatalf("versions of clusters %x of a merge, after %x", got, was)
	}
}
