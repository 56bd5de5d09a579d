package hybrid

import (
	"testing"
	"time"
)

// TestStockGPUDone checks when batches should be done: behind each other, and not before the least that one
// takes.
func TestStockGPUDone(t *testing.T) {
	const ms = time.Millisecond
	s := dueStock()
	if begun, done := s.gpuDone(); begun != 0 || done != 0 {
		t.Errorf("no batch: begun %v, done %v", begun, done)
	}
	s.add(callDue(100000, 0, 0))
	first := s.takeGPU(ms)
	if begun, done := s.gpuDone(); begun != ms || done != ms+time.Duration(first.n)*time.Microsecond {
		t.Errorf("a batch of %d: begun %v, done %v", first.n, begun, done)
	}
	second := s.takeGPU(2 * ms)
	s.finishGPU(first, true, 6*ms)
	s.each = float64(time.Microsecond)
	if begun, done := s.gpuDone(); begun != 2*ms || done != 6*ms+time.Duration(second.n)*time.Microsecond {
		t.Errorf("a batch of %d behind one that ended after 6 ms: begun %v, done %v", second.n, begun, done)
	}
	s.base = float64(time.Second)
	if _, done := s.gpuDone(); done != 2*ms+time.Second {
		t.Errorf("done %v, before the least that a batch takes", done)
	}
}

// TestStockEach learns what a query takes the GPU, 10 us, but not from a large batch just before which a small one has
// ended: the device worked on both.
func TestStockEach(t *testing.T) {
	const ms = time.Millisecond
	s := dueStock()
	s.each, s.single = 0, 1
	s.add(callDue(100000, 0, 0))
	batch := func(now time.Duration, n int) *bulkBatch {
		t.Helper()
		s.batch = n
		b := s.takeGPU(now)
		if s.batch = 4096; b == nil || b.n != n {
			t.Fatalf("a batch of %d: %+v", n, b)
		}
		return b
	}
	large := batch(0, 900)
	s.finishGPU(batch(ms, 100), true, 10*ms-10*time.Microsecond)
	if s.finishGPU(large, true, 10*ms); s.each != 0 {
		t.Errorf("%v ns a query, by the time between two batches that ended together", s.each)
	}
	s.finishGPU(batch(10*ms, 1000), true, 20*ms)
	if want := 10e3; s.each != want {
		t.Errorf("%v ns a query, not %v", s.each, want)
	}
}

// A GPU that lost by what its first batches loaded is tried again soon, and one trial without that
// is enough. One that goes on losing is tried less and less often.
func TestStockTrials(t *testing.T) {
	const ms = time.Millisecond
	s := dueStock()
	s.mean, s.each = float64(20*time.Microsecond), 0
	s.add(callDue(100000, 0, 0))
	// batch lets the GPU answer one, with so many goroutines that work for it meanwhile.
	batch := func(now, took time.Duration, hosts int) (ended time.Duration) {
		t.Helper()
		b := s.takeGPU(now)
		if b == nil {
			t.Fatalf("no batch at %v: off %v, rests until %v", now, s.off, s.rested)
		}
		s.observe(0, now)
		s.observe(hosts, now+took)
		s.finishGPU(b, true, now+took)
		return now + took
	}
	now := batch(0, 25*ms, 4)
	if !s.off {
		t.Fatal("a core takes 20 us for a query and 24 for one on the GPU, which is used")
	}
	if s.takeGPU(now+24*ms) != nil {
		t.Error("the GPU is tried at once")
	}
	now = batch(now+25*ms, ms/2, 1)
	if s.off {
		t.Fatalf("the GPU is not used after a good trial: it takes the cores %v a query", time.Duration(s.host))
	}
	if b := s.takeGPU(now); b == nil || b.trial || b.n < wholeBatch {
		t.Errorf("the next batch is %+v", b)
	} else {
		s.finishGPU(b, true, now+ms)
	}
	s.off, s.trials, s.rested = true, 0, 0
	for i, rest := 0, time.Duration(2); i < 8; i, rest = i+1, min(2*rest, 32) {
		from := now + time.Second
		now = batch(from, 10*ms, 4)
		if want := now + rest*10*ms; s.rested != want {
			t.Errorf("after trial %d the GPU rests for %v, not %v", i+1, s.rested-now, want-now)
		}
	}
}
