package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// A file that could not be synced once is never committed: that a later sync succeeds does not mean
// that its content is durable.
func TestCommitAfterFailedSync(t *testing.T) {
	mem := memfs.New()
	d, _ := store.OpenFS(mem)
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Manifest()
	s, err := writeSegment(l, 1) // which the commit syncs
	if err != nil {
		t.Fatal(err)
	}
	m.Segments = []store.SegmentInfo{s}
	name := store.SegmentName(s.File)
	mem.Watch(func(op memfs.Op) {
		if op.Kind == "sync" && strings.HasPrefix(op.Name, name) {
			mem.Inject(memfs.Fault{Err: errInjected})
		}
	})
	if err := l.Commit(m); !errors.Is(err, errInjected) || errors.Is(err, store.ErrUncertain) {
		t.Fatal(err)
	}
	mem.Watch(nil)
	mem.Heal()
	if err := l.Commit(m); !errors.Is(err, errInjected) || !strings.Contains(err.Error(), name) {
		t.Errorf("a file that could not be synced is committed: %v", err)
	}
	if err := l.Discard(s.File); err != nil {
		t.Fatal(err)
	}
	if m.Segments[0], err = writeSegment(l, 1); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(m); err != nil {
		t.Fatal(err)
	}
	if err := checkWhole(mem.Crash(), 2, 2); err != nil {
		t.Error(err)
	}
}
