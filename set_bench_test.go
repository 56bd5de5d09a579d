package pinion_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// priced makes an index of documents with a price.
func priced(b *testing.B, docs int) *pinion.Index {
	x, err := pinion.Open(b.Context(), b.TempDir(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "price", Kind: schema.Integer, Column: true, Stored: true}}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	r := rand.New(rand.NewPCG(1, 1))
	for at := 0; at < docs; {
		var batch pinion.Batch
		for ; at < docs && batch.Len() < 10_000; at++ {
			batch.Add(pinion.Doc{ID: fmt.Sprint("doc", at), Fields: map[string]any{"title": fmt.Sprint("vase ", r.IntN(1000), " ", r.IntN(30)), "price": r.IntN(1e6)}})
		}
		if err := x.Apply(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	return x
}

// set changes n prices, durably.
func set(b *testing.B, x *pinion.Index, r *rand.Rand, docs, n int) {
	var batch pinion.Batch
	for range n {
		batch.Set(fmt.Sprint("doc", r.IntN(docs)), "price", r.IntN(1e6))
	}
	if err := x.Apply(b.Context(), &batch); err != nil {
		b.Fatal(err)
	}
	if err := x.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSet changes a number of each of 1,000 documents, durably.
func BenchmarkSet(b *testing.B) {
	const docs, n = 338_791, 1000
	x, r := priced(b, docs), rand.New(rand.NewPCG(2, 1))
	set(b, x, r, docs, n)
	before := cputime.Process()
	for b.Loop() {
		set(b, x, r, docs, n)
	}
	b.ReportMetric(float64((cputime.Process()-before).Nanoseconds())/float64(b.N)/n, "cpu-ns/change")
}

// BenchmarkSearchSet searches by a filter and sorts, with and without changes of 1 % of the column.
func BenchmarkSearchSet(b *testing.B) {
	const docs = 338_791
	for _, changed := range []int{0, docs / 100} {
		x := priced(b, docs)
		if changed > 0 {
			set(b, x, rand.New(rand.NewPCG(2, 1)), docs, changed)
		}
		r := rand.New(rand.NewPCG(3, 1))
		b.Run(fmt.Sprint(changed, " changed"), func(b *testing.B) {
			for b.Loop() {
				lo := r.IntN(900_000)
				if _, err := x.Search(b.Context(), pinion.Request{Query: query.Match{Text: fmt.Sprint("vase ", r.IntN(30))},
					Filter: query.Range{Field: "price", Min: lo, Max: lo + 100_000}, Sort: []pinion.Sort{{Field: "price"}}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
