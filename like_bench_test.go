package pinion_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// BenchmarkLike finds documents that are similar to one of 100,000, of 200 words each, in one segment and in several, and in control what a
// search of the same terms finds; choose and without are the parts of it.
func BenchmarkLike(b *testing.B) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(56, 1))
	words := rand.NewZipf(rng, 1.1, 3, 200_000)
	docs := make([]pinion.Doc, 100_000)
	for i := range docs {
		var text []byte
		for range 200 {
			text = fmt.Appendf(text, "w%d ", words.Uint64())
		}
		docs[i] = pinion.Text(fmt.Sprint(i), string(text))
	}
	for _, memory := range []int64{1 << 30, pinion.DefaultMemory} {
		x, err := pinion.OpenFS(ctx, memfs.New(), pinion.Options{NoCache: true, Memory: memory, Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}}}})
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Add(ctx, docs...); err != nil {
			b.Fatal(err)
		}
		benchmarkLike(b, x, rng)
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkLike(b *testing.B, x *pinion.Index, rng *rand.Rand) {
	ctx := context.Background()
	segments := 0
	if err := x.View(ctx, func(v *pinion.View) error { segments = v.Snapshot().Stats().Segments; return nil }); err != nil {
		b.Fatal(err)
	}
	like := func(b *testing.B, id int) query.Bool {
		n, err := x.Like(ctx, pinion.Like{IDs: []string{fmt.Sprint(id)}})
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	search := func(b *testing.B, n query.Node) {
		if _, err := x.Search(ctx, pinion.Request{Query: n}); err != nil {
			b.Fatal(err)
		}
	}
	ids, nodes := make([]int, 1000), make([]query.Bool, 1000)
	for i := range nodes {
		ids[i] = rng.IntN(x.Len())
		nodes[i] = like(b, ids[i])
	}
	for _, c := range []struct {
		name string
		do   func(b *testing.B, i int)
	}{
		{"like", func(b *testing.B, i int) { search(b, like(b, ids[i])) }},
		{"choose", func(b *testing.B, i int) { like(b, ids[i]) }},
		{"without", func(b *testing.B, i int) { search(b, nodes[i]) }},
		{"control", func(b *testing.B, i int) { search(b, query.Bool{Should: nodes[i].Should}) }},
	} {
		b.Run(fmt.Sprintf("segments=%d/%s", segments, c.name), func(b *testing.B) {
			cpu := cputime.Process()
			for i := 0; b.Loop(); i++ {
				c.do(b, i%len(ids))
			}
			b.ReportMetric(float64((cputime.Process()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}
