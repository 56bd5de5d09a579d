package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// Queries to a Pool may run while the snapshot, the index, the Searcher and the Pool are closed, in any
// order: they succeed or, once the Pool is closed, fail with ErrClosed.
func TestQueriesBesideClose(t *testing.T) {
	dir := querytest.Directory(t, writer.Options{}, querytest.ZipfDocs(rand.New(rand.NewPCG(93, 94)), 4000, 200, 20), nil, 2500)
	ctx := context.Background()
	for round := range 4 * len(modelNames) {
		x, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snapshot, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		s, err := search.NewSearcher(snapshot, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		m := Model(round % len(modelNames))
		p, err := New(s, Options{Workers: 3, Model: m, TaskPostings: 200})
		if err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		for what, f := range map[string]func(q search.Query) error{
			"Search":     func(q search.Query) error { _, err := p.Search(ctx, q); return err },
			"Execute":    func(q search.Query) error { _, err := p.Execute(ctx, []search.Query{q, {}, q}); return err },
			"AppendHits": func(q search.Query) error { _, err := p.AppendHits(ctx, nil, &q); return err },
			"Submit": func(q search.Query) error {
				done := make(chan error, 1)
				if err := p.Submit(ctx, &q, func(_ []search.Hit, err error) { done <- err }); err != nil {
					return err
				}
				return <-done
			},
			"empty": func(search.Query) error { _, err := p.Search(ctx, search.Query{}); return err },
		} {
			running.Go(func() {
				q := search.Query{RawTerms: querytest.Terms("w0", "w3", "w11"), K: 20}
				err := f(q)
				for err == nil {
					q.Mode = (q.Mode + 1) % 3
					err = f(q)
				}
				if !errors.Is(err, reader.ErrClosed) {
					t.Errorf("%v: %s: %v", m, what, err)
				}
			})
		}
		time.Sleep(time.Duration(round%8) * time.Millisecond)
		if round%3 == 0 {
			running.Go(p.Close)
		}
		if err := errors.Join(snapshot.Close(), x.Close()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		p.Close()
		running.Wait()
		if _, err := New(s, Options{}); !errors.Is(err, reader.ErrClosed) {
			t.Errorf("New over a closed Searcher: %v", err)
		}
	}
}

// TestOffer drops some queries when a worker comes to them, and answers the others.
func TestOffer(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(75, 76)), 3000, 80, 12), nil, 1500)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range models {
		p := newTestPool(t, s, Options{Workers: 3, Model: m, TaskPostings: 256})
		var asked, answered, failed atomic.Int64
		var group sync.WaitGroup
		const n = 600
		for i := range n {
			ctx := context.Background()
			if i%3 == 2 {
				ctx = canceled
			}
			group.Add(1)
			wanted := func() bool {
				asked.Add(1)
				if i%3 == 1 {
					group.Done()
				}
				return i%3 == 0
			}
			if err := p.Offer(ctx, &q, wanted, func(hits []search.Hit, err error) {
				defer group.Done()
				switch {
				case i%3 == 0 && err == nil && slices.Equal(hits, want.Hits):
					answered.Add(1)
				case i%3 == 2 && errors.Is(err, context.Canceled):
					failed.Add(1)
				default:
					t.Errorf("%v: query %d: %v, %v", m, i, hits, err)
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		p.Close()
		if a, b, c := asked.Load(), answered.Load(), failed.Load(); a != n/3*2 || b != n/3 || c != n/3 {
			t.Errorf("%v: %d asked about, %d answered, %d canceled of %d", m, a, b, c, n)
		}
	}
}
