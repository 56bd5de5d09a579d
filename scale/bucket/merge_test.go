package bucket

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/writer"
)

// overtake calls what before each of the next manifests that are written, one call for each of some, and meanwhile lets
// others be written.
func overtake(k *fake, what ...func()) {
	k.before = func(_ context.Context, op, key string) error {
		o, ok := parseKey(key)
		if !ok || o.kind != kindManifest || op != "write" || len(what) == 0 {
			return nil
		}
		before, f := k.before, what[0]
		what, k.before = what[1:], nil
		f()
		k.before = before
		return nil
	}
}

// merging returns a bucket of three segments, and a Writer of it.
func merging(t *testing.T) (k *fake, b *blob.Bucket, w *Writer) {
	k, b = newFake(t)
	w = newWriter(t, b, numbers())
	for i := range 3 {
		for j := range 3 {
			if err := w.Add(t.Context(), numberDoc(fmt.Sprintf("%d-%d", i, j), j)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return k, b, w
}

// held checks the newest commit's documents and how many segments it has, and how many were ever written.
func held(t *testing.T, k *fake, b *blob.Bucket, want map[string]int64, segments, written int) {
	t.Helper()
	if got, g := contents(t, b); !maps.Equal(got, want) {
		t.Errorf("commit %d has %v, want %v", g, got, want)
	}
	c, err := NewCheckout(t.Context(), b, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n := segmentsOf(c.a.before); n != segments {
		t.Errorf("%d segments, want %d", n, segments)
	}
	if n := len(k.keys(segmentFolder)); n != written {
		t.Errorf("%d segments were written, want %d", n, written)
	}
}

// A merge that others overtake is not made again while its segments are there, by a Writer or in a Checkout.
func TestMergeOvertaken(t *testing.T) {
	for _, way := range []string{"writer", "checkout"} {
		t.Run(way, func(t *testing.T) {
			k, b, w := merging(t)
			other := newWriter(t, b, numbers())
			change := func(n int64, gone string) func() {
				return func() {
					err := errors.Join(other.Delete(t.Context(), []byte(gone)), other.Add(t.Context(), numberDoc("2-2", int(n))),
						other.Add(t.Context(), numberDoc(fmt.Sprint("new-", n), int(n))), other.Commit(t.Context()))
					if err != nil {
						t.Error(err)
					}
				}
			}
			merge := func() error {
				_, err := w.Merge(t.Context(), writer.MergeOptions{})
				return err
			}
			if way == "checkout" {
				merge = checkedOut(t, b)
			}
			overtake(k, change(10, "0-0"), change(11, "1-1"))
			if err := merge(); err != nil {
				t.Fatal(err)
			}
			want := map[string]int64{"0-1": 1, "0-2": 2, "1-0": 0, "1-2": 2, "2-0": 0, "2-1": 1, "2-2": 11, "new-10": 10, "new-11": 11}
			held(t, k, b, want, 3, 6) // one is of the merge, two the others'
		})
	}
}

// checkedOut returns a function that merges in a Checkout.
func checkedOut(t *testing.T, b *blob.Bucket) func() error {
	c, err := NewCheckout(t.Context(), b, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return func() error {
		x, err := writer.Open(t.Context(), c.Dir(), writer.Options{})
		if err != nil {
			return err
		}
		_, err = x.Merge(t.Context(), writer.MergeOptions{})
		if err := errors.Join(err, x.Commit(t.Context()), x.Close()); err != nil {
			return err
		}
		return c.CommitMerge(t.Context())
	}
}

// A merge whose segments others have merged starts again, or, in a Checkout, conflicts.
func TestMergeTwice(t *testing.T) {
	want := map[string]int64{}
	for i := range 3 {
		for j := range 3 {
			want[fmt.Sprintf("%d-%d", i, j)] = int64(j)
		}
	}
	want["new"] = 1
	for _, way := range []string{"writer", "checkout"} {
		t.Run(way, func(t *testing.T) {
			k, b, w := merging(t)
			other := newWriter(t, b, numbers())
			both := func() {
				_, err := other.Merge(t.Context(), writer.MergeOptions{})
				if err := errors.Join(err, other.Add(t.Context(), numberDoc("new", 1)), other.Commit(t.Context())); err != nil {
					t.Error(err)
				}
			}
			merge, segments, written := checkedOut(t, b), 2, 6 // three, the merge that wins, the one that loses, and that of the document
			if way == "writer" {
				merge = func() error {
					_, err := w.Merge(t.Context(), writer.MergeOptions{})
					return err
				}
				segments, written = 1, 7
			}
			overtake(k, both)
			if err := merge(); way == "writer" && err != nil || way == "checkout" && !errors.Is(err, ErrConflict) {
				t.Fatal(err)
			}
			held(t, k, b, want, segments, written)
		})
	}
}
