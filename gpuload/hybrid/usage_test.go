package hybrid

import (
	"math"
	"testing"
	"time"
)

// While a GPU answers, the cores that others take are left to them, and two of 16 besides, but no more than they
// take.
func TestUsage(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		busy float64 // cores of the process
		max  int     // goroutines answer
		left int
	}{{16, 12, 10}, {14, 8, 8}, {8, 0, 6}, {3, 2, 14}, {0, 0, math.MaxInt}} {
		var u usage
		now, cpu := ms, time.Duration(0)
		for range 50 {
			u.answer(c.max, now)
			if u.due(now) {
				u.observe(cpu, 16, now)
			}
			now += ms
			cpu += time.Duration(c.busy * float64(ms))
		}
		if got := u.left(); got != c.left {
			t.Errorf("%g cores busy, %d of them answer: %d are left, want %d", c.busy, c.max, got, c.left)
		}
	}
	s := dueStock()
	s.workers, s.usage = 16, usage{cores: 16, others: 9.5}
	s.add(callDue(1<<16, 0, 0))
	if n := s.idle(); n != 16 {
		t.Errorf("without a batch %d cores may answer", n)
	}
	s.takeGPU(ms)
	if n := s.idle(); n != 4 {
		t.Errorf("with 9.5 of 16 cores taken %d may answer, want 4", n)
	}
	s.usage.others = 15.9
	if n := s.idle(); n != 1 {
		t.Errorf("with all cores taken %d may answer, want 1", n)
	}
}
