package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/internal/querytest"
	"github.com/pinion-index/pinion/reader"
)

// NewSearcher ends with the context of its snapshot, and the Searcher does not.
func TestRemoteNewSearcher(t *testing.T) {
	files := remoteFiles()
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files, ended: true}
		x, err := reader.OpenReaderAt(o, reader.Options{})
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := query.NewSearcher(s.WithContext(ctx), query.Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the store is stuck: %v", err)
		}
		o.jam(nil)
		ctx, cancel = context.WithCancel(t.Context())
		searcher, err := query.NewSearcher(s.WithContext(ctx), query.Options{})
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
