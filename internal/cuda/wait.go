package cuda

import (
	"fmt"
	"runtime"
	"time"
)

// hangs is the time after which work on a device counts as hung: a batch takes
// milliseconds.
const hangs = 20 * time.Second

// Waiting asks often at first, since most batches take less than a millisecond, and then
// leaves the processor to others.
const (
	spinFor   = 200 * time.Microsecond
	sleepEach = 50 * time.Microsecond
)

// errHang is the error of a device that hangs.
var errHang = fmt.Errorf("%w: it does not finish its work", ErrDevice)

// wait calls done until it reports true or an error, for at most limit. Then the error
// matches errHang.
func wait(done func() (bool, error), limit time.Duration) error {
	start := time.Now()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		switch waited := time.Since(start); {
		case waited > limit:
			return fmt.Errorf("%w in %v", errHang, limit)
		case waited > spinFor:
			time.Sleep(sleepEach)
		default:
			runtime.Gosched()
		}
	}
}
