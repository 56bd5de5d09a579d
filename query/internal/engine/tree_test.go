package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/topk"
	"github.com/pinion-index/pinion/query/internal/querytest"
)

// nested returns a tree in which the second half of the terms is a disjunction of its own.
func nested(terms [][]byte) algorithm.Tree {
	return func(r *algorithm.Run) algorithm.Node {
		var nodes []algorithm.Node
		for _, b := range r.Names { // in canonical order
			if n := r.Find(0, b); n != nil {
				nodes = append(nodes, n)
			}
		}
		if r.Find(0, []byte("nosuch")) != nil {
			panic("found a term that is not there")
		}
		half := len(nodes) / 2
		return algorithm.Or(append(slices.Clone(nodes[:half]), algorithm.Or(nodes[half:]...))...)
	}
}

// A tree of disjunctions gives the hits of the flat one to the bit, skipping blocks, with filters and deleted documents.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	docs := querytest.ZipfDocs(rng, 6000, 200, 12)
	deleted := map[int]bool{0: true, 77: true, 5999: true}
	c, _ := registry.ByName("bp128")
	s := searcherOver(t, docs, deleted, c)
	some := roaring.New()
	some.AddRange(100, 3000)
	some.Add(5998)
	skipped := uint64(0)
	for i := range 300 {
		words := []string{"w0", "w1", "w2", "w5", "w9", "w17", "w33", "w60", "w120", "w199", "nosuch"}
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		q := Query{Terms: querytest.Terms(words[:1+rng.IntN(6)]...), K: []int{1, 10, 100, 6000}[i%4], Mode: Or}
		if i%3 == 0 {
			q.Filter = some
		}
		want, err := AppendHits(t.Context(), s, []topk.Hit(nil), &q, nil)
		if err != nil {
			t.Fatal(err)
		}
		var trace algorithm.Trace
		q.Tree = nested(q.Terms)
		got, err := AppendHits(t.Context(), s, []topk.Hit(nil), &q, &trace)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q, K %d: %v, %d hits, want %d", q.Terms, q.K, err, len(got), len(want))
		}
		for _, x := range trace.Segments {
			for _, l := range x.Lists {
				skipped += uint64(l.Blocks) - min(uint64(l.Blocks), l.DocBlocks)
			}
		}
	}
	if skipped == 0 {
		t.Error("no block was skipped")
	}
}
