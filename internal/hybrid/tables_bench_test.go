package hybrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// BenchmarkTables answers queries over PINION_TABLE_DOCS documents, top 10, under filters that shares of them pass and with
// static scores, on a GPU and on all cores. It compares the answers, and reports thousand queries a second of each, and how long the
// first query under a filter took.
func BenchmarkTables(b *testing.B) {
	docs, err := strconv.Atoi(os.Getenv("PINION_TABLE_DOCS"))
	if err != nil {
		b.Skip(err)
	}
	do := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	s, cpu := tableIndex(b, docs)
	p, err := pool.New(cpu, pool.Options{})
	do(err)
	defer p.Close()
	dev, err := gpu.OpenDevice()
	do(err)
	defer dev.Close()
	x, err := gpu.New(dev, s, gpu.Options{})
	do(err)
	defer x.Close()
	of := func(field string, share float64) query.Node {
		return query.Range{Field: field, Min: schema.IntegerValue(0, int64(docs/4)), Max: schema.IntegerValue(0, int64(docs/4)+int64(share*float64(docs))-1)}
	}
	var even []uint32
	for i := uint32(0); i < uint32(docs); i += 2 {
		even = append(even, i)
	}
	half := docset.GlobalOf(even...)
	for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd} {
		for _, c := range []struct {
			name   string
			filter query.Node
			docs   *docset.Global
			static bool
		}{{"all", nil, nil, false}, {"50%", of("n", 0.5), nil, false}, {"10%", of("n", 0.1), nil, false}, {"1%", of("n", 0.01), nil, false},
			{"0.1%", of("n", 0.001), nil, false}, {"0.01%", of("n", 0.0001), nil, false}, {"10%-together", of("at", 0.1), nil, false},
			{"bitmap-50%", nil, half, false}, {"static", nil, nil, true}} {
			b.Run(fmt.Sprintf("%v/%s", mode, c.name), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				queries := make([]search.Query, 8192)
				for i := range queries {
					var words []string
					for range 2 + rng.IntN(3) {
						words = append(words, fmt.Sprint("w", tableWord(rng)))
					}
					q := &queries[i]
					q.K, q.Filter = 10, c.docs
					m := query.Match{Field: "body", Text: strings.Join(words, " "), Mode: mode}
					if q.Node = m; c.filter != nil {
						q.Node = query.Bool{Must: []query.Node{m}, Filter: []query.Node{c.filter}}
					}
					if c.static {
						q.Static = &search.Static{Field: "worth"}
					}
				}
				begun := time.Now()
				_, err := x.Execute(context.Background(), queries[:1])
				do(err)
				first := time.Since(begun)
				rate := func(e search.Executor) ([]search.Result, float64) {
					best := math.Inf(1)
					var results []search.Result
					for range 4 {
						begun := time.Now()
						var err error
						results, err = e.Execute(context.Background(), queries)
						do(err)
						best = min(best, time.Since(begun).Seconds())
					}
					return results, float64(len(queries)) / best / 1e3
				}
				for range b.N {
					got, gpu := rate(x)
					want, cores := rate(p)
					for i := range want {
						if !slices.Equal(got[i].Hits, want[i].Hits) {
							b.Fatalf("query %+v: %v, want %v", queries[i], got[i].Hits, want[i].Hits)
						}
					}
					b.ReportMetric(gpu, "gpu-kq/s")
					b.ReportMetric(cores, "cpu-kq/s")
					b.ReportMetric(first.Seconds()*1e3, "first-ms")
				}
			})
		}
	}
}

// tableWord draws a word of documents or queries, the first most often.
func tableWord(rng *rand.Rand) int { return int(math.Exp(rng.Float64()*10)) - 1 }

// tableIndex returns an index of documents with a text, a random number, their own number and a worth.
func tableIndex(b *testing.B, docs int) (*reader.Snapshot, *search.Searcher) {
	b.Helper()
	fs := memfs.New()
	w, err := writer.OpenFS(b.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "at", Kind: schema.Integer, Column: true}, {Name: "worth", Kind: schema.Float, Column: true}}}})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var text []byte
	for i := range docs {
		text = text[:0]
		for range 10 + rng.IntN(40) {
			text = append(strconv.AppendInt(append(text, 'w'), int64(tableWord(rng)), 10), ' ')
		}
		if err := w.Add(b.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(0, text),
			schema.IntegerValue(1, rng.Int64N(int64(docs))), schema.IntegerValue(2, int64(i)), schema.FloatValue(3, rng.Float64())}}); err != nil {
			b.Fatal(err)
		}
	}
	_, err = w.Merge(b.Context(), writer.MergeOptions{})
	if err := errors.Join(err, w.Commit(b.Context()), w.Close()); err != nil {
		b.Fatal(err)
	}
	index, err := reader.Open(b.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := index.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	cpu, err := search.NewSearcher(s, search.Options{})
	if err := errors.Join(err, index.Close()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cpu.Close(); s.Close() })
	return s, cpu
}
