package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// fakeCheckout loses to another writer some times.
type fakeCheckout struct {
	loses, made, merges int
	closed              bool
}

func (c *fakeCheckout) Dir() string { return fmt.Sprint("dir", c.made) }

func (c *fakeCheckout) Commit(context.Context) error {
	if c.made < c.loses {
		return fmt.Errorf("commit: %w", ErrConflict)
	}
	return nil
}

func (c *fakeCheckout) CommitMerge(context.Context) error {
	c.merges++
	return nil
}

func (c *fakeCheckout) Renew(context.Context) error {
	c.made++
	return nil
}

func (c *fakeCheckout) Close() error {
	c.closed = true
	return nil
}

// What a command changes at a URL is changed again on top of what another writer has committed meanwhile, up to a bound.
func TestChange(t *testing.T) {
	defer func() { URLs.Checkout = nil }()
	failed := errors.New("failed")
	for _, c := range []struct {
		loses int
		what  Kind
		err   error
		runs  int
		want  error
		says  string
	}{
		{loses: 0, runs: 1},
		{loses: 3, runs: 4},
		{loses: 0, what: OneChange, runs: 1},
		{loses: 1, what: OneChange, runs: 1, want: ErrConflict, says: "cannot be read twice"},
		{loses: tries - 1, runs: tries},
		{loses: tries, runs: tries, want: ErrConflict, says: "16 times in a row"},
		{loses: 3, what: Merging, runs: 1},
		{loses: 3, err: failed, runs: 1, want: failed},
	} {
		fake := &fakeCheckout{loses: c.loses}
		URLs.Checkout = func(context.Context, string) (Checkout, error) { return fake, nil }
		index, runs := "test://x", 0
		err := Change(t.Context(), &index, c.what, func() error {
			if want := fmt.Sprint("dir", runs); index != want {
				t.Errorf("%+v: works in %s, not %s", c, index, want)
			}
			runs++
			return c.err
		})
		if !errors.Is(err, c.want) || c.want == nil && err != nil || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
		if fake.merges > 0 != (c.what == Merging) {
			t.Errorf("%+v: CommitMerge called %d times", c, fake.merges)
		}
		if runs != c.runs || index != "test://x" || !fake.closed {
			t.Errorf("%+v: ran %d times, index %s, closed %v", c, runs, index, fake.closed)
		}
	}
	URLs.Checkout = nil
	index := "test://x"
	if err := Change(t.Context(), &index, AnyChange, func() error { return nil }); err == nil {
		t.Error("no error of a build without URLs")
	}
}

// What only reads takes a copy, and commits nothing.
func TestNoChange(t *testing.T) {
	defer func() { URLs.Checkout, URLs.Copy = nil, nil }()
	URLs.Checkout = func(context.Context, string) (Checkout, error) {
		t.Error("checked out")
		return &fakeCheckout{}, nil
	}
	removed := false
	URLs.Copy = func(_ context.Context, url string) (string, func() error, error) {
		return "copy of " + url, func() error { removed = true; return nil }, nil
	}
	index := "test://x"
	failed := errors.New("failed")
	err := Change(t.Context(), &index, NoChange, func() error {
		if index != "copy of test://x" || removed {
			t.Errorf("works in %s", index)
		}
		return failed
	})
	if !errors.Is(err, failed) || index != "test://x" || !removed {
		t.Errorf("%v, index %s, removed %v", err, index, removed)
	}
}
