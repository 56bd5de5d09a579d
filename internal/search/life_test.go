package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// Searches may run while the snapshot, the index and the Searcher are closed: they succeed or fail
// with ErrClosed.
func TestSearchesBesideClose(t *testing.T) {
	dir := querytest.Directory(t, writer.Options{}, querytest.ZipfDocs(rand.New(rand.NewPCG(91, 92)), 4000, 200, 20), []int{5, 3000}, 2500)
	ctx := context.Background()
	for round := range 6 {
		x, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snapshot, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSearcher(snapshot, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		var running sync.WaitGroup
		until := func(what string, f func() error) {
			running.Go(func() {
				err := f()
				for err == nil {
					err = f()
				}
				if !errors.Is(err, reader.ErrClosed) {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		for _, a := range Algorithms() {
			until(a.String(), func() error {
				q := Query{RawTerms: querytest.Terms("w0", "w3", "w11"), K: 20, Algorithm: a, Mode: query.ModeOr}
				if a.Conjunctive() {
					q.Mode = query.ModeAnd
				}
				_, err := s.Search(ctx, q)
				return err
			})
		}
		until("NewSearcher", func() error {
			s, err := NewSearcher(snapshot, Options{})
			if err == nil {
				err = s.Close()
			}
			return err
		})
		until("Retain", func() error {
			s, err := s.Retain()
			if err == nil {
				err = s.Close()
			}
			return err
		})
		until("Execute", func() error {
			_, err := s.Execute(ctx, []Query{{RawTerms: querytest.Terms("w2", "w1"), K: 3}, {}})
			return err
		})
		until("AppendHits", func() error { _, err := s.AppendHits(ctx, nil, &Query{}); return err })
		time.Sleep(time.Duration(round) * 3 * time.Millisecond)
		if err := errors.Join(snapshot.Close(), x.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		running.Wait()
	}
}
