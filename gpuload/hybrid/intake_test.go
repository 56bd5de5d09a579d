package hybrid

import (
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
)

// TestIntake pushes jobs from several goroutines while one takes them: none is lost or doubled.
func TestIntake(t *testing.T) {
	const pushers, each = 4, 5000
	var n intake
	jobs := make([]job, pushers*each)
	var group sync.WaitGroup
	for p := range pushers {
		group.Go(func() {
			for i := range each {
				n.push(&jobs[p*each+i])
			}
		})
	}
	over := make(chan struct{})
	go func() { group.Wait(); close(over) }()
	seen := map[*job]bool{}
	for ended := false; !ended; {
		select {
		case <-over:
			ended = true
		default:
		}
		for _, j := range n.take(nil) {
			if seen[j] {
				t.Fatal("a job is taken twice")
			}
			seen[j] = true
		}
	}
	if len(seen) != len(jobs) || n.len() != 0 || n.many.Load() != 0 || n.reaches(1) {
		t.Errorf("%d of %d jobs are taken, %d left", len(seen), len(jobs), n.len())
	}
	for i := range 5000 {
		if n.reaches(int64(i + 1)) {
			t.Fatalf("%d jobs reach %d", i, i+1)
		}
		if n.push(&jobs[i]); i < 500 && !n.reaches(int64(i+1)) || n.reaches(int64(i+2)) {
			t.Fatalf("%d jobs, %d in whole steps", n.len(), n.many.Load())
		}
	}
	if m := n.many.Load(); m < 5000-intakeShards*intakeStep || m > 5000 {
		t.Errorf("%d of 5000 jobs in whole steps", m)
	}
}

// TestSubmitFollows lets each answer submit another query while as many are in the Executor as it
// takes: there is room for it.
func TestSubmitFollows(t *testing.T) {
	s, qs, _ := answeredQueries(t, 200, 5)
	const room, all = 300, 20000
	x := newHybrid(t, s, &stub{Executor: s}, Options{Queue: room})
	var mu sync.Mutex
	left := all
	var group sync.WaitGroup
	var follow func([]query.Hit, error)
	submit := func() {
		mu.Lock()
		left--
		n := left
		mu.Unlock()
		if n < 0 {
			group.Done()
			return
		}
		if err := x.Submit(t.Context(), &qs[n%len(qs)], follow); err != nil {
			t.Error(err)
			group.Done()
		}
	}
	follow = func(_ []query.Hit, err error) {
		if err != nil {
			t.Error(err)
		}
		submit()
	}
	for range room - 32 { // each goroutine that hands out answers holds one more
		group.Add(1)
		submit()
	}
	group.Wait()
	if st := x.Stats(); st.Grouped == 0 || st.Shed > 0 {
		t.Errorf("%+v", st)
	}
	for begun := time.Now(); x.held.Load() != 0; {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("%d queries stay", x.held.Load())
		}
	}
}
