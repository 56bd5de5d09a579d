//go:build unix

package search_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// BenchmarkMixed asks queries of several kinds of scores, in turn with the queries that they are made of or like: the words of
// PINION_QUERIES (lines of a number, tab, text) and the vectors of PINION_VECTORS (lines of JSON) of the index PINION_INDEX with
// the fields title and body of text, vector of impacts, and pr, a column of floats. It reports the processor time of a query, and how
// much of the others' that is: medians over the rounds.
func BenchmarkMixed(b *testing.B) {
	dir, file, vectors := os.Getenv("PINION_INDEX"), os.Getenv("PINION_QUERIES"), os.Getenv("PINION_VECTORS")
	if dir == "" || file == "" || vectors == "" {
		b.Skip("PINION_INDEX, PINION_QUERIES and PINION_VECTORS name no index, queries and vectors")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	dots := readDots(b, vectors)
	s := benchSearcher(b, dir)
	pr := &search.Static{Field: "pr", Boost: 1}
	var words []string
	for line := range bytes.Lines(text) {
		_, line, _ = bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
		words = append(words, string(line))
	}
	title := func(q string) query.Node { return query.Match{Field: "title", Text: q} }
	body := func(q string) query.Node { return query.Match{Field: "body", Text: q} }
	all := func(q string) query.Node { return query.Match{Field: "body", Text: q, Mode: query.ModeAnd} }
	for _, c := range []struct {
		name  string
		mixed func(q string, d query.Dot) search.Query
		plain func(q string, d query.Dot) []search.Query
	}{
		{"dot", func(q string, d query.Dot) search.Query { return search.Query{Node: d} }, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: d}} }},
		{"words and dot", func(q string, d query.Dot) search.Query {
			return search.Query{Node: query.Bool{Should: []query.Node{body(q), d}}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: body(q)}, {Node: d}} }},
		{"words and a light dot", func(q string, d query.Dot) search.Query {
			d.Boost = 0.0005
			return search.Query{Node: query.Bool{Should: []query.Node{body(q), d}}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: body(q)}, {Node: d}} }},
		{"dot of all words", func(q string, d query.Dot) search.Query {
			return search.Query{Node: query.Bool{Must: []query.Node{all(q)}, Should: []query.Node{d}}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: all(q)}, {Node: d}} }},
		{"dot with static", func(q string, d query.Dot) search.Query {
			return search.Query{Node: d, Static: pr}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: d}} }},
		{"best of fields", func(q string, d query.Dot) search.Query {
			return search.Query{Node: query.Best{Of: []query.Node{title(q), body(q)}, Tie: 0.3}}
		}, func(q string, d query.Dot) []search.Query {
			return []search.Query{{Node: query.Bool{Should: []query.Node{title(q), body(q)}}}}
		}},
		{"best of fields, no tie", func(q string, d query.Dot) search.Query {
			return search.Query{Node: query.Best{Of: []query.Node{title(q), body(q)}}}
		}, func(q string, d query.Dot) []search.Query {
			return []search.Query{{Node: query.Bool{Should: []query.Node{title(q), body(q)}}}}
		}},
		{"best of fields by word", func(q string, d query.Dot) search.Query {
			var each []query.Node
			for _, w := range bytes.Fields([]byte(q)) {
				each = append(each, query.Best{Of: []query.Node{query.Term{Field: "title", Text: string(w)}, query.Term{Field: "body", Text: string(w)}}, Tie: 0.3})
			}
			return search.Query{Node: query.Bool{Should: each}}
		}, func(q string, d query.Dot) []search.Query {
			return []search.Query{{Node: query.Bool{Should: []query.Node{title(q), body(q)}}}}
		}},
		{"best of words", func(q string, d query.Dot) search.Query {
			return search.Query{Node: query.Best{Of: termsOf(q), Tie: 0.3}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: body(q)}} }},
		{"all terms", func(q string, d query.Dot) search.Query {
			return search.Query{Node: query.Bool{Must: termsOf(q)}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: all(q)}} }},
		{"must and should", func(q string, d query.Dot) search.Query {
			t := termsOf(q)
			return search.Query{Node: query.Bool{Must: t[:1], Should: t[1:]}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: body(q)}} }},
		{"two of them", func(q string, d query.Dot) search.Query {
			t := termsOf(q)
			return search.Query{Node: query.Bool{Should: t, AtLeast: min(2, len(t))}}
		}, func(q string, d query.Dot) []search.Query { return []search.Query{{Node: body(q)}} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var mixed, plain []search.Query
			for i, q := range words[:min(len(words), 300)] {
				mixed, plain = append(mixed, c.mixed(q, dots[i%len(dots)])), append(plain, c.plain(q, dots[i%len(dots)])...)
			}
			ask := func(all []search.Query) time.Duration {
				start := cputime.Process()
				for _, q := range all {
					if _, err := s.Search(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
				return cputime.Process() - start
			}
			ask(mixed)
			ask(plain)
			var times, ratios []float64
			for b.Loop() {
				t, f := ask(mixed), ask(plain)
				times, ratios = append(times, float64(t.Nanoseconds())/1e3/float64(len(mixed))), append(ratios, float64(t)/float64(f))
			}
			slices.Sort(times)
			slices.Sort(ratios)
			b.ReportMetric(times[len(times)/2], "us/query")
			b.ReportMetric(ratios[len(ratios)/2], "of-plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// termsOf returns terms of the field body.
func termsOf(q string) (all []query.Node) {
	for _, w := range bytes.Fields([]byte(q)) {
		all = append(all, query.Term{Field: "body", Text: string(w)})
	}
	return all
}

// readDots reads vectors, lines of JSON, as queries of the field vector.
func readDots(b *testing.B, file string) (dots []query.Dot) {
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct{ Vector map[string]uint32 }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			b.Fatal(err)
		}
		d := query.Dot{Field: "vector"}
		for term, w := range q.Vector {
			d.Terms = append(d.Terms, query.WeightedTerm{Term: term, Weight: w})
		}
		dots = append(dots, d)
	}
	return dots
}
