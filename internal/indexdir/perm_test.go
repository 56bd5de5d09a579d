package indexdir_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// What a writer adds to an index is as open as what is there.
func TestPermOfNewFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions")
	}
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o400, 0o644} {
		path := filepath.Join(t.TempDir(), "new", "idx")
		d, err := indexdir.CreatePerm(path, mode)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for i := range 3 { // the last with one narrower file
			if i == 2 {
				mode &= 0o600
				if err := os.Chmod(filepath.Join(path, indexdir.ManifestName(5)), mode); err != nil {
					t.Fatal(err)
				}
			}
			l, err := d.LockWith(indexdir.LockOptions{Perm: mode})
			if err != nil {
				t.Fatal(err)
			}
			put(t, l, i)
			m := put(t, l, i+10)
			l.Close()
			for _, name := range append(m.Files(), indexdir.ManifestName(m.Generation), indexdir.MirrorName(m.Generation)) {
				st, err := os.Stat(filepath.Join(path, name))
				if err != nil {
					t.Fatal(err)
				}
				if got := st.Mode().Perm(); got&^0o200 != mode&^0o200 {
					t.Errorf("%v: %s: %v", mode, name, got)
				}
			}
		}
	}
}

// A copy is open to nobody whom the directory or a file keeps out.
func TestPerm(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions")
	}
	for _, c := range []struct{ dir, file, want fs.FileMode }{
		{0o755, 0o644, 0o644}, {0o700, 0o644, 0o600}, {0o750, 0o644, 0o640}, {0o777, 0o666, 0o666},
		{0o755, 0o640, 0o640}, {0o755, 0o400, 0o600}, {0o744, 0o644, 0o600}, {0o711, 0o644, 0o644},
	} {
		path := t.TempDir()
		name := filepath.Join(path, indexdir.SegmentName(1))
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, indexdir.LockName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, c.file); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.dir); err != nil {
			t.Fatal(err)
		}
		d, err := indexdir.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Perm(); got != c.want {
			t.Errorf("directory %v, file %v: %v, want %v", c.dir, c.file, got, c.want)
		}
		d.Close()
		if got := d.Perm(); got != 0o600 {
			t.Errorf("closed: %v", got)
		}
	}
	var none indexdir.Dir
	if got := none.Perm(); got != 0o600 {
		t.Errorf("zero: %v", got)
	}
}

// A snapshot that ends removes nothing of another index that has taken the directory's place,
// though its commits have the same numbers and files.
func TestReleaseOfReplacedIndex(t *testing.T) {
	build := func(path string, keep int) (l *indexdir.Lock, c *indexdir.Commit) {
		d, err := indexdir.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if l, err = d.LockWith(indexdir.LockOptions{KeepCommits: keep}); err != nil {
			t.Fatal(err)
		}
		put(t, l, 1)
		if c, err = d.Latest(); err != nil {
			t.Fatal(err)
		}
		m := l.Manifest()
		m.Segments = nil
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
		return l, c
	}
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	l, c := build(path, 1)
	l.Close()
	l, kept := build(other, 2)
	kept.Release()
	l.Close()
	if err := os.Rename(path, path+".gone"); err != nil {
		t.Skip(err) // Windows
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	c.Release()
	if _, err := os.Stat(filepath.Join(path, indexdir.SegmentName(c.Segments[0].File))); err != nil {
		t.Errorf("a file of the other index: %v", err)
	}
}
