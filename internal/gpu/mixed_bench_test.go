package gpu

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// BenchmarkMixedLengths asks a GPU the disjunctions of the log PINION_QUERIES over the index PINION_INDEX, top 10, in groups of
// 2,048 from a goroutine for each core: first those of less than ten words, then the same with one of ten words in every 2,000.
// That one must not slow the others down, so both rates should be the same.
func BenchmarkMixedLengths(b *testing.B) {
	const group, every, words = 2048, 2000, 10
	index, err := reader.Open(b.Context(), reader.Dir(os.Getenv("PINION_INDEX")), reader.Options{})
	if err != nil {
		b.Skip(err)
	}
	defer index.Close()
	snap, err := index.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	cpu, err := search.NewSearcher(snap, search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer cpu.Close()
	dev, err := OpenDevice()
	if err != nil {
		b.Skip(err)
	}
	defer dev.Close()
	x, err := New(dev, snap, Options{CPU: cpu})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if err := x.Ready(b.Context()); err != nil {
		b.Fatal(err)
	}
	short, long := disjunctionsOf(b, cpu, os.Getenv("PINION_QUERIES"), words)
	var mixed []search.Query
	for i := range max(len(short), every) {
		mixed = append(mixed, short[i%len(short)])
		if i%every == every/2 {
			mixed = append(mixed, long[i/every%len(long)])
		}
	}
	for _, log := range []struct {
		name    string
		queries []search.Query
	}{{"short", short}, {"mixed", mixed}} {
		b.Run(log.name, func(b *testing.B) {
			ask := func(groups int) {
				var wg sync.WaitGroup
				for g := range runtime.GOMAXPROCS(0) {
					wg.Go(func() {
						for i := range groups {
							var qs []search.Query
							for j := range group {
								qs = append(qs, log.queries[((g*groups+i)*group+j)%len(log.queries)])
							}
							if _, err := x.Execute(b.Context(), qs); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
			}
			ask(4) // loads lists
			b.ResetTimer()
			for range b.N {
				ask(16)
			}
			b.ReportMetric(float64(b.N*16*group*runtime.GOMAXPROCS(0))/b.Elapsed().Seconds()/1e3, "kqueries/s")
		})
	}
}

// disjunctionsOf returns the queries of a log that have less than so many terms, and others of so many terms each, joined
// from one after the other.
func disjunctionsOf(b *testing.B, s *search.Searcher, log string, words int) (short, long []search.Query) {
	f, err := os.Open(log)
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	var joined [][]byte
	for in := bufio.NewScanner(f); in.Scan(); {
		_, text, _ := strings.Cut(in.Text(), "\t")
		terms, err := s.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if len(terms) < words {
			short = append(short, search.Query{RawTerms: terms, K: 10, Mode: query.ModeOr})
		}
		for _, t := range terms {
			if !slices.ContainsFunc(joined, func(o []byte) bool { return bytes.Equal(o, t) }) {
				joined = append(joined, t)
			}
		}
		if len(joined) >= words {
			long = append(long, search.Query{RawTerms: joined[:words], K: 10, Mode: query.ModeOr})
			joined = nil
		}
	}
	return short, long
}
