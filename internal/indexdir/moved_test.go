package indexdir_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// A Lock whose directory was moved leaves what is in its place alone.
func TestMovedDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "idx")
	d, err := indexdir.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Skip(err) // Windows
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := writeSegment(l, 1); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("CreateSegment: %v", err)
	}
	if _, err := l.CreateTemp(); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("CreateTemp: %v", err)
	}
	if err := l.Commit(l.Manifest()); !errors.Is(err, store.ErrLockLost) {
		t.Errorf("Commit: %v", err)
	}
	if left, err := os.ReadDir(path); err != nil || len(left) > 0 {
		t.Errorf("in the new directory: %v, %v", left, err)
	}
}

// Temporary files alone are no index: one can be made there, and files that could have been a
// segment's move to quarantine.
func TestOnlyTemporaryFiles(t *testing.T) {
	mem := memfs.New()
	stray := []string{indexdir.SegmentName(7) + ".tmp", indexdir.DeletesName(8) + ".tmp", indexdir.ManifestName(9) + ".tmp"}
	for _, name := range stray {
		f, err := mem.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := mem.Sync(); err != nil {
		t.Fatal(err)
	}
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Latest(); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("Latest: %v", err)
	}
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	s, err := writeSegment(l, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := l.Manifest()
	m.Segments = append(m.Segments, s)
	if err := errors.Join(l.Commit(m), l.Close()); err != nil {
		t.Fatal(err)
	}
	names, err := mem.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stray {
		if slices.Contains(names, name) {
			t.Errorf("%s is still there", name)
		}
	}
	if !slices.Contains(names, store.QuarantineName) {
		t.Error("nothing is in quarantine")
	}
	if s.File < 9 {
		t.Errorf("file number %d again", s.File)
	}
	if err := checkWhole(mem, 2, 2); err != nil {
		t.Error(err)
	}
}

// A backup makes its directory, and files have the permissions of those that they copy.
func TestBackupIntoNewDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "idx")
	d, err := indexdir.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	s, err := writeSegment(l, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := l.Manifest()
	m.Segments = append(m.Segments, s)
	if err := errors.Join(l.Commit(m), l.Close(), os.Chmod(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(path, "*.pin"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Chmod(f, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, copies := range []bool{false, true} {
		to := filepath.Join(dir, "deep", map[bool]string{false: "linked", true: "copied"}[copies])
		if _, err := d.Backup(t.Context(), store.Dir(to), indexdir.BackupOptions{Copy: copies}); err != nil {
			t.Fatal(err)
		}
		if err := checkWhole(store.Dir(to), 2, 2); err != nil {
			t.Error(err)
		}
		for _, f := range append(files, path) {
			want, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			g := filepath.Join(to, filepath.Base(f))
			if f == path {
				g = to
			}
			if got, err := os.Stat(g); err != nil || got.Mode() != want.Mode() {
				t.Errorf("copies %t: %s: %v, %v, want %v", copies, g, got.Mode(), err, want.Mode())
			}
		}
	}
	// What fails leaves no directory.
	os.Remove(files[2])
	to := filepath.Join(dir, "failed")
	if _, err := d.Backup(t.Context(), store.Dir(to), indexdir.BackupOptions{}); err == nil {
		t.Error("a backup of an index that lacks a segment")
	}
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a backup that failed left its directory: %v", err)
	}
}
