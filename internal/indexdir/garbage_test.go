package indexdir_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// change locks the index that fsys holds, and lets f write.
func change(t *testing.T, fsys store.FS, f func(l *indexdir.Lock)) {
	t.Helper()
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	f(l)
	if err := errors.Join(l.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// latest returns the newest commit of an index.
func latest(t *testing.T, fsys store.FS) *indexdir.Commit {
	t.Helper()
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// whole fails the test unless the newest commit has all its files.
func whole(t *testing.T, fsys store.FS) {
	t.Helper()
	change(t, fsys, func(*indexdir.Lock) {})
}

// A snapshot of this process holds a commit that another process goes back to after the writer that
// superseded it has closed. The release must not remove what is the index again.
func TestReleaseAfterRestore(t *testing.T) {
	mem := directory(t, library(t))
	snapshot := latest(t, mem)
	change(t, mem, func(l *indexdir.Lock) { put(t, l, 1) })
	if err := restore(memfs.Elsewhere(mem), snapshot.Generation); err != nil {
		t.Fatal(err)
	}
	snapshot.Release()
	whole(t, memfs.Elsewhere(mem))
}

// A snapshot holds a file that was published and never committed. Another process removes it, and
// gives its number to a file that it commits.
func TestReleaseOfPublication(t *testing.T) {
	mem := memfs.New()
	var snapshot *indexdir.Commit
	change(t, mem, func(l *indexdir.Lock) {
		s, err := writeSegment(l, 1)
		if err != nil {
			t.Fatal(err)
		}
		m := l.Manifest()
		m.Segments = []indexdir.SegmentInfo{s}
		if err := l.Publish(m); err != nil {
			t.Fatal(err)
		}
		snapshot = published(t, l.Dir())
	})
	change(t, memfs.Elsewhere(mem), func(*indexdir.Lock) {})
	change(t, memfs.Elsewhere(mem), func(l *indexdir.Lock) {
		if m := put(t, l, 2); m.Segments[0].File != snapshot.Segments[0].File {
			t.Fatalf("file %d, the test needs %d", m.Segments[0].File, snapshot.Segments[0].File)
		}
	})
	snapshot.Release()
	whole(t, memfs.Elsewhere(mem))
}

// Another index takes the place of one of which a snapshot is held, while a writer is open or after
// it has closed. The release must not remove files of the other index, which have the same names.
func TestReleaseAfterReplacement(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory with open files cannot be renamed on Windows")
	}
	for what, closed := range map[string]bool{"closed": true, "open": false} {
		t.Run(what, func(t *testing.T) {
			top := t.TempDir()
			path, next := filepath.Join(top, "index"), filepath.Join(top, "next")
			d, err := indexdir.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			put(t, l, 1)
			snapshot := latest(t, store.Dir(path))
			put(t, l, 2)
			if closed {
				l.Close()
			}
			if err := os.Mkdir(next, 0o777); err != nil {
				t.Fatal(err)
			}
			change(t, store.Dir(next), func(l *indexdir.Lock) { put(t, l, 3) })
			if err := errors.Join(os.Rename(path, filepath.Join(top, "before")), os.Rename(next, path)); err != nil {
				t.Fatal(err)
			}
			snapshot.Release()
			if err := errors.Join(l.Close(), d.Close()); err != nil {
				t.Fatal(err)
			}
			whole(t, store.Dir(path))
		})
	}
}

// While another process has the write lock, a release removes nothing. The next writer does.
func TestReleaseBesideWriter(t *testing.T) {
	mem := memfs.New()
	change(t, mem, func(l *indexdir.Lock) { put(t, l, 1) })
	snapshot := latest(t, mem)
	change(t, mem, func(l *indexdir.Lock) { put(t, l, 2) })
	name := indexdir.SegmentName(snapshot.Segments[0].File)
	held, err := mem.Lock(indexdir.LockName)
	if err != nil {
		t.Fatal(err)
	}
	snapshot.Release()
	if !exists(t, mem, name) {
		t.Error("a file is removed without the write lock")
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, mem, func(*indexdir.Lock) {})
	if exists(t, mem, name) {
		t.Error("the next writer leaves the file")
	}
}

// When no writer is open, the last release removes what the last one superseded.
func TestReleaseAfterWriter(t *testing.T) {
	mem := memfs.New()
	change(t, mem, func(l *indexdir.Lock) { put(t, l, 1) })
	snapshot := latest(t, mem)
	change(t, mem, func(l *indexdir.Lock) { put(t, l, 2) })
	name := indexdir.SegmentName(snapshot.Segments[0].File)
	again := snapshot.Retain()
	if snapshot.Release(); !exists(t, mem, name) {
		t.Error("a file went while a snapshot referred to it")
	}
	if again.Release(); exists(t, mem, name) {
		t.Error("the file stays after its last snapshot")
	}
	change(t, mem, func(*indexdir.Lock) {})
}
