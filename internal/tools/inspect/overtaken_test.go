package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// change lets another process change the index in dir, and commit.
func change(t *testing.T, dir string, f func(w *writer.Writer) error) {
	t.Helper()
	w, err := writer.OpenFS(t.Context(), memfs.Elsewhere(store.Dir(dir)), writer.Options{MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f(w), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// segmented makes an index of two segments, of which one document is deleted.
func segmented(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range 2 {
		change(t, dir, func(w *writer.Writer) error {
			return errors.Join(w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "first%d", i), []byte("one"))),
				w.Add(t.Context(), writer.Text(fmt.Appendf(nil, "second%d", i), []byte("two"))))
		})
	}
	change(t, dir, func(w *writer.Writer) error { return w.Delete(t.Context(), []byte("first1")) })
	return dir
}

// overtake lets another process merge the index in dir.
func overtake(t *testing.T, dir string) {
	t.Helper()
	change(t, dir, func(w *writer.Writer) error {
		_, err := w.Merge(t.Context(), writer.MergeOptions{})
		return err
	})
}

// TestVerifyOvertaken verifies an index while another process replaces all its files.
func TestVerifyOvertaken(t *testing.T) {
	dir := segmented(t)
	segments := 0
	v, err := VerifyPath(t.Context(), dir, VerifyOptions{Level: check.Postings, Threads: 1,
		Progress: func(string, int64) (func(done, total int64), func()) {
			if segments++; segments == 1 {
				overtake(t, dir)
			}
			return nil, func() {}
		}})
	if err != nil || segments != 2 {
		t.Fatalf("%v; %d segments are checked", err, segments)
	}
	if !v.OK || len(v.Files) != 5 || len(v.Orphans) > 0 {
		t.Errorf("a sound index: %+v", v)
	}
	for _, f := range v.Files {
		if f.Bytes == 0 {
			t.Errorf("%s: no bytes", f.File)
		}
	}
}

// TestOpenOvertaken opens the files of a commit that another process has replaced.
func TestOpenOvertaken(t *testing.T) {
	dir := segmented(t)
	d, err := indexdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x := &Index{Path: dir, dir: d, how: Sound}
	defer x.Close()
	attempts := 0
	c, err := d.OpenLatest(func(c *indexdir.Commit) error {
		if attempts++; attempts == 1 {
			overtake(t, dir)
			all := &Index{Path: dir, dir: d, how: All}
			defer all.Close()
			if err := all.openCommit(c); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("files to verify: %v", err)
			}
		}
		return x.openCommit(c)
	})
	if err != nil || attempts != 2 || len(x.Segs) != 1 || len(x.Damage) > 0 {
		t.Fatalf("attempt %d: %v, %d segments, %v", attempts, err, len(x.Segs), x.Damage)
	}
	defer c.Release()

	// Without a newer commit, the file is missing.
	if err := store.Dir(dir).Remove(x.Segs[0].File); err != nil {
		t.Fatal(err)
	}
	for _, how := range []How{Sound, All} {
		x.how = how
		if err := x.openCommit(c); err != nil || len(x.Damage) != 1 || !errors.Is(x.Damage[0], fs.ErrNotExist) {
			t.Errorf("a missing file: %v, %v", err, x.Damage)
		}
		if f := x.File(indexdir.SegmentName(c.Segments[0].File)); !errors.Is(f.Err, fs.ErrNotExist) || f.Data != nil {
			t.Errorf("a missing file: %+v", f)
		}
	}
	x.how = Whole
	if err := x.openCommit(c); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
