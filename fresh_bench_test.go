package pinion

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
)

// BenchmarkFresh searches 500 times a second beside 1,000 documents that are added a second, where searches see all of them
// and where they may lag: an operation is a search. It reports half and 99 hundredths of the times, and the time of
// processors of all.
func BenchmarkFresh(b *testing.B) {
	for _, visible := range []time.Duration{0, 100 * time.Millisecond} {
		b.Run(fmt.Sprint("visible=", visible), func(b *testing.B) {
			x := must(Open(ctx, b.TempDir(), Options{Visible: visible}))(b)
			defer x.Close()
			text := func(i int) string {
				return fmt.Sprintf("word%d rose word%d of the thorn word%d and the garden", i%100, i%1000, i%7919)
			}
			for i := range 30_000 {
				if err := x.Add(ctx, Text(fmt.Sprint(i), text(i))); err != nil {
					b.Fatal(err)
				}
			}
			if err := x.Sync(ctx); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			cpu := cputime.Process()
			done := make(chan struct{})
			var group, searches sync.WaitGroup
			group.Go(func() {
				tick := time.NewTicker(time.Millisecond)
				defer tick.Stop()
				for i := 0; ; i++ {
					select {
					case <-done:
						return
					case <-tick.C:
						if err := x.Add(ctx, Text(fmt.Sprint("new", i%20_000), text(i))); err != nil {
							b.Error(err)
						}
					}
				}
			})
			took := make([]time.Duration, b.N)
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for i := range took {
				<-tick.C
				searches.Go(func() {
					began := time.Now()
					if _, err := x.Search(ctx, ask(fmt.Sprintf("word%d garden", i%1000), 10)); err != nil {
						b.Error(err)
					}
					took[i] = time.Since(began)
				})
			}
			searches.Wait()
			close(done)
			group.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[b.N/2].Microseconds())/1e3, "p50-ms")
			b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1e3, "p99-ms")
			b.ReportMetric(float64((cputime.Process()-cpu).Microseconds())/float64(b.N), "cpu-us/op")
		})
	}
}
