package gpu

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// What has not begun when the caller is through is not waited for and does not begin; what has
// begun is waited for.
func TestTeam(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var x Executor
	var begun atomic.Int64
	for try := 1; ; try++ { // the scheduler may stop the caller at any place, but seldom does
		begun.Store(0)
		x.working.join(8, func(int) { begun.Add(1) })
		runtime.Gosched()
		n := begun.Load()
		if n == 1 {
			break
		}
		if try == 20 {
			t.Fatalf("%d goroutines have worked", n)
		}
	}
	var done, here atomic.Int64
	x.working.join(3, func(i int) {
		if here.Add(1); i > 0 {
			time.Sleep(2 * time.Millisecond)
		}
		for here.Load() < 3 {
			runtime.Gosched()
		}
		done.Add(1)
	})
	if done.Load() != 3 || x.Working() != 0 {
		t.Errorf("%d of 3 were waited for, %d work", done.Load(), x.Working())
	}
}
