package gpubench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// latency measures the latency of consecutive batches, and of single queries through a
// Gatherer.
func (b *Bench) latency(ctx context.Context, e *engine) error {
	n, rounds := 10000, 200
	if b.Small {
		n, rounds = 40, 2
	}
	for _, c := range []struct {
		mode query.Mode
		rare bool
	}{{query.And, true}, {query.Or, true}} {
		qs := e.Model.Queries(n, 10, c.mode, c.rare, 1000)
		var took []time.Duration
		for i := range 5 + rounds {
			start := time.Now()
			if _, err := e.gpu.Execute(ctx, qs); err != nil {
				return err
			}
			if i >= 5 { // buffers have grown by now
				took = append(took, time.Since(start))
			}
		}
		slices.Sort(took)
		b.add(Row{Name: fmt.Sprintf("batch of %d, %v, 99th percentile", n, c.mode), Value: ms(took[(rounds*99-1)/100]), Unit: "ms",
			Note: fmt.Sprintf("median %.1f ms of %d batches, one after another; goal at most 20 ms", ms(took[rounds/2]), rounds)})
		if err := b.gathered(ctx, e, qs, c.mode); err != nil {
			return err
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// gathered runs single queries from many goroutines. Each goroutine sends its next query
// when it has the answer to the previous one.
func (b *Bench) gathered(ctx context.Context, e *engine, qs []query.Query, mode query.Mode) error {
	clients, rounds := 8192, 8
	if b.Small {
		clients, rounds = 16, 2
	}
	g := gpuload.NewGatherer(e.gpu, gpuload.GatherOptions{Threshold: 8 << 20})
	defer g.Close()
	took := make([]time.Duration, clients*rounds)
	errs := make([]error, clients)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range clients {
		wg.Go(func() {
			for r := range rounds {
				start := time.Now()
				if _, err := g.Search(ctx, qs[(i+r*clients)%len(qs)]); err != nil {
					errs[i] = err
					return
				}
				took[i*rounds+r] = time.Since(start)
			}
		})
	}
	wg.Wait()
	sec := time.Since(begin).Seconds()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	slices.Sort(took)
	s := g.Stats()
	b.add(Row{Name: fmt.Sprintf("gathered %v, %d clients", mode, clients), Value: float64(len(took)) / sec / 1e3, Unit: "k queries/s",
		Note: fmt.Sprintf("a query waits %.1f ms, 99th percentile %.1f ms; %d batches of %d", ms(took[len(took)/2]),
			ms(took[len(took)*99/100]), s.Batches, s.Queries/max(s.Batches, 1))})
	return nil
}
