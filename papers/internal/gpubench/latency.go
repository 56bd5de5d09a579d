package gpubench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/query"
)

// latency measures the latency of consecutive batches.
func (b *Bench) latency(ctx context.Context, e *engine) error {
	n, rounds := 10000, 200
	if b.Small {
		n, rounds = 40, 2
	}
	for _, mode := range []query.Mode{query.ModeAnd, query.ModeOr} {
		qs := asked(e.Set, draw(e.Set, n, whole, b.Seed+1000), 10, mode)
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
		b.add(Row{Name: fmt.Sprintf("batch of %d, %v, 99th percentile", n, mode), Value: ms(took[(rounds*99-1)/100]), Unit: "ms",
			Note: fmt.Sprintf("median %.1f ms of %d batches, one after another; goal at most 20 ms", ms(took[rounds/2]), rounds)})
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
