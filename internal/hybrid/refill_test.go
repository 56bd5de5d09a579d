package hybrid

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/search"
)

// A query for the cores is answered though there was no room for it in the Pool, because of counts, of what the GPU's
// executor left to the Pool, or of queries whose callers gave up, when the last query of the cores ended.
func TestRefill(t *testing.T) {
	for _, what := range []string{"counts", "batch", "canceled"} {
		t.Run(what, func(t *testing.T) {
			p, err := pool.New(newIndex(t), pool.Options{Workers: 1, SpinFor: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			x, err := New(p, &stub{Executor: p}, Options{Mode: OnlyGPU, Lanes: 1})
			if err != nil {
				t.Fatal(err)
			}
			q := search.Query{RawTerms: [][]byte{[]byte("w1")}}
			bound := q
			bound.Filter = docset.GlobalOf(1, 2, 3)
			begun, release := make(chan bool), make(chan bool)
			submit := func(q search.Query, done func()) {
				t.Helper()
				if err := x.Submit(t.Context(), &q, func(_ []search.Hit, err error) {
					if err != nil {
						t.Error(err)
					}
					done()
				}); err != nil {
					t.Fatal(err)
				}
			}
			submit(bound, func() { begun <- true; <-release })
			<-begun                   // the only worker is busy
			var counts sync.WaitGroup // Close makes those fail that have not begun
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			switch what {
			case "batch":
				for range 8 {
					submit(q, func() {})
				}
			case "canceled":
				for range 8 {
					go p.Search(ctx, q) // its error is the context's, or none
				}
			default:
				for range 8 {
					counts.Go(func() {
						if _, err := x.Count(t.Context(), q); err != nil {
							t.Error(err)
						}
					})
				}
			}
			for p.Room() {
				time.Sleep(time.Millisecond)
			}
			answered := make(chan bool)
			submit(bound, func() { close(answered) })
			cancel()
			close(release)
			select {
			case <-answered:
			case <-time.After(20 * time.Second):
				t.Error("a query is lost")
				submit(bound, func() {}) // so that Close does not wait for it
			}
			counts.Wait()
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
