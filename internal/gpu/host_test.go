//go:build emu && cgo

package gpu

import (
	"bufio"
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// unmanned is a device whose batches do nothing once idle is set, so that what is left is
// the host's work.
type unmanned struct {
	cuda.Device
	idle atomic.Bool
}

func (d *unmanned) Submit(b *cuda.Batch) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Submit(b)
}

func (d *unmanned) Wait(stream int) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Wait(stream)
}

func hostQueries(b *testing.B, s *search.Searcher, mode query.Mode) []search.Query {
	f, err := os.Open(os.Getenv("PINION_QUERIES"))
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	var out []search.Query
	for in := bufio.NewScanner(f); in.Scan(); {
		_, text, _ := strings.Cut(in.Text(), "\t")
		terms, err := s.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, search.Query{RawTerms: terms, K: 10, Mode: mode})
	}
	return out
}

// BenchmarkHost measures what the host does for batches of an index in PINION_INDEX and
// queries in PINION_QUERIES, lists resident, without the device's work.
func BenchmarkHost(b *testing.B) {
	x, err := reader.Open(b.Context(), reader.Dir(os.Getenv("PINION_INDEX")), reader.Options{})
	if err != nil {
		b.Skip(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	s, err := search.NewSearcher(snap, search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	views, err := segmentsOf(snap, nil)
	if err != nil {
		b.Fatal(err)
	}
	dev := &unmanned{Device: cuda.NewEmulator()}
	e, err := newExecutor(dev, views, Options{Scorer: s.Scorer(), CPU: s, Memory: 1 << 26, NoPresence: true})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	and := hostQueries(b, s, query.ModeAnd)
	plans := e.resolve(and)
	var use []*plan
	for i := range plans {
		use = append(use, &plans[i])
	}
	if err := e.bring(context.Background(), use, e.stages.Next()); err != nil {
		b.Fatal(err)
	}
	dev.idle.Store(true)
	defer dev.idle.Store(false)
	for _, mode := range []query.Mode{query.ModeAnd, query.ModeOr} {
		var qs []search.Query
		for len(qs) < 16384 {
			for _, q := range and {
				q.Mode = mode
				qs = append(qs, q)
			}
		}
		b.Run("resolve/"+mode.String(), func(b *testing.B) {
			start := cputime.Process()
			for b.Loop() {
				e.resolve(qs)
			}
			b.ReportMetric(float64(cputime.Process()-start)/float64(b.N*len(qs)), "ns/query")
		})
		for _, n := range []int{1, 2} {
			b.Run(mode.String()+"/"+string(rune('0'+n)), func(b *testing.B) {
				b.ReportAllocs()
				arenas := make([]search.Arena, n)
				start := cputime.Process()
				for b.Loop() {
					var wg sync.WaitGroup
					for i := range n {
						wg.Go(func() {
							if _, err := e.ExecuteInto(context.Background(), qs, &arenas[i]); err != nil {
								b.Error(err)
							}
						})
					}
					wg.Wait()
				}
				b.ReportMetric(float64(cputime.Process()-start)/float64(b.N*len(qs)*n), "ns/query")
			})
		}
	}
}
