package query

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

var models = []Model{Inter, DocRanges, Partitions, FineGrained}

func newTestPool(t testing.TB, s *Searcher, o PoolOptions) *Pool {
	t.Helper()
	p, err := NewPool(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Every model gives what the Searcher gives, to the bit, however many workers and
// however small the tasks.
func TestPoolsAgree(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 2000
	}
	rng := rand.New(rand.NewPCG(31, 32))
	c := newCollection(t, zipfDocs(rng, n, 200, 12), map[int]bool{7: true, n / 2: true}, DefaultParams, n/3, n/2)
	var queries []Query
	for range 60 {
		var ws []string
		for range 1 + rng.IntN(5) {
			ws = append(ws, fmt.Sprintf("w%d", rng.IntN(1<<(1+rng.IntN(8)))))
		}
		queries = append(queries, Query{Terms: terms(ws...), K: []int{1, 10, 200}[rng.IntN(3)], Mode: Mode(rng.IntN(3)),
			Algorithm: Algorithms()[rng.IntN(len(Algorithms()))]})
	}
	queries = append(queries, Query{K: 10}, Query{Terms: terms("w1"), K: 0}, Query{Terms: terms("nowhere", "w2"), K: 10, Mode: AndOr})
	for i, s := range []*Searcher{c.searchers[0], c.searchers[len(c.searchers)-1]} {
		want, err := s.Execute(context.Background(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			for _, workers := range []int{1, 3, 8} {
				p := newTestPool(t, s, PoolOptions{Workers: workers, Model: m, TaskPostings: 128, Threshold: 1 + rng.IntN(20),
					SpinFor: []time.Duration{-1, 0, 5 * time.Millisecond}[rng.IntN(3)]})
				got, err := p.Execute(context.Background(), queries)
				if err != nil {
					t.Fatal(err)
				}
				for j := range queries {
					one, err := p.Search(context.Background(), queries[j])
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got[j].Hits, want[j].Hits) || !slices.Equal(one.Hits, want[j].Hits) {
						t.Fatalf("collection %d, %v, %d workers, query %d (%v, %v, k %d): %s", i, m, workers, j, queries[j].Mode, queries[j].Algorithm,
							queries[j].K, difference(want[j].Hits, got[j].Hits))
					}
				}
			}
		}
	}
}

// Many callers share a Pool; cancelled queries do not disturb others.
func TestPoolConcurrency(t *testing.T) {
	c := newCollection(t, zipfDocs(rand.New(rand.NewPCG(33, 34)), 4000, 100, 12), nil, DefaultParams, 1500)
	s := c.searchers[len(c.searchers)-1]
	q := Query{Terms: terms("w0", "w3", "w11"), K: 10}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		p := newTestPool(t, s, PoolOptions{Workers: 4, Model: m, TaskPostings: 256})
		var group sync.WaitGroup
		for g := range 6 {
			group.Go(func() {
				for i := range 30 {
					ctx, cancel := context.WithCancel(context.Background())
					if (g+i)%5 == 0 {
						go cancel()
					}
					res, err := p.Search(ctx, q)
					cancel()
					switch {
					case errors.Is(err, context.Canceled) && (g+i)%5 == 0:
					case err != nil:
						t.Errorf("%v: %v", m, err)
					case !slices.Equal(res.Hits, want.Hits):
						t.Errorf("%v: %s", m, difference(want.Hits, res.Hits))
					}
				}
			})
		}
		group.Wait()
	}
}

func TestPoolErrors(t *testing.T) {
	docs := zipfDocs(rand.New(rand.NewPCG(35, 36)), 3000, 30, 10)
	b := segment.Aligned(segmentBytes(t, docs, bp128.Codec{}))
	clean, err := segment.Open("clean", b)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := clean.Lookup([]byte("w1"))
	if err != nil {
		t.Fatal(err)
	}
	sec, _ := clean.Header().Section(format.SectionPostings)
	l, err := clean.List(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range l.Layout() {
		if part.Name == "docs" {
			for i := range part.Length {
				b[sec.Offset+e.Offset+part.Offset+i] ^= 0x55
			}
		}
	}
	damaged, err := segment.Open("damaged", b)
	if err != nil {
		t.Fatal(err)
	}
	seg := &reader.Segment{Segment: damaged}
	seg.Info.Docs = damaged.Meta().Docs
	s := searcherOver(t, []part{{seg: seg}}, DefaultOptions)
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, m := range models {
		p := newTestPool(t, s, PoolOptions{Workers: 3, Model: m, TaskPostings: 128})
		good, bad := Query{Terms: terms("w2"), K: 5}, Query{Terms: terms("w2", "w1"), K: 5}
		var e *format.Error
		if _, err := p.Search(context.Background(), bad); !errors.Is(err, format.ErrCorrupt) || !errors.As(err, &e) || e.List != "w1" || e.File != "damaged" {
			t.Errorf("%v: damage gives %v", m, err)
		}
		if res, err := p.Execute(context.Background(), []Query{good, bad, good}); !errors.Is(err, format.ErrCorrupt) || res != nil {
			t.Errorf("%v: damage gives %v, %v", m, res, err)
		}
		if res, err := p.Search(context.Background(), good); err != nil || len(res.Hits) != 5 {
			t.Errorf("%v: after damage %v, %v", m, res, err)
		}
		if _, err := p.Search(late, good); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", m, err)
		}
		if _, err := p.Execute(late, []Query{good}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", m, err)
		}
		p.Close()
		if _, err := p.Search(context.Background(), good); !errors.Is(err, ErrPoolClosed) {
			t.Errorf("%v: closed pool gives %v", m, err)
		}
	}
	if _, err := NewPool(s, PoolOptions{Model: 9}); err == nil {
		t.Error("an unknown model is accepted")
	}
}

func TestRing(t *testing.T) {
	r := newRing[int](8)
	for round := range 5 {
		for i := range 8 {
			if !r.push(round*8 + i) {
				t.Fatal("no room")
			}
		}
		if r.push(0) || r.len() != 8 {
			t.Fatal("room beyond the size")
		}
		for i := range 8 {
			if v, ok := r.pop(); !ok || v != round*8+i {
				t.Fatalf("got %d, %v", v, ok)
			}
		}
		if _, ok := r.pop(); ok {
			t.Fatal("an empty ring gives a value")
		}
	}
	var sum, want [4]int
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 2000 {
				for !r.push(i) {
				}
				want[g] += i
				for {
					if v, ok := r.pop(); ok {
						sum[g] += v
						break
					}
				}
			}
		})
	}
	group.Wait()
	if sum[0]+sum[1]+sum[2]+sum[3] != want[0]+want[1]+want[2]+want[3] {
		t.Error("values were lost or doubled")
	}
}

// A query whose context ends while it waits for its turn does not wait on, and
// leaves what comes after alone; so with a query under way.
func TestPoolCancelQueued(t *testing.T) {
	c := newCollection(t, zipfDocs(rand.New(rand.NewPCG(41, 42)), 3000, 50, 12), nil, DefaultParams, 1500)
	s := c.searchers[len(c.searchers)-1]
	q := Query{Terms: terms("w0", "w3"), K: 10}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		p := newTestPool(t, s, PoolOptions{Workers: 1, Model: m})
		hold, held := make(chan struct{}), make(chan struct{})
		if err := p.Submit(context.Background(), &q, func([]Hit, error) { close(held); <-hold }); err != nil {
			t.Fatal(err)
		}
		<-held // the only worker is busy
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := p.Search(ctx, q); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", m, err)
		}
		short, stop := context.WithTimeout(context.Background(), time.Millisecond)
		if _, err := p.Execute(short, []Query{q, q}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", m, err)
		}
		stop()
		close(hold)
		res, err := p.Search(context.Background(), q)
		if err != nil || !slices.Equal(res.Hits, want.Hits) {
			t.Errorf("%v: afterwards %v, %v", m, res, err)
		}
	}
}

func TestPoolSubmit(t *testing.T) {
	c := newCollection(t, zipfDocs(rand.New(rand.NewPCG(43, 44)), 3000, 50, 12), nil, DefaultParams, 1500)
	s := c.searchers[len(c.searchers)-1]
	ctx := context.Background()
	for _, m := range models {
		p := newTestPool(t, s, PoolOptions{Workers: 3, Model: m, TaskPostings: 128})
		var group sync.WaitGroup
		for i := range 200 {
			q := Query{Terms: terms(fmt.Sprintf("w%d", i%7), fmt.Sprintf("w%d", i%11)), K: i % 20, Mode: Mode(i % 3)}
			want, err := s.Search(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			group.Add(1)
			err = p.Submit(ctx, &q, func(hits []Hit, err error) {
				if err != nil || !slices.Equal(hits, want.Hits) {
					t.Errorf("%v, query %d: %v, %s", m, i, err, difference(want.Hits, hits))
				}
				group.Done()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		if n := p.Counts(); (n.Tasks > 0) != (m != Inter) || n.Tasks < n.Passes {
			t.Errorf("%v: %+v", m, n)
		}
		p.Close()
		if err := p.Submit(ctx, &Query{Terms: terms("w1"), K: 1}, nil); !errors.Is(err, ErrPoolClosed) {
			t.Errorf("%v: closed pool gives %v", m, err)
		}
	}
}

// A query costs a bounded handful of allocations, however many postings and tasks
// it has.
func TestPoolAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled memory at random")
	}
	c := newCollection(t, zipfDocs(rand.New(rand.NewPCG(45, 46)), 6000, 50, 20), nil, DefaultParams, 3000)
	s := c.searchers[len(c.searchers)-1]
	ctx := context.Background()
	for _, m := range models {
		p := newTestPool(t, s, PoolOptions{Workers: 2, Model: m, TaskPostings: 128})
		for mode := range Mode(3) {
			q := Query{Terms: terms("w0", "w1", "w2"), K: 10, Mode: mode}
			var hits []Hit
			got := testing.AllocsPerRun(200, func() {
				var err error
				if hits, err = p.AppendHits(ctx, hits[:0], &q); err != nil {
					t.Fatal(err)
				}
			})
			if got > 8 {
				t.Errorf("%v, %v: %.1f allocations", m, mode, got)
			}
		}
	}
}
