//go:build unix

package search_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// BenchmarkStatic asks the queries in PINION_QUERIES (lines of a number, tab, text) of the index PINION_INDEX with static
// scores by its columns "rank" and "pr", added or multiplied by, in turn with the same without. It reports the processor time of a query, and how
// much of the others' that is: medians over the rounds.
func BenchmarkStatic(b *testing.B) {
	s, text := benchQueries(b)
	var queries []string
	for line := range bytes.Lines(text) {
		_, line, _ = bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
		queries = append(queries, string(line))
	}
	for _, c := range []struct {
		name   string
		mode   query.Mode
		static search.Static
	}{
		{"or rank", query.ModeOr, search.Static{Field: "rank"}},
		{"or rank 0.3", query.ModeOr, search.Static{Field: "rank", Boost: 0.3}},
		{"or rank 0.1", query.ModeOr, search.Static{Field: "rank", Boost: 0.1}},
		{"or pr 0.01", query.ModeOr, search.Static{Field: "pr", Boost: 0.01}},
		{"or times rank", query.ModeOr, search.Static{Field: "rank", Multiply: true}},
		{"or times rank 0.1", query.ModeOr, search.Static{Field: "rank", Boost: 0.1, Multiply: true}},
		{"or times pr 0.01", query.ModeOr, search.Static{Field: "pr", Boost: 0.01, Multiply: true}},
		{"or times saturated pr", query.ModeOr, search.Static{Field: "pr", Saturation: 10, Multiply: true}},
		{"and rank", query.ModeAnd, search.Static{Field: "rank"}},
		{"and times rank", query.ModeAnd, search.Static{Field: "rank", Multiply: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			ask := func(static *search.Static) time.Duration {
				start := cputime.Process()
				for _, q := range queries {
					if _, err := s.Search(b.Context(), search.Query{Text: q, Mode: c.mode, Static: static}); err != nil {
						b.Fatal(err)
					}
				}
				return cputime.Process() - start
			}
			ask(&c.static)
			ask(nil)
			var times, ratios []float64
			for b.Loop() {
				t, f := ask(&c.static), ask(nil)
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
