package hybrid

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestBacklog pushes queries on some goroutines and takes them on others: none is lost or taken twice, and those of one
// goroutine that pushes keep their order unless some are urgent.
func TestBacklog(t *testing.T) {
	const pushers, each = 4, 3000
	b := newBacklog(4)
	var taken [pushers * each]int
	var mu sync.Mutex
	var group sync.WaitGroup
	left := pushers * each
	for g := range pushers {
		group.Go(func() {
			for i := range each {
				b.push(&job{number: int64(g*each + i)})
			}
		})
	}
	for range 2 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(1, 2))
			for {
				jobs := b.take(nil, rng.IntN(100), 0)
				mu.Lock()
				for _, j := range jobs {
					taken[j.number]++
				}
				left -= len(jobs)
				done := left == 0
				mu.Unlock()
				if done {
					return
				}
			}
		})
	}
	group.Wait()
	for i, n := range taken {
		if n != 1 {
			t.Fatalf("query %d was taken %d times", i, n)
		}
	}
	if n := b.len(); n != 0 || b.atLeast() != 0 {
		t.Errorf("%d queries are left, at least %d", n, b.atLeast())
	}
}

// TestBacklogOrder compares what is taken with a plain list.
func TestBacklogOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		b := newBacklog(1)
		var model []*job
		var now time.Duration
		for range 60 {
			now += time.Duration(rng.IntN(3))
			for range rng.IntN(10) {
				j := &job{at: now}
				if rng.IntN(3) == 0 {
					j.due = now + time.Duration(1+rng.IntN(20))
				}
				b.push(j)
				model = append(model, j)
			}
			order := func(j *job) int { // those that are due, the oldest of the others, the rest
				switch {
				case j.due > 0 && j.due < now:
					return 0
				case j.due == 0:
					return 1
				}
				return 2
			}
			slices.SortStableFunc(model, func(a, b *job) int {
				return cmp.Or(order(a)-order(b), int(a.due-b.due))
			})
			n := rng.IntN(12)
			got := b.take(nil, n, now)
			if len(got) != min(n, len(model)) {
				t.Fatalf("%d queries, not %d of %d", len(got), n, len(model))
			}
			for i, j := range got {
				if j.at != model[i].at && j.due == 0 || j.due != model[i].due {
					t.Fatalf("the %d-th query taken at %d arrived at %d, due at %d; want %d, %d", i, now, j.at, j.due, model[i].at, model[i].due)
				}
			}
			model = model[len(got):]
			if b.len() != int64(len(model)) {
				t.Fatalf("%d are left, not %d", b.len(), len(model))
			}
		}
	}
}
