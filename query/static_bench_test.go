//go:build unix

package query_test

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// BenchmarkStatic asks the queries in PINION_QUERIES (lines of a number, tab, text) of the index PINION_INDEX with static
// scores by its columns "rank" and "pr", in turn with the same without. It reports the processor time of a query, and how
// much of the others' that is: medians over the rounds.
func BenchmarkStatic(b *testing.B) {
	dir, file := os.Getenv("PINION_INDEX"), os.Getenv("PINION_QUERIES")
	if dir == "" || file == "" {
		b.Skip("PINION_INDEX and PINION_QUERIES name no index and queries")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	index, err := reader.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snapshot.Close()
	s, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var queries []string
	for line := range bytes.Lines(text) {
		_, line, _ = bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
		queries = append(queries, string(line))
	}
	for _, c := range []struct {
		name   string
		mode   query.Mode
		static query.Static
	}{
		{"or rank", query.Or, query.Static{Field: "rank"}},
		{"or rank 0.3", query.Or, query.Static{Field: "rank", Weight: 0.3}},
		{"or rank 0.1", query.Or, query.Static{Field: "rank", Weight: 0.1}},
		{"or pr 0.01", query.Or, query.Static{Field: "pr", Weight: 0.01}},
		{"and rank", query.And, query.Static{Field: "rank"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			ask := func(static *query.Static) time.Duration {
				start := cputime.Process()
				for _, q := range queries {
					if _, err := s.Search(b.Context(), query.Query{Text: q, Mode: c.mode, Static: static}); err != nil {
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
