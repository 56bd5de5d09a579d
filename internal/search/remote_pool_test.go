package search_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
)

// TestRemotePool ends the context of a query that a Pool answers, while the store is stuck.
func TestRemotePool(t *testing.T) {
	o := &objects{files: remoteFiles()}
	x := o.opened(t, 0)
	defer x.close(t)
	p, err := pool.New(x.Searcher, pool.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	stuck := make(chan struct{})
	o.jam(stuck)
	for _, q := range remoteQueries[:5] {
		if q.trips == 0 { // it needs no store
			if _, err := p.Search(t.Context(), q.Query); err != nil {
				t.Errorf("%s: %v", q.Text, err)
			}
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := p.Search(ctx, q.Query); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", q.Text, err)
		}
		cancel()
	}
	o.jam(nil)
	close(stuck)
	for _, q := range remoteQueries {
		want, err := x.Search(t.Context(), q.Query)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Search(t.Context(), q.Query); err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("%s: %v, %v, want %v", q.Text, got, err, want)
		}
	}
	p.Close()
}
