package gpu

import (
	"sync"

	"github.com/pinion-index/pinion/internal/gpu/residency"
)

// expected are lists of queries that will come, in the order in which these need them.
type expected struct {
	joiners  residency.Joiners
	mu       sync.Mutex
	wants    []*residency.Want // some are there twice
	postings int64
	taken    bool // no more are wanted
	gone     bool // those that are joined from now on are not loaded any more
}

// Lists that are expected have at most these postings together, which are 128 MB and 3 ms of
// copying, and this number, which takes the processor 20 ms to load.
const (
	mostExpectedPostings = residency.JoinedAtOnce
	mostExpected         = 1 << 14
)

// take ends the expectation and returns its lists.
func (e *expected) take() []*residency.Want {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken = true
	return e.wants
}

// forget drops the lists that have been joined and are not loaded.
func (e *expected) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gone = true
	for _, w := range e.wants {
		if w.Joined != nil {
			w.Joined.Ahead.Store(nil)
		}
	}
}
