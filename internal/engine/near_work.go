package engine

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
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

// work finds the nearest of v, with the help of other goroutines if the query may have them: they have ended when it returns. Searches at the
// same time that look at all documents have the same v, and do each other's work: lost says that another's failed, so that nothing is known.
func (r nearing) work(v *near.Vectors, n *algorithm.Near) (hits []near.Hit, lost bool, err error) {
	s := v.Begin(&n.Query, int(min(uint64(n.K), max(r.s.docs, 1))))
	defer s.Leave()
	runtime.Gosched() // where searches wait for a CPU, they begin first, and are looked for together
	most := max(r.scanning.threads, 1)
	if r.s.remote { // they would read the same blocks
		most = 1
	}
	if r.scanning.piece == 0 {
		most = min(most, v.Values()/helped)
	}
	scanners.Add(1)
	defer scanners.Add(-1)
	var others sync.WaitGroup
	var mu sync.Mutex
	var failed error
	ended := r.words.Context.Done()
	for threads := 1; threads < most && help(); threads++ {
		others.Go(func() {
			defer scanners.Add(-1)
			err := indexdir.Guard(func() error {
				return s.Work(func() bool {
					select {
					case <-ended:
						return true
					default:
						return false
					}
				})
			})
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = err
			}
		})
	}
	err = func() error {
		defer others.Wait() // also if this one faults, which ends s
		return s.Work(r.Stopped)
	}()
	if err = cmp.Or(err, failed); err != nil {
		return nil, false, err
	}
	select { // pieces that goroutines of other searches look at
	case <-s.Done():
	case <-ended:
	}
	if r.Stopped() {
		return nil, false, r.Err
	}
	if s.Lost() {
		return nil, true, nil
	}
	return s.Hits(), false, nil
}

// vectorsOf says of which field Vectors are, and the size of their pieces.
type vectorsOf struct {
	field uint32
	piece int
}

// sharedVectors are the Vectors of all documents of a Searcher.
type sharedVectors struct {
	mu  sync.Mutex
	all map[vectorsOf]*near.Vectors
}

// of returns those of a field, which the first call makes.
func (x *sharedVectors) of(k vectorsOf, first func() (*near.Vectors, error)) (*near.Vectors, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if v := x.all[k]; v != nil {
		return v, nil
	}
	v, err := first()
	if err != nil {
		return nil, err
	}
	if x.all == nil {
		x.all = map[vectorsOf]*near.Vectors{}
	}
	x.all[k] = v
	return v, nil
}
