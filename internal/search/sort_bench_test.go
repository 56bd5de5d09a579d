//go:build unix

package search_test

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
)

// BenchmarkSortByScore asks the queries in PINION_QUERIES (lines of a number, tab, text) of the index PINION_INDEX, sorted by scores and
// then by its column PINION_COLUMN, or by the column and then by scores, in turn with the same without an order. It reports the processor
// time of a query, and how much of the others' that is: medians over the rounds.
func BenchmarkSortByScore(b *testing.B) {
	s, text := benchQueries(b)
	column := os.Getenv("PINION_COLUMN")
	if column == "" {
		b.Skip("no PINION_COLUMN")
	}
	var queries []string
	for line := range bytes.Lines(text) {
		_, line, _ = bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
		queries = append(queries, string(line))
	}
	for _, c := range []struct {
		name string
		by   []search.SortBy
	}{
		{"column", []search.SortBy{{Field: column}}},
		{"score column", []search.SortBy{{Score: true}, {Field: column}}},
		{"column score", []search.SortBy{{Field: column}, {Score: true}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			ask := func(by []search.SortBy) time.Duration {
				start := cputime.Process()
				for _, q := range queries {
					if _, err := s.Search(b.Context(), search.Query{Text: q, Sort: by}); err != nil {
						b.Fatal(err)
					}
				}
				return cputime.Process() - start
			}
			ask(c.by)
			ask(nil)
			var times, ratios []float64
			for b.Loop() {
				t, f := ask(c.by), ask(nil)
				times, ratios = append(times, float64(t.Nanoseconds())/1e3/float64(len(queries))), append(ratios, float64(t)/float64(f))
			}
			slices.Sort(times)
			slices.Sort(ratios)
			b.ReportMetric(times[len(times)/2], "us/query")
			b.ReportMetric(ratios[len(ratios)/2], "of-plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}
