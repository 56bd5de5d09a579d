//go:build emu && cgo

package gpuload

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

// What Prepare says of a query's terms agrees with the collection, and its answers with
// brute force, through the Executor and through a Gatherer.
func TestPrepared(t *testing.T) {
	c, sc := newCollection(t, someShape)
	dev := cuda.NewEmulator()
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: &brute{c: c, sc: sc}})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGatherer(x, GatherOptions{Wait: time.Millisecond})
	qs := c.Draw(rand.New(rand.NewPCG(8, 5)), 40, 4, 30, query.And, query.Or, query.AndOr)
	qs[3].K = 5000 // for the CPU
	for _, way := range []string{"executor", "gatherer"} {
		all := make([]*Prepared, len(qs))
		for i := range qs {
			q := qs[i].Query()
			if all[i], err = x.Prepare(&q); err != nil {
				t.Fatal(err)
			}
			last := int64(0)
			for _, term := range all[i].AppendTerms(nil) {
				if term.Postings < last || term.Resident > term.Bytes || term.Weight <= 0 {
					t.Errorf("query %d %+v: term %+v after one of %d postings", i, qs[i], term, last)
				}
				last = term.Postings
			}
		}
		if way == "executor" {
			if err := x.Answer(context.Background(), all); err != nil {
				t.Fatal(err)
			}
		} else {
			var wg sync.WaitGroup
			for _, p := range all {
				wg.Go(func() {
					if err := g.Do(context.Background(), p); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		for i, p := range all {
			if cpu := i == 3; p.CPU() != cpu {
				t.Errorf("query %d: for the CPU is %v", i, p.CPU())
			}
			if want := c.Answer(sc, qs[i], nil); !p.CPU() && !gputrial.Equal(p.Hits(), want) || p.Trivial() && len(want) > 0 {
				t.Errorf("%s, query %d %+v:\n got %v\nwant %v", way, i, qs[i], p.Hits(), want)
			}
		}
	}
	resident := int64(0)
	for i := range qs {
		q := qs[i].Query()
		p, err := x.Prepare(&q)
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range p.AppendTerms(nil) {
			resident += term.Resident
		}
	}
	if resident == 0 {
		t.Error("no list is resident after its queries")
	}
	g.Close()
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
