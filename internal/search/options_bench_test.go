//go:build unix

package search_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// BenchmarkOptions asks the queries in PINION_QUERIES (lines of a number, tab, text) of the index
// PINION_INDEX, opened with each of the reader's options in turn. It reports the processor time of
// a warm query that the option adds to that of a mapped, checked index: the median over the rounds.
func BenchmarkOptions(b *testing.B) {
	dir, file := os.Getenv("PINION_INDEX"), os.Getenv("PINION_QUERIES")
	if dir == "" || file == "" {
		b.Skip("PINION_INDEX and PINION_QUERIES name no index and queries")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	variants := []struct {
		name  string
		o     reader.Options
		guard bool // one more indexdir.Guard around each query
	}{
		{name: "mapped"}, {name: "guard", guard: true}, {name: "unchecked", o: reader.Options{Unchecked: true}},
		{name: "read", o: reader.Options{Access: store.Access{Read: true}}},
		{name: "populate", o: reader.Options{Access: store.Access{Populate: true}}},
		{name: "lock", o: reader.Options{Access: store.Access{Lock: true}}},
	}
	searchers := make([]*search.Searcher, len(variants))
	var queries [][][]byte
	for i, v := range variants {
		x, err := reader.Open(b.Context(), reader.Dir(dir), v.o)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EPERM) {
			continue // not here
		}
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		if searchers[i], err = search.NewSearcher(s, search.Options{}); err != nil {
			b.Fatal(err)
		}
		defer searchers[i].Close()
		for line := range bytes.Lines(text) {
			_, q, _ := bytes.Cut(bytes.TrimSpace(line), []byte("\t"))
			if terms, err := searchers[0].Parse(string(q)); i == 0 && err == nil && len(terms) > 0 {
				queries = append(queries, terms)
			}
		}
	}
	for _, mode := range []query.Mode{query.ModeAnd, query.ModeOr} {
		b.Run(mode.String(), func(b *testing.B) {
			round := func(i int) float64 {
				start := cputime.Process()
				var hits []search.Hit
				for _, terms := range queries {
					ask := func() (err error) {
						hits, err = searchers[i].AppendHits(b.Context(), hits[:0], &search.Query{RawTerms: terms, K: 10, Mode: mode})
						return err
					}
					err := error(nil)
					if variants[i].guard {
						err = indexdir.Guard(ask)
					} else {
						err = ask()
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				return float64(cputime.Process()-start) / float64(len(queries))
			}
			times := make([][]float64, len(variants))
			added := make([][]float64, len(variants))
			for n := 0; b.Loop(); n++ {
				took := make([]float64, len(variants))
				for at := range variants {
					i := (at + n) % len(variants) // what comes later in a round has no advantage
					if searchers[i] == nil {
						continue
					}
					if n == 0 {
						round(i)
					}
					took[i] = round(i)
				}
				for i := range variants {
					if took[i] > 0 {
						times[i], added[i] = append(times[i], took[i]), append(added[i], took[i]-took[0])
					}
				}
			}
			for i, v := range variants {
				if n := len(times[i]); n > 0 && i == 0 {
					slices.Sort(times[i])
					b.ReportMetric(times[i][n/2], v.name+"-ns")
				} else if n > 0 {
					slices.Sort(added[i])
					b.ReportMetric(added[i][n/2], v.name+"-added-ns")
				}
			}
		})
	}
}
