//go:build unix

package search_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// BenchmarkTrees asks trees of the terms of the queries in PINION_QUERIES (lines of a number, tab, text) of the index
// PINION_INDEX, in turn with flat queries over the same lists. It reports the processor time of a tree, and how much
// of theirs that is: medians over the rounds.
func BenchmarkTrees(b *testing.B) {
	s, text := benchQueries(b)
	or := func(n ...query.Node) query.Node { return query.Bool{Should: n} }
	and := func(n ...query.Node) query.Node { return query.Bool{Must: n} }
	for _, c := range []struct {
		name  string
		terms int
		tree  func(t []query.Node) query.Node
		flat  func(t []query.Node) []query.Node
	}{
		{"or in and", 3, func(t []query.Node) query.Node { return and(or(t[0], t[1]), t[2]) },
			func(t []query.Node) []query.Node { return []query.Node{and(t[0], t[2]), and(t[1], t[2])} }},
		{"not", 2, func(t []query.Node) query.Node { return query.Bool{Must: t[:1], MustNot: t[1:2]} },
			func(t []query.Node) []query.Node { return []query.Node{t[0], and(t[0], t[1])} }},
		{"two of five", 5, func(t []query.Node) query.Node { return query.Bool{Should: t[:5], AtLeast: 2} },
			func(t []query.Node) []query.Node { return []query.Node{or(t[:5]...)} }},
		{"and in or", 3, func(t []query.Node) query.Node { return or(and(t[0], t[1]), t[2]) },
			func(t []query.Node) []query.Node { return []query.Node{and(t[0], t[1]), t[2]} }},
		{"must and should", 3, func(t []query.Node) query.Node { return query.Bool{Must: t[:1], Should: t[1:3]} },
			func(t []query.Node) []query.Node { return []query.Node{or(t[:3]...)} }},
		{"best", 3, func(t []query.Node) query.Node { return query.Best{Of: t[:3], Tie: 0.3} },
			func(t []query.Node) []query.Node { return []query.Node{or(t[:3]...)} }},
		{"all of the words of a text", 3, func(t []query.Node) query.Node { return query.And(t) },
			func(t []query.Node) []query.Node { return []query.Node{textOf(t, query.ModeAnd)} }},
		{"any of the words of a text", 3, func(t []query.Node) query.Node { return query.Or(t) },
			func(t []query.Node) []query.Node { return []query.Node{textOf(t, query.ModeOr)} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var trees, flat []query.Node
			for _, t := range distinct(text, c.terms) {
				trees, flat = append(trees, c.tree(t)), append(flat, c.flat(t)...)
			}
			ask := func(nodes []query.Node) time.Duration {
				start := cputime.Process()
				for _, n := range nodes {
					if _, err := s.Search(b.Context(), search.Query{Node: n}); err != nil {
						b.Fatal(err)
					}
				}
				return cputime.Process() - start
			}
			ask(trees)
			ask(flat)
			var times, ratios []float64
			for b.Loop() {
				t, f := ask(trees), ask(flat)
				times, ratios = append(times, float64(t.Nanoseconds())/1e3/float64(len(trees))), append(ratios, float64(t)/float64(f))
			}
			slices.Sort(times)
			slices.Sort(ratios)
			b.ReportMetric(times[len(times)/2], "us/tree")
			b.ReportMetric(ratios[len(ratios)/2], "of-flat")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// distinct returns the terms of the queries with at least n distinct ones, in an order that says nothing of them.
func distinct(text []byte, n int) (all [][]query.Node) {
	for line := range bytes.Lines(text) {
		_, line, _ = bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
		words := bytes.Fields(line)
		slices.SortFunc(words, func(a, b []byte) int { return bytes.Compare(reversed(a), reversed(b)) })
		words = slices.CompactFunc(words, bytes.Equal)
		if len(words) < n {
			continue
		}
		var terms []query.Node
		for _, w := range words[:n] {
			terms = append(terms, query.Term{Text: string(w)})
		}
		all = append(all, terms)
	}
	return all
}

// textOf returns the Match of the words of Terms.
func textOf(terms []query.Node, m query.Mode) query.Node {
	var words []string
	for _, t := range terms {
		words = append(words, t.(query.Term).Text)
	}
	return query.Match{Text: strings.Join(words, " "), Mode: m}
}

func reversed(b []byte) []byte {
	r := bytes.Clone(b)
	slices.Reverse(r)
	return r
}
