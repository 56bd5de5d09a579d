package reader_test

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/reader"
)

// A release that is called twice takes nothing from others.
func TestReleaseTwice(t *testing.T) {
	o, files := mappedIndex(t)
	first, err := o.s.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	second, err := o.s.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.s.Close(), o.x.Close()); err != nil {
		t.Fatal(err)
	}
	open := files.open.Load()
	first()
	first()
	if files.open.Load() != open {
		t.Error("the second call of a release ended what another has acquired")
	}
	second()
	if n := files.open.Load(); n != 0 {
		t.Errorf("%d files are open after the last release", n)
	}
	release, err := o.s.Acquire()
	if !errors.Is(err, reader.ErrClosed) {
		t.Errorf("Acquire after Close: %v", err)
	}
	release()
}
