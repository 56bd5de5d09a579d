package bucket

import (
	"errors"
	"maps"
	"testing"

	"github.com/pinion-index/pinion/writer"
)

// TestCheckout: what a program does to the directory of a commit becomes the next one, unless another was first.
func TestCheckout(t *testing.T) {
	_, b := newFake(t)
	checkOut := func() *Checkout {
		c, err := NewCheckout(t.Context(), b, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	add := func(c *Checkout, id string, n int) {
		o := numbers()
		w, err := writer.Open(t.Context(), c.Dir(), o)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // commits
			if err := errors.Join(w.Add(t.Context(), numberDoc(id, n)), w.Commit(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	none := checkOut()
	if err := none.Commit(t.Context()); err != nil {
		t.Errorf("nothing to commit: %v", err)
	}
	first := checkOut()
	add(first, "a", 1)
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	x, y := checkOut(), checkOut()
	if err := checkOut().Commit(t.Context()); err != nil {
		t.Errorf("nothing new to commit: %v", err)
	}
	add(x, "b", 2)
	add(y, "c", 3)
	if err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := y.Commit(t.Context()); !errors.Is(err, ErrConflict) {
		t.Errorf("another was first: %v", err)
	}
	if got, g := contents(t, b); !maps.Equal(got, map[string]int64{"a": 1, "b": 2}) || g != 3 {
		t.Errorf("commit %d has %v", g, got)
	}
}
