//go:build unix

package search_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// BenchmarkDots asks the weighted queries in PINION_QUERIES (lines of JSON with a vector) of the field PINION_FIELD of the
// index PINION_INDEX, and reports the mean over the queries of the least
// processor time of each.
func BenchmarkDots(b *testing.B) {
	dir, file := os.Getenv("PINION_INDEX"), os.Getenv("PINION_QUERIES")
	if dir == "" || file == "" {
		b.Skip("PINION_INDEX and PINION_QUERIES name no index and queries")
	}
	field := os.Getenv("PINION_FIELD")
	if field == "" {
		field = "v"
	}
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var dots []query.Dot
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct{ Vector map[string]uint32 }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			b.Fatal(err)
		}
		d := query.Dot{Field: field}
		for term, w := range q.Vector {
			d.Terms = append(d.Terms, query.WeightedTerm{Term: term, Weight: w})
		}
		dots = append(dots, d)
	}
	s := benchSearcher(b, dir)
	for _, k := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			least := make([]time.Duration, len(dots))
			var hits []search.Hit
			for i := range b.N * len(dots) {
				n := i % len(dots)
				start := cputime.Process()
				if hits, err = s.AppendHits(b.Context(), hits[:0], &search.Query{Node: dots[n], K: k}); err != nil {
					b.Fatal(err)
				}
				if d := cputime.Process() - start; i < len(dots) || d < least[n] {
					least[n] = d
				}
			}
			sum := time.Duration(0)
			for _, d := range least {
				sum += d
			}
			b.ReportMetric(float64(sum.Microseconds())/float64(len(dots)), "us/query")
		})
	}
}
