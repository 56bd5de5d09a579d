package hybrid

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// kinds are kinds of query, made of the words of one of a log and its number.
var kinds = []struct {
	name string
	of   func(words []string, number int) search.Query
}{
	{"or", func(w []string, _ int) search.Query { return search.Query{Node: body(w, query.ModeOr)} }},
	{"and", func(w []string, _ int) search.Query { return search.Query{Node: body(w, query.ModeAnd)} }},
	{"or-total", func(w []string, _ int) search.Query { return search.Query{Node: body(w, query.ModeOr), Total: true} }},
	{"and-total", func(w []string, _ int) search.Query { return search.Query{Node: body(w, query.ModeAnd), Total: true} }},
	{"or-after", func(w []string, _ int) search.Query {
		return search.Query{Node: body(w, query.ModeOr), After: &search.Position{Score: float32(len(w)) * 2}}
	}},
	{"and-after", func(w []string, _ int) search.Query {
		return search.Query{Node: body(w, query.ModeAnd), After: &search.Position{Score: float32(len(w)) * 2}}
	}},
	{"all-fields-or", func(w []string, _ int) search.Query { return search.Query{Text: strings.Join(w, " ")} }},
	{"all-fields-and", func(w []string, _ int) search.Query {
		return search.Query{Node: query.Match{Text: strings.Join(w, " "), Mode: query.ModeAnd}}
	}},
	{"must-should", func(w []string, _ int) search.Query {
		return search.Query{Node: query.Bool{Must: each(w[:1]), Should: each(w[1:])}}
	}},
	{"must-not", func(w []string, _ int) search.Query {
		return search.Query{Node: query.Bool{Must: each(w[1:]), MustNot: each(w[:1])}}
	}},
	{"should-not", func(w []string, _ int) search.Query {
		return search.Query{Node: query.Bool{Should: each(w[1:]), MustNot: each(w[:1])}}
	}},
	{"at-least-2", func(w []string, _ int) search.Query {
		return search.Query{Node: query.Bool{Should: each(w), AtLeast: 2}}
	}},
	{"either-and-either", func(w []string, _ int) search.Query {
		half := (len(w) + 1) / 2
		return search.Query{Node: query.Bool{Must: []query.Node{query.Bool{Should: each(w[:half])}, query.Bool{Should: each(w[half:])}}}}
	}},
	{"best", func(w []string, _ int) search.Query {
		return search.Query{Node: query.Best{Of: each(w[:min(len(w), 3)])}}
	}},
	{"best-field", func(w []string, _ int) search.Query {
		text := strings.Join(w, " ")
		return search.Query{Node: query.Best{Of: []query.Node{query.Match{Field: "title", Text: text}, query.Match{Field: "body", Text: text}}, Tie: 0.3}}
	}},
	{"own-range", func(w []string, number int) search.Query {
		return search.Query{Node: query.Bool{Must: []query.Node{body(w, query.ModeOr)}, Filter: []query.Node{
			query.Range{Field: "n", Min: schema.IntegerValue(0, int64(number)), Max: schema.IntegerValue(0, int64(number)+100_000)}}}}
	}},
}

func body(words []string, mode query.Mode) query.Node {
	return query.Match{Field: "body", Text: strings.Join(words, " "), Mode: mode}
}

// each returns words as terms of the body.
func each(words []string) (all []query.Node) {
	for _, w := range words {
		all = append(all, query.Term{Field: "body", Text: w})
	}
	return all
}

// BenchmarkKinds answers kinds of query over the documents of the file PINION_KINDS_TEXT, of words of the log PINION_KINDS_LOG, top 10, on a
// GPU and on all cores. It compares the answers, and reports thousand queries a second of each and how many queries the GPU left to the cores.
func BenchmarkKinds(b *testing.B) {
	file, log := os.Getenv("PINION_KINDS_TEXT"), os.Getenv("PINION_KINDS_LOG")
	if file == "" || log == "" {
		b.Skip("no PINION_KINDS_TEXT or PINION_KINDS_LOG")
	}
	do := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	text, err := os.ReadFile(log)
	do(err)
	s, cpu := kindsIndex(b, file)
	p, err := pool.New(cpu, pool.Options{})
	do(err)
	defer p.Close()
	dev, err := gpu.OpenDevice()
	do(err)
	defer dev.Close()
	x, err := gpu.New(dev, s, gpu.Options{CPU: p})
	do(err)
	defer x.Close()
	do(x.LoadAll(context.Background()))
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			var queries []search.Query
			for range 4 {
				for line := range strings.Lines(string(text)) {
					_, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
					if w := strings.Fields(words); len(w) > 1 {
						queries = append(queries, kind.of(w, len(queries)))
					}
				}
			}
			rate := func(e search.Executor) ([]search.Result, float64) {
				best := math.Inf(1)
				var results []search.Result
				for range 4 {
					begun := time.Now()
					var err error
					results, err = e.Execute(context.Background(), queries)
					do(err)
					if best = min(best, time.Since(begun).Seconds()); time.Since(begun) > time.Second {
						break
					}
				}
				return results, float64(len(queries)) / best / 1e3
			}
			for range b.N {
				before := x.Stats().OnCPU
				got, gpu := rate(x)
				left := int64(0)
				for r, n := range x.Stats().OnCPU {
					left += n - before[r]
				}
				want, cores := rate(p)
				for i := range want {
					if !slices.Equal(got[i].Hits, want[i].Hits) || got[i].Total != want[i].Total {
						b.Fatalf("query %+v: %v, want %v", queries[i], got[i], want[i])
					}
				}
				b.ReportMetric(gpu, "gpu-kq/s")
				b.ReportMetric(cores, "cpu-kq/s")
				b.ReportMetric(float64(left), "left")
				b.ReportMetric(gpu/cores, "times")
			}
		})
	}
}

// kindsIndex returns an index of the documents of a file, of which the first words are titles.
func kindsIndex(b *testing.B, file string) (*reader.Snapshot, *search.Searcher) {
	b.Helper()
	do := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	f, err := os.Open(file)
	do(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	do(err)
	fs := memfs.New()
	w, err := writer.OpenFS(b.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text, Analyzer: "simple"},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "title", Kind: schema.Text, Analyzer: "simple", Lengths: schema.LengthsByte}}}})
	do(err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for i := int64(0); lines.Scan(); i++ {
		var doc struct{ Contents string }
		do(json.Unmarshal(lines.Bytes(), &doc))
		words := strings.Fields(doc.Contents)
		title := strings.Join(words[:min(len(words), 6)], " ")
		do(w.Add(b.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(0, []byte(doc.Contents)),
			schema.IntegerValue(1, i*7919%338_791), schema.TextValue(2, []byte(title))}}))
	}
	do(lines.Err())
	_, err = w.Merge(b.Context(), writer.MergeOptions{})
	do(errors.Join(err, w.Commit(b.Context()), w.Close()))
	index, err := reader.Open(b.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	s, err := index.Snapshot()
	do(err)
	cpu, err := search.NewSearcher(s, search.Options{})
	do(errors.Join(err, index.Close()))
	b.Cleanup(func() { cpu.Close(); s.Close() })
	return s, cpu
}
