package engine

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// scanning says how the vectors of a query are compared.
type scanning struct {
	threads int // goroutines at most; 0 means 1
	piece   int // vectors that one takes at a time; 0 means the usual number, and no more goroutines than have enough to do
}

// helped is how many values of vectors each goroutine must have to look at: an eighth of a millisecond, as starting one takes a few microseconds.
const helped = 1 << 20

// scanners is how many goroutines of the process compare vectors. Those that help others are so many that each has a CPU.
var scanners atomic.Int32

// help counts a goroutine that helps, if there is a CPU for it.
func help() bool {
	if int(scanners.Add(1)) <= runtime.GOMAXPROCS(0) {
		return true
	}
	scanners.Add(-1)
	return false
}

// work does a scan, with the help of other goroutines if the query may have them. They have ended when it returns.
func (r nearing) work(s *near.Scan) error {
	most := max(r.scanning.threads, 1)
	if r.s.remote { // they would read the same blocks
		most = 1
	}
	if r.scanning.piece == 0 {
		most = min(most, s.Values()/helped)
	}
	scanners.Add(1)
	defer scanners.Add(-1)
	var others sync.WaitGroup
	var mu sync.Mutex
	var failed error
	done := r.words.Context.Done()
	for n := 1; n < most && help(); n++ {
		others.Go(func() {
			defer scanners.Add(-1)
			err := indexdir.Guard(func() error {
				return s.Work(func() bool {
					select {
					case <-done:
						return true
					default:
						return false
					}
				})
			})
			if err != nil {
				s.Fail()
				mu.Lock()
				defer mu.Unlock()
				failed = err
			}
		})
	}
	err := func() error {
		done := false
		defer func() {
			if !done { // it faults
				s.Fail()
			}
			others.Wait()
		}()
		err := s.Work(r.Stopped)
		done = true
		return err
	}()
	if err == nil {
		err = failed
	}
	return err
}
