package idxinspect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
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

// uponUse is a writer that calls f when it is first asked what it is, as by NewProgress.
type uponUse struct {
	io.Writer
	f func()
}

func (u *uponUse) Unwrap() io.Writer {
	if f := u.f; f != nil {
		u.f = nil
		f()
	}
	return u.Writer
}

// TestVerifyOvertaken verifies an index while another process replaces all its files.
func TestVerifyOvertaken(t *testing.T) {
	dir := segmented(t)
	v := &Verification{Index: dir, OK: true, level: check.Postings, threads: 1}
	stderr := &uponUse{io.Discard, func() { overtake(t, dir) }}
	if err := v.verify(t.Context(), stderr); err != nil || stderr.f != nil {
		t.Fatalf("%v; the other process wrote: %t", err, stderr.f == nil)
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

// TestReportReplaced answers queries for a page when another index, whose commits have the
// same numbers, has taken the place of the one that the page shows.
func TestReportReplaced(t *testing.T) {
	dir, other := segmented(t), segmented(t)
	x, err := openIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	if err := errors.Join(os.Rename(dir, dir+".old"), os.Rename(other, dir)); err != nil {
		t.Skip(err) // Windows
	}
	b := &pageBuilder{path: dir}
	if err := b.trace(t.Context(), nil, x, nil); err == nil || !strings.Contains(err.Error(), "another index has taken the place") {
		t.Error(err)
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
	x := &index{path: dir, damaged: func(err error) { t.Errorf("damage: %v", err) }}
	defer x.close()
	files := map[string]opened{}
	defer closeAll(files)
	attempts := 0
	c, err := d.OpenLatest(func(c *indexdir.Commit) error {
		if attempts++; attempts == 1 {
			overtake(t, dir)
			if err := openAll(files, d, c); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("files to verify: %v", err)
			}
		}
		_, err := x.openCommit(d, c)
		return err
	})
	if err != nil || attempts != 2 || len(x.segs) != 1 {
		t.Fatalf("attempt %d: %v, %d segments", attempts, err, len(x.segs))
	}
	defer c.Release()

	// Without a newer commit, the file is missing.
	if err := store.Dir(dir).Remove(x.segs[0].file); err != nil {
		t.Fatal(err)
	}
	if left, err := x.openCommit(d, c); err != nil || len(left) != 1 || !errors.Is(left[0], fs.ErrNotExist) {
		t.Errorf("a missing file: %v, %v", left, err)
	}
	if err := openAll(files, d, c); err != nil || !errors.Is(files[indexdir.SegmentName(c.Segments[0].File)].err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, %v", files, err)
	}
}
