package gpu

import (
	"context"
	"sync"
	"sync/atomic"
)

// state says whether an Executor's device answers queries: not while the driver compiles
// the kernels, and not after a failure.
type state struct {
	works atomic.Bool
	short atomic.Int32  // calls in a row that ran out of memory
	ready chan struct{} // closed when works has been true or never will be
	once  sync.Once     // of started
	mu    sync.Mutex
	err   error // why the device does not answer
}

// started ends the start, unless it has ended: the device works, or never will because of
// err.
func (s *state) started(err error) {
	s.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
		s.works.Store(err == nil)
		close(s.ready)
	})
}

// retire makes the device answer no more queries.
func (s *state) retire(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.works.Store(false)
}

// await waits until the device has started, and returns why it does not answer.
func (s *state) await(ctx context.Context) error {
	select {
	case <-s.ready:
		return s.failed()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failed returns why the device does not answer, or nil.
func (s *state) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
