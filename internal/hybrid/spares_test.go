package hybrid

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSpares passes jobs between goroutines: none belongs to two at a time, and most are used again.
func TestSpares(t *testing.T) {
	const goroutines, rounds = 8, 20_000
	var s spares
	var made, twice atomic.Int64
	given := make(chan *job, 4096)
	var taken sync.Map // *job: *atomic.Bool, whether a goroutine has it
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for range rounds {
				j := s.get()
				if j == nil {
					made.Add(1)
					j = new(job)
				}
				own, _ := taken.LoadOrStore(j, new(atomic.Bool))
				if own.(*atomic.Bool).Swap(true) {
					twice.Add(1)
				}
				given <- j
				for n := rng.IntN(3); n > 0; n-- { // some give back more than they take
					select {
					case j := <-given:
						own, _ := taken.Load(j)
						own.(*atomic.Bool).Store(false)
						s.put(j)
					default:
					}
				}
				if len(given) > cap(given)/2 {
					j := <-given
					own, _ := taken.Load(j)
					own.(*atomic.Bool).Store(false)
					s.put(j)
				}
			}
		})
	}
	wg.Wait()
	if n := twice.Load(); n != 0 {
		t.Errorf("%d times a job belonged to two goroutines", n)
	}
	if n := made.Load(); n > goroutines*rounds*3/4 { // the race detector drops a part
		t.Errorf("%d of %d jobs were made anew", n, goroutines*rounds)
	}
}
