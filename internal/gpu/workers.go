package gpu

import (
	"sync"
	"sync/atomic"
)

// workers counts goroutines at work for calls, beside those that wait.
type workers struct{ atomic.Int64 }

// aside calls f, which waits, and does not count the goroutine as working meanwhile.
func (w *workers) aside(f func()) {
	w.Add(-1)
	defer w.Add(1)
	f()
}

// join runs work in at most n goroutines, one of which is the caller's. When that returns, it
// waits for those that have begun and no other may begin: on busy cores a new goroutine gets
// its turn after 0.5 ms or more. So work must not return while something is left that nobody
// has taken.
func (w *workers) join(n int, work func(i int)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	over := false
	for i := 1; i < n; i++ {
		go func() {
			mu.Lock()
			if over {
				mu.Unlock()
				return
			}
			wg.Add(1)
			mu.Unlock()
			defer wg.Done()
			w.Add(1)
			defer w.Add(-1)
			work(i)
		}()
	}
	work(0)
	mu.Lock()
	over = true
	mu.Unlock()
	w.aside(wg.Wait)
}
