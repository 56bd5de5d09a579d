package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
)

// TestWait waits for work that finishes, that fails and that never finishes.
func TestWait(t *testing.T) {
	broken := errors.New("broken")
	for _, v := range []struct {
		polls int
		err   error
		limit time.Duration
		want  error
	}{{1, nil, 0, nil}, {300, nil, time.Hour, nil}, {3, broken, time.Hour, broken}, {1 << 30, nil, time.Millisecond, ErrDevice}} {
		n := 0
		err := wait(func() (bool, error) {
			n++
			return n == v.polls && v.err == nil, map[bool]error{true: v.err}[n == v.polls]
		}, new(atomic.Int32), v.limit)
		if !errors.Is(err, v.want) || (v.want == nil || v.want == broken) && n != v.polls {
			t.Errorf("%+v: %v after %d polls", v, err, n)
		}
		if errors.Is(err, errHang) != (v.want == ErrDevice) {
			t.Errorf("%+v: %v", v, err)
		}
	}
}

// BenchmarkWait reports how late a wait ends and what it costs the processor, in an idle
// program and in one with more work than processors.
func BenchmarkWait(b *testing.B) {
	for _, busy := range []int{0, 2 * runtime.GOMAXPROCS(0)} {
		for _, d := range []time.Duration{100 * time.Microsecond, 300 * time.Microsecond, time.Millisecond, 10 * time.Millisecond} {
			b.Run(fmt.Sprintf("busy=%d/%v", busy, d), func(b *testing.B) {
				var stop atomic.Bool
				var wg sync.WaitGroup
				for range busy {
					wg.Go(func() {
						for !stop.Load() {
							for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
							}
							runtime.Gosched()
						}
					})
				}
				late, before := time.Duration(0), cputime.Process()
				for b.Loop() {
					end := time.Now().Add(d)
					_ = wait(func() (bool, error) { return !time.Now().Before(end), nil }, new(atomic.Int32), time.Hour)
					late += time.Since(end)
				}
				b.ReportMetric(float64(late.Microseconds())/float64(b.N), "us-late/op")
				b.ReportMetric(float64((cputime.Process()-before).Microseconds())/float64(b.N), "us-cpu/op")
				stop.Store(true)
				wg.Wait()
			})
		}
	}
}

// TestWaitStopped stops the process, for longer than the limit, after the device has said that it
// works: it is asked once more.
func TestWaitStopped(t *testing.T) {
	asked := 0
	err := wait(func() (bool, error) {
		if asked++; asked > 1 {
			return true, nil
		}
		time.Sleep(20 * time.Millisecond)
		return false, nil
	}, new(atomic.Int32), 10*time.Millisecond)
	if err != nil || asked != 2 {
		t.Errorf("%v after %d questions", err, asked)
	}
}

// TestWaitYields waits on one P, and beside another wait, and counts how often another goroutine
// runs meanwhile.
func TestWaitYields(t *testing.T) {
	for _, others := range []int32{0, 1} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			var stop, ran atomic.Int64
			defer stop.Store(1)
			go func() {
				for stop.Load() == 0 {
					ran.Add(1)
					runtime.Gosched()
				}
			}()
			var waiting atomic.Int32
			waiting.Store(others)
			const polls = 300
			n := 0
			if err := wait(func() (bool, error) { n++; return n > polls, nil }, &waiting, time.Hour); err != nil {
				t.Fatal(err)
			}
			if ran.Load() < polls/2 || waiting.Load() != others {
				t.Errorf("beside %d: the other goroutine ran %d times in %d polls; %d wait", others, ran.Load(), polls, waiting.Load())
			}
		}()
	}
	for _, v := range []struct {
		waited  time.Duration
		waiting int32
		procs   int
		want    bool
	}{{0, 1, quietProcs, true}, {spinFor, 1, quietProcs, true}, {spinFor + 1, 1, quietProcs, false}, {0, 2, quietProcs, false}, {0, 1, quietProcs - 1, false}} {
		if quiet(v.waited, v.waiting, v.procs) != v.want {
			t.Errorf("%+v", v)
		}
	}
}
