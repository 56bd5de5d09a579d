package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// given returns the parts of q, with what all shards together know.
func (x *shards) given(ctx context.Context, q search.Query) (parts []search.Query, err error) {
	var f query.Frequencies
	for _, s := range x.searchers {
		own, err := s.Frequencies(ctx, q)
		if err == nil {
			err = f.Add(own)
		}
		if err != nil {
			return nil, err
		}
	}
	f.Trim()
	var found [][]query.Neighbors
	for i, s := range x.searchers {
		own, err := q.Part(x.bases[i], x.docs[i])
		if err != nil {
			return nil, err
		}
		own.Frequencies = &f
		near, err := s.Neighbors(ctx, own)
		if err != nil {
			return nil, err
		}
		parts, found = append(parts, own), append(found, near)
	}
	if found, err = query.MergeNeighbors(found); err != nil {
		return nil, err
	}
	for i := range parts {
		parts[i].Neighbors = found[i]
	}
	return parts, nil
}

// count returns how many documents of all shards match q.
func (x *shards) count(ctx context.Context, q search.Query) (sum uint64, err error) {
	parts, err := x.given(ctx, q)
	if err != nil {
		return 0, err
	}
	for i, s := range x.searchers {
		n, err := s.Count(ctx, parts[i])
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// Shards find the nearest as one index of all does, to the bit: within trees, under filters, with documents that are deleted, and with
// those of several shards that are equally near.
func TestShardsNear(t *testing.T) {
	trees := longtest.Count(150, 1500)
	rng := rand.New(rand.NewPCG(38, 6))
	for _, n := range []int{1, 3, 10} {
		docs := books(rng, 300)
		r := &treeDrawer{Rand: rng, sharded: true, dots: true, dense: true, docs: docs, terms: map[string][]string{}}
		var parts []*reader.Snapshot
		from := 0
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		for _, to := range cuts(rng, len(docs), n) { // documents with the same number in their parts have the same vectors
			parts = append(parts, denseLibraryFrom(t, writer.Options{}, docs[from:to], from, 1+rng.IntN(200), n > 1).Snapshot())
			from = to
		}
		x, whole := newShards(t, parts), wholeOf(t, parts)
		counted := 0
		for i := range trees {
			node, _ := r.node(rng.IntN(5))
			if i%3 == 0 {
				node, _ = r.nearest()
			}
			q := search.Query{Node: node, K: []int{1, 10, 100, len(docs)}[rng.IntN(4)], Total: rng.IntN(4) == 0}
			if rng.IntN(6) == 0 {
				q.Facets = []search.Facet{{Field: "tag", Limit: 5}, {Field: "cost", Width: 10}}
			}
			if rng.IntN(4) == 0 { // the page behind some hit
				all, err := whole.Search(t.Context(), search.Query{Node: node, K: len(docs)})
				if err == nil && len(all.Hits) > 0 {
					h := all.Hits[rng.IntN(len(all.Hits))]
					q.After = &search.Position{Doc: h.Doc, Score: h.Score}
				}
			} else if rng.IntN(6) == 0 {
				q.Sort = []search.SortBy{{Field: "cost", Desc: rng.IntN(2) == 0}, {Field: "tag"}}
			}
			x.agreeWith(t, whole, q)
			want, wantErr := whole.Count(t.Context(), q)
			if got, err := x.count(t.Context(), q); (err == nil) != (wantErr == nil) || got != want {
				t.Fatalf("%s in %d parts: %d match, %v; want %d, %v", shown(node), n, got, err, want, wantErr)
			}
			counted += int(want)
		}
		if counted < trees {
			t.Errorf("%d documents match %d trees", counted, trees)
		}
	}
}

// Of documents of several shards that are equally near, the first match: whatever their docIDs in their shards are.
func TestShardsEquallyNear(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityL2}}}
	var parts []*reader.Snapshot
	for range 3 {
		var docs []writer.Doc
		for d := range 4 {
			v := []float32{1, 0}
			if d == 0 {
				v[1] = 2
			}
			docs = append(docs, writer.Doc{ID: fmt.Append(nil, len(parts), d), Values: []schema.Value{schema.VectorValue(0, v)}})
		}
		parts = append(parts, indexOf(t, s, docs))
	}
	x := newShards(t, parts)
	for k, want := range [][]uint32{1: {1}, 3: {1, 2, 3}, 4: {1, 2, 3, 5}, 7: {1, 2, 3, 5, 6, 7, 9}, 10: {1, 2, 3, 5, 6, 7, 9, 10, 11, 0}} {
		if want == nil {
			continue
		}
		r, err := x.search(t.Context(), search.Query{Node: query.Nearest{Field: "v", Vector: []float32{1, 0}, K: k}, K: 12})
		var got []uint32
		for _, h := range r.Hits {
			got = append(got, h.Doc)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("K %d: %v, %v; want %v", k, got, err, want)
		}
	}
}

// Neighbors that no part can have, or of another query, are refused.
func TestShardNeighborsRefused(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: 1, Similarity: schema.SimilarityDot}}}
	var docs []writer.Doc
	for d := range 5 {
		docs = append(docs, writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.VectorValue(0, []float32{float32(d)})}})
	}
	x := newShards(t, []*reader.Snapshot{indexOf(t, s, docs)})
	own := x.searchers[0]
	q := search.Query{Node: query.Nearest{Field: "v", Vector: []float32{1}, K: 2}}
	if _, err := own.Neighbors(t.Context(), q); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("without frequencies: %v", err)
	}
	all, err := x.given(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	good := all[0].Neighbors
	if r, err := own.Search(t.Context(), all[0]); err != nil || len(r.Hits) != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	nan := float32(math.NaN())
	for what, bad := range map[string][]query.Neighbors{
		"none":               nil,
		"those of no node":   {},
		"those of two":       {good[0], good[0]},
		"another K":          {{K: 3, Docs: good[0].Docs}},
		"more than K":        {{K: 2, Docs: []query.Neighbor{{Doc: 0}, {Doc: 1}, {Doc: 2}}}},
		"no such document":   {{K: 2, Docs: []query.Neighbor{{Doc: 5}}}},
		"twice the same":     {{K: 2, Docs: []query.Neighbor{{Doc: 1}, {Doc: 1}}}},
		"another order":      {{K: 2, Docs: []query.Neighbor{{Doc: 2}, {Doc: 1}}}},
		"NaN":                {{K: 2, Docs: []query.Neighbor{{Doc: 2, Near: nan}}}},
		"the greatest docID": {{K: 2, Docs: []query.Neighbor{{Doc: math.MaxUint32}}}},
	} {
		p := all[0]
		p.Neighbors = bad
		if _, err := own.Search(t.Context(), p); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := x.executors[0].Execute(t.Context(), []search.Query{p}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s, of an executor: %v", what, err)
		}
	}
	p := all[0]
	p.Node = query.All{}
	if _, err := own.Search(t.Context(), p); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("neighbors beside a query without a Nearest: %v", err)
	}
	p.Frequencies = nil
	if _, err := own.Search(t.Context(), p); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("neighbors without frequencies: %v", err)
	}
}

// indexOf returns a snapshot of an index of documents, in two segments.
func indexOf(t *testing.T, s *schema.Schema, docs []writer.Doc) *reader.Snapshot {
	t.Helper()
	l := querytest.NewLive(t, writer.Options{Schema: s})
	for i, d := range docs {
		l.Do(l.Add(t.Context(), d))
		if i == 1 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	return l.Snapshot()
}
