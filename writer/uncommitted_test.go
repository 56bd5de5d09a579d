package writer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// ids returns the ids of the live documents of a snapshot.
func ids(t *testing.T, s *reader.Snapshot) (all []string) {
	t.Helper()
	for doc := range uint32(s.Stats().Docs) {
		if gone, err := s.Deleted(doc); err != nil {
			t.Fatal(err)
		} else if gone {
			continue
		}
		id, err := s.AppendID(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(id))
	}
	return all
}

// TestRefreshUncommitted follows an Index through publications, a commit and a Writer
// that is closed without one.
func TestRefreshUncommitted(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(ctx, fs, writer.Options{})
	do(err)
	add := func(id string) error {
		return w.Add(ctx, writer.Text([]byte(id), []byte("all "+id)))
	}
	do(add("a"), add("b"), w.Commit(ctx))
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	do(err)
	defer x.Close()
	far, err := reader.Open(ctx, reader.FromStore(memfs.Elsewhere(fs)), reader.Options{})
	do(err)
	defer far.Close()
	type step struct {
		what        string
		do          func() error
		changed     bool
		want        []string
		uncommitted bool
	}
	var old *reader.Snapshot
	for _, s := range []step{
		{"nothing", func() error { return nil }, false, []string{"a", "b"}, false},
		{"add without publishing", func() error { return add("c") }, false, []string{"a", "b"}, false},
		{"publish", func() error { return w.Publish(ctx) }, true, []string{"a", "b", "c"}, true},
		{"publish nothing new", func() error { return w.Publish(ctx) }, false, []string{"a", "b", "c"}, true},
		{"delete and replace", func() error {
			return errors.Join(w.Delete(ctx, []byte("a")), add("c"), add("d"), w.Publish(ctx))
		}, true, []string{"b", "c", "d"}, true},
		{"merge", func() error {
			_, err := w.Merge(ctx, writer.MergeOptions{})
			return errors.Join(err, w.Publish(ctx))
		}, true, []string{"b", "c", "d"}, true},
		{"commit", func() error { return w.Commit(ctx) }, true, []string{"b", "c", "d"}, false},
		{"publish again", func() error { return errors.Join(add("e"), w.Delete(ctx, []byte("b")), w.Publish(ctx)) }, true, []string{"c", "d", "e"}, true},
		{"close", func() error { return w.Close() }, true, []string{"b", "c", "d"}, false},
	} {
		do(s.do())
		changed, err := x.RefreshUncommitted(ctx)
		do(err)
		snapshot, err := x.Snapshot()
		do(err)
		if got := ids(t, snapshot); changed != s.changed || !slices.Equal(got, s.want) || snapshot.Uncommitted() != s.uncommitted {
			t.Fatalf("%s: changed %v, documents %q, uncommitted %v", s.what, changed, got, snapshot.Uncommitted())
		}
		do(snapshot.Verify(ctx))
		if s.what == "publish again" {
			old = snapshot
			continue
		}
		snapshot.Close()
		// Another process, and Refresh, see commits only.
		if changed, err := far.RefreshUncommitted(ctx); err != nil || changed != (s.what == "commit") {
			t.Fatalf("%s: changed elsewhere %v, %v", s.what, changed, err)
		}
	}
	// The old snapshot stays valid beside a new Writer that uses new file numbers.
	w, err = writer.OpenFS(ctx, fs, writer.Options{})
	do(err)
	defer w.Close()
	do(add("f"), w.Publish(ctx))
	if changed, err := x.RefreshUncommitted(ctx); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if got := ids(t, old); !slices.Equal(got, []string{"c", "d", "e"}) {
		t.Fatalf("the old snapshot holds %q", got)
	}
	do(old.Verify(ctx), old.Close())
	if changed, err := x.Refresh(ctx); err != nil || !changed { // back to the commit
		t.Fatal(changed, err)
	}
	if changed, err := x.Refresh(ctx); err != nil || changed {
		t.Fatal(changed, err)
	}
	s, err := x.Snapshot()
	do(err)
	defer s.Close()
	if got := ids(t, s); s.Uncommitted() || !slices.Equal(got, []string{"b", "c", "d"}) {
		t.Fatalf("committed documents %q", got)
	}
}

// Readers search while a Writer publishes and commits; each sees whole states only.
func TestPublishConcurrently(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w, err := writer.OpenFS(ctx, fs, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := seeWhole(t, x); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 60 {
		for j := range 4 { // each state has a multiple of four
			if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "%d-%d", i%20, j), []byte("all"))); err != nil {
				t.Fatal(err)
			}
		}
		publish := w.Publish
		if i%10 == 9 {
			publish = w.Commit
		}
		if i%15 == 14 {
			if _, err := w.Merge(ctx, writer.MergeOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := publish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	readers.Wait()
}

func seeWhole(t *testing.T, x *reader.Index) error {
	if _, err := x.RefreshUncommitted(t.Context()); err != nil {
		return err
	}
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return err
	}
	defer searcher.Close()
	r, err := searcher.Search(t.Context(), search.Query{RawTerms: [][]byte{[]byte("all")}, K: 1000})
	if err != nil {
		return err
	}
	if n := len(r.Hits); n%4 != 0 || uint64(n) != s.Stats().Live {
		return fmt.Errorf("%d hits among %d documents", n, s.Stats().Live)
	}
	return nil
}

// A deletes file that was published but never committed leaves its number to a later writer of
// another process, which may use it for the same segment. A reader that still has the first one
// open does not take it for the second.
func TestNumberOfPublishedDeletes(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(ctx, fs, writer.Options{})
	do(err)
	for _, id := range []string{"a", "b", "c"} {
		do(w.Add(ctx, writer.Text([]byte(id), []byte("all"))))
	}
	do(w.Commit(ctx))
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	do(err)
	defer x.Close()
	do(w.Delete(ctx, []byte("a")), w.Publish(ctx))
	_, err = x.RefreshUncommitted(ctx)
	do(err)
	published, err := x.Snapshot()
	do(err)
	defer published.Close()
	deletes := func() (names []string) {
		all, err := fs.List()
		do(err)
		for _, name := range all {
			if strings.HasPrefix(name, "deletes-") {
				names = append(names, strings.TrimSuffix(name, ".tmp"))
			}
		}
		return names
	}
	file := deletes()
	do(w.Close())
	for _, id := range []string{"", "b"} { // the first one removes the file
		w, err := writer.OpenFS(ctx, memfs.Elsewhere(fs), writer.Options{})
		do(err)
		if id != "" {
			do(w.Delete(ctx, []byte(id)), w.Commit(ctx))
		}
		do(w.Close())
	}
	_, err = x.Refresh(ctx)
	do(err)
	committed, err := x.Snapshot()
	do(err)
	defer committed.Close()
	if names := deletes(); len(file) != 1 || !slices.Equal(names, file) {
		t.Fatalf("deletes files %q, not %q", names, file)
	}
	if got := ids(t, committed); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("the commit holds %q", got)
	}
	if got := ids(t, published); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("the publication held %q", got)
	}
}
