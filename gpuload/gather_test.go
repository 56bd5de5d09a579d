//go:build emu && cgo

package gpuload

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

func newGatherer(t *testing.T, c *gputrial.Collection, sc *query.Scorer, o GatherOptions) *Gatherer {
	t.Helper()
	dev := cuda.NewEmulator()
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: &brute{c: c, sc: sc}})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGatherer(x, o)
	t.Cleanup(func() {
		g.Close()
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// TestGathererAnswers submits queries from many goroutines, with batches that are sent
// for each of the possible reasons.
func TestGathererAnswers(t *testing.T) {
	c, sc := newCollection(t, someShape)
	for name, o := range map[string]GatherOptions{
		"threshold": {Threshold: 2000, Wait: time.Hour, Queries: 1 << 20},
		"queries":   {Queries: 5, Wait: time.Hour},
		"wait":      {Wait: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGatherer(t, c, sc, o)
			qs := c.Draw(rand.New(rand.NewPCG(5, 5)), 60, 4, 30, query.And, query.Or, query.AndOr)
			qs[7].K = 5000 // answered by the CPU
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var wg sync.WaitGroup
			left := make(chan int, len(qs))
			for i := range qs {
				wg.Go(func() {
					r, err := g.Search(ctx, qs[i].Query())
					switch {
					case errors.Is(err, context.Canceled):
						left <- i
					case err != nil:
						t.Errorf("query %d: %v", i, err)
					case !gputrial.Equal(r.Hits, c.Answer(sc, qs[i], nil)):
						t.Errorf("query %d %+v: got %v", i, qs[i], r.Hits)
					}
				})
			}
			if name != "wait" { // the last batch never fills
				for g.Stats().Batches == 0 {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}
			wg.Wait()
			if n := len(left); name == "wait" && n > 0 || n == len(qs) {
				t.Errorf("%d of %d queries unanswered", n, len(qs))
			}
		})
	}
}

func TestGathererExecute(t *testing.T) {
	c, sc := newCollection(t, someShape)
	g := newGatherer(t, c, sc, GatherOptions{Wait: time.Millisecond})
	qs := c.Draw(rand.New(rand.NewPCG(6, 5)), 30, 4, 30, query.And, query.Or, query.AndOr)
	in := make([]query.Query, len(qs))
	for i, q := range qs {
		in[i] = q.Query()
	}
	r, err := g.Execute(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range qs {
		if !gputrial.Equal(r[i].Hits, c.Answer(sc, q, nil)) {
			t.Errorf("query %d %+v: got %v", i, q, r[i].Hits)
		}
	}
}

// TestGathererDeadline submits a query whose deadline is far earlier than the batch's,
// and one that no other query joins.
func TestGathererDeadline(t *testing.T) {
	c, sc := newCollection(t, someShape)
	g := newGatherer(t, c, sc, GatherOptions{Wait: time.Hour})
	q := gputrial.Query{Terms: []int{0, 1}, K: 5}
	g.took = 30 * time.Minute // so that a deadline in an hour is near
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	r, err := g.Search(ctx, q.Query())
	if err != nil || !gputrial.Equal(r.Hits, c.Answer(sc, q, nil)) {
		t.Errorf("%v, %v", r.Hits, err)
	}
	gone, leave := context.WithCancel(context.Background())
	leave()
	if _, err := g.Search(gone, q.Query()); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	waits := make(chan error)
	go func() {
		_, err := g.Search(context.Background(), q.Query())
		waits <- err
	}()
	for {
		g.mu.Lock()
		open := g.open != nil
		g.mu.Unlock()
		if open {
			break
		}
		time.Sleep(time.Millisecond)
	}
	g.Close()
	if err := <-waits; !errors.Is(err, ErrClosed) {
		t.Errorf("closed while waiting: %v", err)
	}
	if _, err := g.Search(context.Background(), q.Query()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed before: %v", err)
	}
}
