package indexdir

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/schema"
)

// A released commit opens nothing, and cannot be retained.
func TestReleasedCommit(t *testing.T) {
	d, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Manifest()
	m.Schema = schema.Implicit("simple", "", false)
	if err := l.Commit(m); err != nil {
		t.Fatal(err)
	}
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	again := c.Retain()
	c.Release()
	c.Release()
	for what, c := range map[string]*Commit{"released": c, "retained from a released one": c.Retain()} {
		_, _, err1 := c.OpenSegment(0)
		_, err2 := c.Deletes(0)
		if !errors.Is(err1, fs.ErrClosed) || !errors.Is(err2, fs.ErrClosed) {
			t.Errorf("%s: %v, %v", what, err1, err2)
		}
		c.Release()
	}
	if again.err() != nil {
		t.Error("Release ends a commit retained before")
	}
	again.Release()
}
