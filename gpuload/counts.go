package gpuload

import (
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// counts are what an Executor has answered since Open, over all snapshots.
type counts struct {
	mu   sync.Mutex
	done hybrid.Answered // by schedulers that are closed, and what none was given
	open []scheduler     // the others
}

// leave counts searches that no scheduler is given.
func (c *counts) leave(why gpu.Reason, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done.CPU += int64(n)
	c.done.OnCPU[why] += int64(n)
}

// all returns the sums.
func (c *counts) all() hybrid.Answered {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.done
	for _, x := range c.open {
		sum.Add(x.Answered())
	}
	return sum
}

// opening opens a scheduler over a snapshot and a Searcher of it.
type opening func(*reader.Snapshot, *search.Searcher, hybrid.OpenOptions) (scheduler, error)

// counting makes open open schedulers that are counted until they are closed, and what they have done for good.
func (c *counts) counting(open opening) opening {
	return func(s *reader.Snapshot, q *search.Searcher, o hybrid.OpenOptions) (scheduler, error) {
		x, err := open(s, q, o)
		if err != nil {
			return nil, err
		}
		return c.count(x), nil
	}
}

// count counts what a scheduler does.
func (c *counts) count(x scheduler) scheduler {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, x)
	return counted{x, c}
}

// counted is a scheduler of counts.
type counted struct {
	scheduler
	c *counts
}

// Close closes the scheduler, whose counters stay.
func (x counted) Close() error {
	err := x.scheduler.Close()
	x.end()
	return err
}

// Follow has another scheduler follow, which is counted, too.
func (x counted) Follow(s *reader.Snapshot, q *search.Searcher) (scheduler, error) {
	next, err := x.scheduler.Follow(s, q)
	x.end()
	if err != nil {
		return nil, err
	}
	return x.c.count(next), nil
}

// end keeps the counters of a scheduler that is closed.
func (x counted) end() {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	if i := slices.Index(x.c.open, x.scheduler); i >= 0 {
		x.c.open = slices.Delete(x.c.open, i, i+1)
		x.c.done.Add(x.scheduler.Answered())
		x.c.done.Resident = 0
	}
}
