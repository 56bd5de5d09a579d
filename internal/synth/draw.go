package synth

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
)

// Draw draws the lists of ranks on several goroutines, 0 for one for each CPU, and calls
// take with the index in ranks and the postings, which take may keep. Calls for different
// lists may overlap.
func (c *Collection) Draw(ctx context.Context, ranks []int, threads int, take func(i int, p format.Postings)) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			d := newDrawer(c)
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(ranks) {
					return
				}
				take(i, d.list(ranks[i], 0, Slabs, format.Postings{}))
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
