package writer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	dense "github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// clustersOf returns the clusters of each segment, nil without any, and in which cluster each document's vector is. All levels of verification pass.
func clustersOf(t *testing.T, fs *memfs.FS) (all []*dense.Clusters, of map[string]uint32) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	of = map[string]uint32{}
	for _, seg := range s.Segments() {
		number, _ := seg.Views().FieldByID(1)
		f, err := dense.Open(seg.Views(), number)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, f.Clusters); f.Clusters == nil {
			continue
		}
		for i, cluster := range f.Clusters.Of() {
			id, err := seg.AppendID(nil, f.Doc(i))
			if err != nil {
				t.Fatal(err)
			}
			of[string(id)] = cluster
		}
	}
	return all, of
}

// The first flush with which an index has vectors enough trains clusters, also if it is small; later segments take them over, but for small ones;
// merges and sorting leave vectors in their clusters and put others into them; and segments of an index that gives them up have none.
func TestClusters(t *testing.T) {
	for _, sorted := range []bool{false, true} {
		t.Run(fmt.Sprintf("sorted %t", sorted), func(t *testing.T) { testClusters(t, sorted) })
	}
}

func testClusters(t *testing.T, sorted bool) {
	r, ctx, fs := rand.New(rand.NewPCG(7, 8)), context.Background(), memfs.New()
	s := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: 4, Clusters: true}, {Name: "n", Kind: schema.Integer, Column: true}}}
	o := writer.Options{Schema: s, MergePolicy: writer.NoMerges}
	if sorted {
		o.Order = writer.OrderField("n", false)
	}
	w, err := writer.OpenFS(ctx, fs, o)
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	docs := 0
	add := func(n int) {
		t.Helper()
		for range n {
			v := []float32{float32(r.NormFloat64()) + 1, float32(r.NormFloat64()), float32(r.NormFloat64()), float32(docs % 3)}
			do(w.Add(ctx, writer.Doc{ID: fmt.Append(nil, docs), Values: []schema.Value{schema.VectorValue(0, v), schema.IntegerValue(1, r.Int64N(1000))}}))
			docs++
		}
		do(w.Commit(ctx))
	}
	add(16_000)
	if all, _ := clustersOf(t, fs); all[0] != nil {
		t.Fatal("an index of 16,000 vectors has clusters")
	}
	add(500)
	add(100)
	add(6_000)
	all, was := clustersOf(t, fs)
	if all[0] != nil || all[1] == nil || all[2] != nil || all[3] == nil || all[1].Version != all[3].Version || all[1].Trained != 16_500 {
		t.Fatalf("clusters %+v", all)
	}
	for i := 0; i < docs; i += 7 {
		do(w.Delete(ctx, fmt.Append(nil, i)))
	}
	_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
	do(err)
	do(w.Commit(ctx))
	merged, of := clustersOf(t, fs)
	if len(merged) != 1 || merged[0] == nil || merged[0].Version != all[1].Version || len(of) != docs-(docs+6)/7 || !(merged[0].Spread > 0) {
		t.Fatalf("merged: %d segments, %d documents in clusters, %+v", len(merged), len(of), merged)
	}
	for id, cluster := range was {
		if now, ok := of[id]; ok && now != cluster {
			t.Fatalf("document %s was in cluster %d, and is in %d", id, cluster, now)
		}
	}
	do(w.Close())
	o.Schema = &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: 4}, {Name: "n", Kind: schema.Integer, Column: true}}}
	w, err = writer.OpenFS(ctx, fs, o)
	do(err)
	add(1)
	_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
	do(err)
	do(w.Commit(ctx))
	do(w.Close())
	if all, _ := clustersOf(t, fs); len(all) != 1 || all[0] != nil {
		t.Errorf("an index without clusters has %+v", all)
	}
}
