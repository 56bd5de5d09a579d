package search_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// NewSearcher ends with the context of its snapshot, and the Searcher does not.
func TestRemoteNewSearcher(t *testing.T) {
	files := remoteFiles()
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files, ended: true}
		x, err := reader.Open(t.Context(), o, reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		o.jam(make(chan struct{}))
		for range 20 { // the deadline and the end of the read, in either order
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := search.NewSearcher(s.WithContext(ctx), search.Options{}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("while the store is stuck: %v", err)
			}
			cancel()
		}
		o.jam(nil)
		ctx, cancel := context.WithCancel(t.Context())
		searcher, err := search.NewSearcher(s.WithContext(ctx), search.Options{})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		defer searcher.Close()
		words := querytest.Terms("along", "r00001")
		if lengths, err := searcher.AppendLengths(nil, words); err != nil || !slices.Equal(lengths, []uint64{lengths[0], 4}) {
			t.Errorf("lengths %d: %v", lengths, err)
		}
		for _, q := range remoteQueries {
			if _, err := searcher.Search(t.Context(), q.Query); err != nil {
				t.Errorf("%s: %v", q.Text, err)
			}
		}
	})
}
