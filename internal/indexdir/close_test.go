package indexdir_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// While Close removes what was not committed, no file can be created.
func TestCreateBesideClose(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.CreateSegment(); err != nil {
		t.Fatal(err)
	}
	beside := errors.New("nothing was removed")
	mem.Watch(func(op memfs.Op) {
		if op.Kind == "remove" {
			mem.Watch(nil)
			_, _, beside = l.CreateSegment()
		}
	})
	if err := errors.Join(l.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(beside, fs.ErrClosed) {
		t.Errorf("create beside Close: %v", beside)
	}
	names, err := mem.List()
	if err != nil || len(names) != 3 { // a manifest, its mirror and the lock file
		t.Errorf("files %v, %v", names, err)
	}
}

// A commit that loses the lock file on its way leaves temporary manifests alone, which may be
// another writer's.
func TestCommitLosesLockFile(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mem.Watch(func(op memfs.Op) {
		if op.Kind == "sync" {
			mem.Watch(nil)
			mem.Remove(indexdir.LockName)
		}
	})
	m := l.Manifest()
	if err := l.Commit(m); !errors.Is(err, store.ErrLockLost) {
		t.Fatal(err)
	}
	if !exists(t, mem, indexdir.ManifestName(m.Generation)+".tmp") {
		t.Error("a temporary manifest is removed without the lock file")
	}
}

// A writer that has lost its lock file leaves the files of another one alone.
func TestCloseWithoutLockFile(t *testing.T) {
	mem := memfs.New()
	open := func(fsys store.FS) (*indexdir.Dir, *indexdir.Lock) {
		d, _ := indexdir.OpenFS(fsys)
		l, err := d.Lock()
		if err != nil {
			t.Fatal(err)
		}
		return d, l
	}
	create := func(l *indexdir.Lock) uint64 {
		num, f, err := l.CreateSegment()
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return num
	}
	d, l := open(mem)
	num, discarded := create(l), create(l)
	if err := mem.Remove(indexdir.LockName); err != nil {
		t.Fatal(err)
	}
	change(t, memfs.Elsewhere(mem), func(*indexdir.Lock) {}) // removes what the first one has created
	other, second := open(memfs.Elsewhere(mem))
	for _, want := range []uint64{num, discarded} {
		if got := create(second); got != want {
			t.Fatalf("file %d, the test needs %d", got, want)
		}
	}
	if err := l.Discard(discarded); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("discard without the lock file: %v", err)
	}
	if err := errors.Join(l.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	for _, num := range []uint64{num, discarded} {
		if data, err := other.OpenFile(indexdir.SegmentName(num)); err != nil {
			t.Errorf("a file of the second writer: %v", err)
		} else {
			data.Close()
		}
	}
	if err := errors.Join(second.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}
}
