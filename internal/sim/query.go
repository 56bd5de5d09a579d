package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
)

// drawParams draws parameters of BM25.
func drawParams(r *rand.Rand) query.Params {
	return []query.Params{query.DefaultParams(), query.DefaultParams(), {K1: 1.2, B: 0.75}, query.Exactly(0, 0), {K1: 0.9, B: 1}, query.Exactly(3, 0)}[r.IntN(6)]
}

// drawQuery draws a query over terms, and the same for the oracle.
func drawQuery(r *rand.Rand, terms []string, docs int, p query.Params) (query.Query, oracle.Query) {
	q := query.Query{K: 1 + r.IntN(1<<r.IntN(9)), Mode: query.Mode(r.IntN(3)), Algorithm: query.Algorithms()[r.IntN(len(query.Algorithms()))]}
	o := oracle.Query{K: q.K, Mode: oracle.Mode(q.Mode)}
	o.K1, o.B = p.Values()
	for range 1 + r.IntN(1<<r.IntN(4)) {
		word := fmt.Sprintf("w%d", r.IntN(1<<(1+r.IntN(8))))
		if len(terms) > 0 && r.IntN(4) == 0 {
			word = terms[r.IntN(len(terms))]
		}
		o.Terms = append(o.Terms, word)
		q.RawTerms = append(q.RawTerms, []byte(word))
	}
	if r.IntN(4) == 0 {
		q.Filter = roaring.New()
		for range docs >> r.IntN(8) {
			q.Filter.Add(uint32(r.IntN(docs)))
		}
		o.Filter = q.Filter.Contains
	}
	return q, o
}

// compare returns how the hits of the engine differ from those of the oracle.
func compare(got []query.Hit, want []oracle.Hit) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			return fmt.Errorf("%d hits, want %d", len(got), len(want))
		case got[i].Doc != want[i].Doc || math.Float32bits(got[i].Score) != math.Float32bits(want[i].Score):
			return fmt.Errorf("hit %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// ask draws n queries and compares the answers of s, which gets them in one batch, with
// those of x.
func ask(r *rand.Rand, s query.Executor, x *oracle.Index, p query.Params, docs, n int) error {
	terms := x.Terms()
	batch, want := make([]query.Query, n), make([]oracle.Query, n)
	for i := range batch {
		batch[i], want[i] = drawQuery(r, terms, docs, p)
	}
	got, err := s.Execute(context.Background(), batch)
	if err != nil {
		return err
	}
	for i, q := range batch {
		if err := compare(got[i].Hits, x.Answer(want[i])); err != nil {
			return fmt.Errorf("%q, %v, k %d, by %v, filter %v, %+v: %w", q.RawTerms, q.Mode, q.K, q.Algorithm, q.Filter != nil, p, err)
		}
	}
	return nil
}
