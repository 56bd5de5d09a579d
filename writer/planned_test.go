package writer

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/schema"
)

// planned returns a Writer of n segments, each with a deleted document, and a plan to merge
// them all. The merge is held up, or it has failed and is paused.
func planned(t *testing.T, n int, paused bool) (*gateFS, *Writer, model) {
	t.Helper()
	ctx := t.Context()
	fs := newGateFS()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: NoMerges})
	m := model{}
	for s := range n {
		for i := range 4 {
			id := fmt.Sprint(s, "-", i)
			m.add(id, "text of "+id)
			if err := w.Add(ctx, doc(id, "text of "+id)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for s := range n {
		id := fmt.Sprint(s, "-", 1)
		m.delete(id)
		if err := w.Delete(ctx, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	if paused {
		fs.fail = errInjected
		close(fs.open)
	}
	w.opts.MergePolicy = fs.policy(n)
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	w.opts.MergePolicy = NoMerges
	<-fs.entered
	if paused {
		if err := w.WaitMerges(ctx); !errors.Is(err, errInjected) {
			t.Fatalf("a merge that was to fail: %v", err)
		}
	}
	return fs, w, m
}

// Merge takes the segments as they are: what a plan is to join or to leave out
// is neither joined nor left out yet.
func TestPlansDoNotCount(t *testing.T) {
	merge := func(o MergeOptions) func(*testing.T, *Writer) error {
		return func(t *testing.T, w *Writer) error {
			_, err := w.Merge(t.Context(), o)
			return err
		}
	}
	reorder := func(t *testing.T, w *Writer) error {
		_, err := w.Merge(t.Context(), MergeOptions{Order: OrderRandom, Seed: 1})
		return err
	}
	for _, tt := range []struct {
		name      string
		do        func(*testing.T, *Writer) error
		planned   int // segments
		segments  int // that are left
		deletions int // that are left
	}{
		{"reorder one", reorder, 1, 1, 0},
		{"reorder three", reorder, 3, 1, 0},
		{"merge one", merge(MergeOptions{}), 1, 1, 0},
		{"merge three", merge(MergeOptions{}), 3, 1, 0},
		{"merge three to two", merge(MergeOptions{MaxSegments: 2}), 3, 2, 1},
		{"merge three to three", merge(MergeOptions{MaxSegments: 3}), 3, 3, 3},
		{"purge one", merge(MergeOptions{MaxSegments: 3, Purge: true}), 1, 1, 0},
		{"purge three", merge(MergeOptions{MaxSegments: 3, Purge: true}), 3, 3, 0},
	} {
		for _, paused := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, paused %v", tt.name, paused), func(t *testing.T) {
				fs, w, m := planned(t, tt.planned, paused)
				sorted := model{docs: byID(m.docs)}
				check := func() {
					t.Helper()
					if d := sorted.diff(byID(dump(t, fs))); d != "" {
						t.Fatal(d)
					}
				}
				if err := errors.Join(tt.do(t, w), w.Commit(t.Context())); err != nil {
					t.Fatal(err)
				}
				check()
				deletions := 0
				segments := manifest(t, fs).Segments
				for _, s := range segments {
					deletions += int(s.Deleted)
				}
				if len(segments) != tt.segments || deletions != tt.deletions {
					t.Errorf("%d segments with %d deleted documents are left, want %d with %d", len(segments), deletions, tt.segments, tt.deletions)
				}
				if !paused {
					close(fs.open)
					if err := w.WaitMerges(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				check()
				onlySegmentsOf(t, fs)
			})
		}
	}
}
