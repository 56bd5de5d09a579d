package pool

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// dotTerms is how many terms the vectors of dotIndex have: the first in every third document, the others in ever fewer, in
// runs of documents every other one.
const dotTerms = 14

// dotIndex returns a searcher over vectors in segments of many windows, of one and of few documents, and the vectors; nil for
// deleted documents. The column "third" has a document's number modulo 3.
func dotIndex(t *testing.T, rng *rand.Rand) (*search.Searcher, [][dotTerms]uint32, *docset.Bits) {
	l := querytest.NewLive(t, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "third", Kind: schema.Integer, Column: true}, {Name: "vector", Kind: schema.Impacts, Scale: 0.3}}}})
	var docs [][dotTerms]uint32
	deleted := &docset.Bits{}
	for _, n := range []int{60_000, 1, 20_000} {
		base := len(docs)
		docs = append(docs, make([][dotTerms]uint32, n)...)
		var lists [dotTerms]format.Postings
		for term := range lists {
			share := 3 << term / 2
			for d := range n {
				if term%2 == 1 && d/3000%3 > 0 || rng.IntN(share) > 0 && d > 0 {
					continue
				}
				w := uint32(min(1+rng.ExpFloat64()*25, 255))
				docs[base+d][term] = w
				lists[term].Docs, lists[term].Freqs = append(lists[term].Docs, uint32(d)), append(lists[term].Freqs, w)
			}
		}
		l.Do(l.AddInverted(t.Context(), writer.Inverted{Fields: []string{"third", "vector"},
			Docs: func(yield func(writer.InvertedDoc, error) bool) {
				for d := range n {
					if !yield(writer.InvertedDoc{ID: fmt.Append(nil, base+d), Lens: make([]uint32, 2), Values: []schema.Value{schema.IntegerValue(0, int64((base+d)%3))}}, nil) {
						return
					}
				}
			},
			Lists: func(yield func(writer.InvertedList, error) bool) {
				for term, p := range lists {
					if p.Len() > 0 && !yield(writer.InvertedList{Term: fmt.Appendf(nil, "t%02d", term), Field: 1, Postings: p}, nil) {
						return
					}
				}
			}}))
	}
	for range 2000 {
		d := rng.IntN(len(docs))
		l.Do(l.Delete(t.Context(), fmt.Append(nil, d)))
		deleted.Add(uint32(d))
	}
	l.Do(l.Commit(t.Context()))
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, docs, deleted
}

// Dots over many windows are answered as by brute force, alone and filtered, page by page, in all models.
func TestDotWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 2))
	s, docs, deleted := dotIndex(t, rng)
	pools := []*Pool{}
	for _, o := range []Options{{Model: Inter, Workers: 2}, {Model: DocRanges, Workers: 3}, {Model: Partitions, Workers: 2},
		{Model: FineGrained, Workers: 3}, {Model: FineGrained, Workers: 3, TaskPostings: 700}} {
		p, err := New(s, o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		pools = append(pools, p)
	}
	rounds := longtest.Count(25, 60)
	for round := range rounds {
		dot, sum := query.Dot{Field: "vector", Boost: []float64{0, 0.7, 3}[rng.IntN(3)]}, [dotTerms]uint32{}
		for range 1 + rng.IntN(20) {
			term, w := rng.IntN(dotTerms), uint32(1+rng.IntN([]int{1, 100, 3000}[rng.IntN(3)]))
			dot.Terms, sum[term] = append(dot.Terms, query.WeightedTerm{Term: fmt.Sprintf("t%02d", term), Weight: w}), sum[term]+w
		}
		q, in := search.Query{Node: dot, K: []int{1, 10, 100, 1000, 100_000}[rng.IntN(5)]}, &docset.Bits{}
		switch kind := rng.IntN(5); kind {
		case 0, 1: // without a filter
			in.AddSet(docset.Range(0, uint32(len(docs))))
		case 2: // some documents, or few
			for range []int{20, 30_000}[rng.IntN(2)] {
				in.Add(rng.Uint32N(uint32(len(docs))))
			}
			q.Filter = docset.NewGlobal(in.Set())
		case 3:
			q.Node = query.Bool{Must: []query.Node{dot}, Filter: []query.Node{query.Range{Field: "third", Min: schema.IntegerValue(0, 1), Max: schema.IntegerValue(0, 1)}}}
			for d := range docs {
				if d%3 == 1 {
					in.Add(uint32(d))
				}
			}
		case 4: // a range
			lo := uint32(rng.IntN(40_000))
			in.AddSet(docset.Range(lo, uint32(40_000+rng.IntN(40_000))))
			q.Filter = docset.NewGlobal(in.Set())
		}
		var want []search.Hit
		factor := float32(0.3 * cmp.Or(dot.Boost, 1))
		for d, v := range docs {
			if !in.Contains(uint32(d)) || deleted.Contains(uint32(d)) {
				continue
			}
			if total := dotOf(&v, &sum); total > 0 {
				want = append(want, search.Hit{Doc: uint32(d), Score: float32(total) * factor})
			}
		}
		slices.SortFunc(want, func(a, b search.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) })
		if at := rng.IntN(50); at < len(want) && rng.IntN(3) == 0 {
			q.After = &search.Position{Doc: want[at].Doc, Score: want[at].Score}
			want = want[at+1:]
		}
		want = want[:min(len(want), q.K)]
		check := func(by string, got []search.Hit, err error) {
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("round %d, %s: %v, %v of %v with %d filtered and after %v: %d hits %v, want %d %v", round, by, err, q.K, dot, in.Len(),
					q.After, len(got), got[:min(len(got), 12)], len(want), want[:min(len(want), 12)])
			}
		}
		got, err := s.AppendHits(context.Background(), nil, &q)
		check("a searcher", got, err)
		for i, p := range pools {
			got, err := p.AppendHits(context.Background(), nil, &q)
			check(fmt.Sprint("pool ", i), got, err)
		}
	}
}

// dotOf returns the dot product of two vectors.
func dotOf(a, b *[dotTerms]uint32) (sum uint32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
