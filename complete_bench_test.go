package pinion_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// BenchmarkComplete completes the beginnings of words of a generated collection: a million distinct words, of which few are frequent, in half
// a million documents of a hundred tenants.
func BenchmarkComplete(b *testing.B) {
	ctx := context.Background()
	x, err := pinion.OpenFS(ctx, memfs.New(), pinion.Options{NoCache: true, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "words", Kind: schema.Text, Analyzer: "simple", Index: schema.IndexDocs},
		{Name: "tenant", Kind: schema.Keyword, Index: schema.IndexDocs, Column: true}, {Name: "rank", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(54, 7))
	words := make([]string, 1_000_000)
	for i := range words {
		w := make([]byte, 4+rng.IntN(8))
		for k := range w {
			w[k] = "etaoinshrdlcumwfgypbvkjxqz"[min(rng.IntN(26), rng.IntN(26))]
		}
		words[i] = string(w)
	}
	zipf := rand.NewZipf(rng, 1.05, 10, uint64(len(words)-1))
	var docs []pinion.Doc
	for i := range 500_000 {
		var text strings.Builder
		for range 6 {
			text.WriteString(words[zipf.Uint64()] + " ")
		}
		fmt.Fprint(&text, words[2*i], " ", words[2*i+1])
		docs = append(docs, pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"words": text.String(), "tenant": fmt.Sprint("t", rng.IntN(100)), "rank": rng.IntN(1000)}})
		if len(docs) == 10_000 {
			if err := x.Add(ctx, docs...); err != nil {
				b.Fatal(err)
			}
			docs = docs[:0]
		}
	}
	if err := x.Sync(ctx); err != nil {
		b.Fatal(err)
	}
	typed := make([]string, 256)
	for i := range typed {
		typed[i] = words[zipf.Uint64()]
	}
	for _, c := range []struct {
		name string
		of   func(word string) pinion.Complete
	}{
		{"three", func(w string) pinion.Complete { return pinion.Complete{Text: w[:3]} }},
		{"tenant", func(w string) pinion.Complete {
			return pinion.Complete{Text: w[:3], Filter: query.Equal("tenant", "t7")}
		}},
		{"slip", func(w string) pinion.Complete { return pinion.Complete{Text: w[:1] + w[2:3] + w[1:2] + w[3:4]} }},
		{"before", func(w string) pinion.Complete { return pinion.Complete{Text: words[0] + " " + w[:2]} }},
		{"by-column", func(w string) pinion.Complete { return pinion.Complete{Text: w[:3], By: "rank"} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for i := 0; b.Loop(); i++ {
				q := c.of(typed[i%len(typed)])
				q.Field = "words"
				found, err := x.Complete(ctx, q)
				if err != nil {
					b.Fatal(err)
				}
				n += len(found)
			}
			b.ReportMetric(float64(n)/float64(b.N), "words/op")
		})
	}
}
