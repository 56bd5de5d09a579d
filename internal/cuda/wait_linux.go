package cuda

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// hangs is the time after which work on a device counts as hung: a batch takes
// milliseconds.
const hangs = 20 * time.Second

// Waiting polls all the time at first, since most batches take less than a millisecond, and
// yields between two polls, since the work for other batches needs the cores. A wait beside no other does not
// yield if there are quietProcs Ps: a yield may move the goroutine to a core that was idle, with
// cold caches and a low clock, and single queries take 1.1 to 1.2 times as long. Later it naps
// between two polls, for 1/napShare of the time waited so far but no longer than mostNap, and so
// notices late by little. A yield that takes busyYield has run other goroutines and was nap enough.
const (
	spinFor   = 200 * time.Microsecond
	napShare  = 8
	mostNap   = 500 * time.Microsecond
	busyYield = 10 * time.Microsecond

	quietProcs = 4
)

// errHang is the error of a device that hangs.
var errHang = fmt.Errorf("%w: it does not finish its work", ErrDevice)

// wait calls done until it reports true or an error, for at most limit. Then the error
// matches errHang. waiting counts the waits for a device.
func wait(done func() (bool, error), waiting *atomic.Int32, limit time.Duration) error {
	waiting.Add(1)
	defer waiting.Add(-1)
	procs := runtime.GOMAXPROCS(0)
	start := time.Now()
	for {
		waited := time.Since(start) // before asking: the process may be stopped after that
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if waited > limit {
			return fmt.Errorf("%w in %v", errHang, limit)
		}
		if quiet(waited, waiting.Load(), procs) {
			continue
		}
		asked := time.Since(start)
		runtime.Gosched()
		if waited > spinFor && time.Since(start)-asked < busyYield {
			nap(min(waited/napShare, mostNap))
		}
	}
}

// quiet reports whether a wait, one of waiting, polls again without a yield.
func quiet(waited time.Duration, waiting int32, procs int) bool {
	return waiting == 1 && procs >= quietProcs && waited <= spinFor
}

// nap sleeps for d and less than 0.1 ms more. In a program that is otherwise idle,
// time.Sleep takes at least 1.1 ms, because the runtime waits in milliseconds (epoll_wait):
// a batch of 0.3 ms would take 1.35.
func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal may end it early
}
