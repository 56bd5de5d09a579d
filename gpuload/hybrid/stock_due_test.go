package hybrid

import (
	"testing"
	"time"
)

// callDue returns a call of n queries that arrive now, with a deadline after that or 0.
func callDue(n int, now, after time.Duration) *groupCall {
	g := &groupCall{all: make([]int32, n), hi: n, next: make([]int32, n), cost: make([]float32, n)}
	for i := range g.all {
		g.all[i] = int32(i)
	}
	g.arrive(now, after)
	return g
}

// dueStock returns a stock whose processors are known: a query takes a core 20 us, and the GPU
// 1 us after 100 us for a batch.
func dueStock() *stock {
	var o Options
	o.setDefaults()
	s := newStock(&o, 4, true)
	s.proven, s.base, s.each, s.known = 1<<20, float64(100*time.Microsecond), float64(time.Microsecond), 256
	s.adds = s.mayAdd()
	return &s
}

// TestStockDue lets calls in whose deadlines are nearer than those of others that wait.
func TestStockDue(t *testing.T) {
	s := dueStock()
	late, none, near := callDue(2000, 0, 500*time.Millisecond), callDue(2000, 0, 0), callDue(300, time.Millisecond, 20*time.Millisecond)
	for _, g := range []*groupCall{late, none, near} {
		s.add(g)
	}
	b := s.takeGPU(time.Millisecond)
	if b == nil || b.parts[0].g != near || len(b.parts) > 1 && b.parts[1].g != late {
		t.Errorf("the GPU does not take the query whose deadline is next: %+v", b)
	}
	// A core, which otherwise weighs the newest, takes the oldest once half of its time is gone.
	s = dueStock()
	s.add(callDue(2000, 0, 100*time.Millisecond))
	s.add(callDue(2000, 40*time.Millisecond, 100*time.Millisecond))
	s.takeGPU(40 * time.Millisecond)
	var e errand
	if !s.takeCPU(49*time.Millisecond, &e, nil) || !e.weigh {
		t.Errorf("a core takes %+v", e.portion)
	}
	s.put(&e, make([]uint8, len(e.at)), time.Microsecond)
	first := s.calls[0]
	if !s.takeCPU(51*time.Millisecond, &e, nil) || e.weigh || e.g != first || e.g.due != 100*time.Millisecond {
		t.Errorf("a core takes %+v, not what is urgent", e.portion)
	}
	if !s.takeCPU(101*time.Millisecond, &e, nil) || !e.weigh && e.g == first {
		t.Error("a core takes first what is late anyway")
	}
}

// TestStockBatchDue lets the GPU take no more than it answers in half of the time that is left. What is
// late anyway must not make batches small.
func TestStockBatchDue(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		most  int
	}{{0, 4096}, {100 * time.Millisecond, 4096}, {4 * time.Millisecond, 1899}, {time.Millisecond, 1000}, {time.Nanosecond, 4096}} {
		s := dueStock()
		s.add(callDue(1<<16, 0, c.after))
		if b := s.takeGPU(time.Nanosecond); b == nil || b.n != c.most {
			t.Errorf("deadline after %v: a batch of %d, want %d", c.after, b.n, c.most)
		}
	}
	s := dueStock()
	s.base = float64(4 * time.Millisecond) // any batch takes longer than half of the time
	s.add(callDue(1<<16, 0, 7*time.Millisecond))
	if b := s.takeGPU(time.Nanosecond); b == nil || b.n != 1000 {
		t.Errorf("a batch of %d, too small to answer what follows in time", b.n)
	}
}

// TestStockWaits checks that no query waits for ever for a GPU that takes none while newer ones
// that suit the CPU better keep coming.
func TestStockWaits(t *testing.T) {
	s := dueStock()
	s.base = float64(time.Second) // the GPU takes no batch
	old := callDue(1, 0, 0)
	s.add(old)
	var e errand
	for now := time.Duration(0); now < 2*patience; now += 100 * time.Microsecond {
		if s.left < 100 {
			s.add(callDue(100, now, 0))
		}
		s.rested = never
		if b := s.takeGPU(now); b != nil {
			t.Fatalf("the GPU takes %d", b.n)
		}
		if !s.takeCPU(now, &e, nil) {
			continue
		}
		if !e.weigh {
			if e.g == old {
				if now < patience {
					t.Errorf("the query that the GPU saves most on is answered after %v", now)
				}
				return
			}
			s.finishCPU(&e, 20*time.Microsecond)
			continue
		}
		bin := make([]uint8, len(e.at))
		if e.g == old {
			bin[0] = bins - 1
		}
		s.put(&e, bin, 20*time.Microsecond)
	}
	t.Error("a query waits for ever")
}

// TestStockReported checks what Stats says of queries in groups that wait.
func TestStockReported(t *testing.T) {
	var b bulk
	b.stock = *dueStock()
	b.done.Grouped = 300
	b.stock.add(callDue(100, 3*time.Millisecond, 0))
	b.stock.add(callDue(200, 4*time.Millisecond, time.Millisecond)) // goes first
	var s Stats
	b.report(&s, 10*time.Millisecond)
	if w := s.Waiting; w.Grouped != 300 || w.Oldest != 7*time.Millisecond {
		t.Errorf("%+v", w)
	}
}

// TestStockAdds has cores that answer in no time that the clock shows: they could add much, and that stays a
// number however often it is averaged.
func TestStockAdds(t *testing.T) {
	s, now := dueStock(), time.Millisecond
	s.adds = 0
	s.add(callDue(1<<17, 0, 0))
	s.flying = []*bulkBatch{{n: 4096}}
	for range 20 {
		b := s.flying[0]
		s.flying = append(s.flying, &bulkBatch{n: 4096, begun: now})
		s.finishCPU(&errand{portion: portion{at: make([]int32, 256)}}, 0)
		now += time.Millisecond
		s.observe(0, now)
		s.finishGPU(b, true, now)
		if !(s.adds > contestShare && s.adds < 1e18) || s.alone() {
			t.Fatalf("cores could add %v, the GPU answers alone: %v", s.adds, s.alone())
		}
	}
}
