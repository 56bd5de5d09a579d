package gpuload

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
	x.join(8, func(i int) {
		begun.Add(1)
		if i > 0 {
			t.Errorf("goroutine %d works though nothing is left", i)
		}
	})
	runtime.Gosched()
	if n := begun.Load(); n != 1 {
		t.Errorf("%d goroutines have worked", n)
	}
	var done, here atomic.Int64
	x.join(3, func(i int) {
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
