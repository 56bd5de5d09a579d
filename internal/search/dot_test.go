package search_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// vectorWorld is an index and what its documents are, by global docID; nil for those that are deleted.
type vectorWorld struct {
	s    *search.Searcher
	docs []map[string]uint32
}

const worldScale = 0.3

// drawVectorWorld draws an index of one to three segments.
func drawVectorWorld(t *rapid.T) *vectorWorld {
	ctx, fs, r := context.Background(), memfs.New(), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	w, err := writer.OpenFS(ctx, fs, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "v", Kind: schema.Impacts, Scale: worldScale}, {Name: "body", Kind: schema.Text}}}})
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	try(err)
	x := new(vectorWorld)
	var gone []int
	for range rapid.IntRange(1, 3).Draw(t, "segments") {
		for i := range rapid.SampledFrom([]int{1, 40, 700, 2500}).Draw(t, "documents") {
			id, doc := len(x.docs), map[string]uint32{}
			var v []schema.Impact
			for j := range 12 {
				if r.IntN(1+j*j/2) == 0 {
					weight := 1 + r.IntN(1+r.IntN(255))
					doc[fmt.Sprint("t", j)] = uint32(weight)
					v = append(v, schema.Impact{Term: fmt.Sprint("t", j), Weight: uint8(weight)})
				}
			}
			try(w.Add(ctx, writer.Doc{ID: fmt.Append(nil, id), Values: []schema.Value{
				schema.ImpactsValue(0, v), schema.TextValue(1, fmt.Appendf(nil, "w%d w%d w%d", r.IntN(4), r.IntN(4), r.IntN(60)))}}))
			if x.docs = append(x.docs, doc); i > 0 && r.IntN(15) == 0 { // a segment of which nothing is left would move docIDs
				gone = append(gone, id)
			}
		}
		try(w.Flush(ctx))
	}
	for _, id := range gone {
		try(w.Delete(ctx, fmt.Append(nil, id)))
		x.docs[id] = nil
	}
	try(w.Commit(ctx))
	try(w.Close())
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	try(err)
	defer index.Close()
	snapshot, err := index.Snapshot()
	try(err)
	defer snapshot.Close()
	x.s, err = search.NewSearcher(snapshot, search.Options{})
	try(err)
	return x
}

// drawDot draws a query.
func drawDot(t *rapid.T) (d query.Dot) {
	d.Field = "v"
	for range rapid.IntRange(1, 14).Draw(t, "terms") {
		term := fmt.Append(nil, "t", rapid.IntRange(0, 13).Draw(t, "term")) // some twice, some that no document has
		d.Terms = append(d.Terms, query.WeightedTerm{Term: string(term), Weight: rapid.Uint32Range(1, rapid.SampledFrom([]uint32{1, 100, 4000}).Draw(t, "most")).Draw(t, "weight")})
	}
	d.Boost = rapid.SampledFrom([]float64{0, 0, 2, 0.7}).Draw(t, "boost")
	return d
}

// dots returns the score of each document that matches d, computed by brute force.
func (x *vectorWorld) dots(d query.Dot) map[uint32]float32 {
	scores := map[uint32]float32{}
	for doc, v := range x.docs {
		sum, has := uint32(0), false
		for _, term := range d.Terms {
			if w := v[string(term.Term)]; w > 0 {
				sum, has = sum+w*term.Weight, true
			}
		}
		if boost := cmp.Or(d.Boost, 1); has {
			scores[uint32(doc)] = float32(sum) * float32(worldScale*boost)
		}
	}
	return scores
}

// hits returns what must be found.
func hits(scores map[uint32]float32, k int) (all []search.Hit) {
	for doc, score := range scores {
		all = append(all, search.Hit{Doc: doc, Score: score})
	}
	slices.SortFunc(all, func(a, b search.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) })
	return all[:min(k, len(all))]
}

// scores returns the scores of all matches of a node, as the engine has them.
func (x *vectorWorld) scores(t *rapid.T, n query.Node) map[uint32]float32 {
	found, err := x.s.AppendHits(context.Background(), nil, &search.Query{Node: n, K: len(x.docs)})
	if err != nil {
		t.Fatal(err)
	}
	all := map[uint32]float32{}
	for _, h := range found {
		all[h.Doc] = h.Score
	}
	return all
}

// A Dot finds the documents with the greatest dot products, alone and within other nodes, with scores that are those
// of integers added up, to the bit.
func TestDotEqualsOracle(t *testing.T) {
	longtest.Once(t)
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		x := drawVectorWorld(t)
		defer x.s.Close()
		d := drawDot(t)
		dots := x.dots(d)
		word := query.Match{Field: "body", Text: rapid.SampledFrom([]string{"w1", "w1 w2", "w3 w50 w2", "w40 w41"}).Draw(t, "text")}
		words := x.scores(t, word)
		wants := map[string]func() (query.Node, map[uint32]float32){
			"alone": func() (query.Node, map[uint32]float32) { return d, dots },
			"should": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range words {
					want[doc] = s
				}
				for doc, s := range dots {
					want[doc] += s
				}
				return query.Bool{Should: []query.Node{d, word}}, want
			},
			"must": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range dots {
					if base, ok := words[doc]; ok {
						want[doc] = base + s
					}
				}
				return query.Bool{Must: []query.Node{d, word}}, want
			},
			"optional, and a constant": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range words {
					if want[doc] = s; dots[doc] > 0 {
						want[doc] += dots[doc]
					}
					want[doc] += 0.1
				}
				return query.Bool{Must: []query.Node{query.All{Score: 0.1}, word}, Should: []query.Node{d}}, want
			},
			"not": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range words {
					if _, ok := dots[doc]; !ok {
						want[doc] = s
					}
				}
				return query.Bool{Must: []query.Node{word}, MustNot: []query.Node{d}}, want
			},
			"a filter": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range words {
					if _, ok := dots[doc]; ok {
						want[doc] = s
					}
				}
				return query.Bool{Must: []query.Node{word}, Filter: []query.Node{d}}, want
			},
			"filtered": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range dots {
					if _, ok := words[doc]; ok {
						want[doc] = s
					}
				}
				return query.Bool{Must: []query.Node{d}, Filter: []query.Node{word}}, want
			},
			"best": func() (query.Node, map[uint32]float32) {
				want := map[uint32]float32{}
				for doc, s := range words {
					want[doc] = s
				}
				for doc, s := range dots {
					base, both := words[doc]
					want[doc] = max(s, base)
					if both {
						want[doc] += float32(0.5 * min(s, base))
					}
				}
				return query.Best{Of: []query.Node{word, d}, Tie: 0.5}, want
			},
		}
		for name, of := range wants {
			n, want := of()
			for _, k := range []int{1, 10, 10000} {
				got, err := x.s.AppendHits(context.Background(), nil, &search.Query{Node: n, K: k})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if all := hits(want, k); !slices.Equal(got, all) {
					t.Fatalf("%s: top %d of %d is %v, want %v", name, k, len(want), got[:min(len(got), 20)], all[:min(len(all), 20)])
				}
			}
			if count, err := x.s.Count(context.Background(), search.Query{Node: n}); err != nil || count != uint64(len(want)) {
				t.Fatalf("%s: count %d, want %d, %v", name, count, len(want), err)
			}
		}
	})
}

func TestDotRefused(t *testing.T) {
	s := weighted(t, 40)
	one := func(weights ...uint32) (all []query.WeightedTerm) {
		for _, w := range weights {
			all = append(all, query.WeightedTerm{Term: "t0", Weight: w})
		}
		return all
	}
	for _, test := range []struct {
		n    query.Node
		says string
	}{
		{query.Dot{Field: "body", Terms: one(1)}, `"body", which is not of kind impacts`},
		{query.Dot{Field: "k", Terms: one(1)}, `"k", which is not of kind impacts`},
		{query.Dot{Field: "none", Terms: one(1)}, `no field "none"`},
		{query.Dot{Terms: one(1)}, "must name its field"},
		{query.Dot{Field: "v", Terms: one(1, 0)}, `"t0" of a Dot has weight 0`},
		{query.Dot{Field: "v", Terms: one(65793, 1)}, "more than 65793"},
		{query.Dot{Field: "v", Terms: one(1<<32-1, 1<<32-1)}, "more than 65793"},
		{query.Dot{Field: "v", Terms: one(1), Boost: -1}, "boost is -1"},
	} {
		_, err := s.Search(t.Context(), search.Query{Node: query.Bool{Should: []query.Node{test.n}}, K: 1})
		if !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "at Should[0]") {
			t.Errorf("%v; it should say %s", err, test.says)
		}
	}
	if r, err := s.Search(t.Context(), search.Query{Node: query.Dot{Field: "v"}, K: 1}); err != nil || len(r.Hits) > 0 {
		t.Errorf("a Dot of nothing: %v, %v", r.Hits, err)
	}
	if r, err := s.Search(t.Context(), search.Query{Node: query.Dot{Field: "v", Terms: one(65793)}, K: 1}); err != nil || len(r.Hits) != 1 {
		t.Errorf("the greatest weight: %v, %v", r.Hits, err)
	}
}
