//go:build unix

package search_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// BenchmarkPrefix asks the queries in PINION_QUERIES (lines of a number, tab, text) of the index PINION_INDEX as they are
// while their last word is typed: the word before must match, and one that begins with the first letters of the last. It reports
// the median and the 99th percentile.
func BenchmarkPrefix(b *testing.B) {
	s, text := benchQueries(b)
	for letters, name := range []string{1: "one letter", 2: "two letters", 3: "three letters"} {
		if letters == 0 {
			continue
		}
		var nodes []query.Node
		for line := range bytes.Lines(text) {
			_, line, _ = bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
			if words := bytes.Fields(line); len(words) > 1 {
				last := words[len(words)-1]
				nodes = append(nodes, query.And{query.Term{Text: string(words[len(words)-2])}, query.Prefix{Text: string(last[:min(letters, len(last))])}})
			}
		}
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				for _, n := range nodes {
					start := time.Now()
					if _, err := s.Search(b.Context(), search.Query{Node: n}); err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(start))
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "us-median")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "us-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}
