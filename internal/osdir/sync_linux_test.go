package osdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// held is a Wrapper of a file.
type held struct {
	Syncer
	ended bool
	lost  error
}

func (h *held) Wrapped() (any, error) { return h.Syncer, h.lost }
func (h *held) Ended(err error)       { h.ended, h.lost = true, err }

func (h *held) Sync() error {
	if h.lost == nil {
		h.Ended(h.Syncer.Sync())
	}
	return h.lost
}

// syncing creates n files in a directory, written to and not synced, of which number bad cannot be
// synced, and syncs them. It returns them and the error.
func syncing(t *testing.T, dir string, n, bad int) ([]*held, error) {
	t.Helper()
	var all []*held
	var files []Syncer
	for i := range n {
		f, err := New(dir).Create(fmt.Sprint("file", i))
		if err != nil {
			t.Fatal(err)
		}
		if i == bad { // a pipe
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			f.Close()
			f = &File{File: w}
		} else if _, err := f.WriteAt([]byte("content"), 0); err != nil {
			t.Fatal(err)
		}
		o := &held{Syncer: f}
		t.Cleanup(func() { f.Close() })
		all, files = append(all, o), append(files, o)
	}
	return all, New(dir).Sync(files...)
}

// Files that are synced at once end up as if each had been synced alone, whether the kernel syncs
// them or threads do.
func TestSyncAll(t *testing.T) {
	for _, way := range []string{"kernel", "threads"} {
		for _, c := range []struct{ n, bad int }{{0, -1}, {1, -1}, {1, 0}, {5, -1}, {5, 0}, {5, 2}, {5, 4}, {maxSubmit, -1}, {maxSubmit + 1, 3}} {
			t.Run(fmt.Sprint(way, c.n, " bad ", c.bad), func(t *testing.T) {
				defer noSubmit.Store(noSubmit.Load())
				if way == "threads" {
					noSubmit.Store(true)
				}
				files, err := syncing(t, t.TempDir(), c.n, c.bad)
				if (err != nil) != (c.bad >= 0) || err != nil && !errors.Is(err, unix.EINVAL) {
					t.Fatal(err)
				}
				for i, o := range files {
					if !o.ended || (o.lost != nil) != (i == c.bad) {
						t.Errorf("file %d: ended %v, lost %v", i, o.ended, o.lost)
					}
				}
			})
		}
	}
}

// A file that could not be synced once fails again, and a directory that is gone is an error.
func TestSyncAllFails(t *testing.T) {
	files, _ := syncing(t, t.TempDir(), 2, -1)
	files[1].Ended(unix.EIO)
	if err := New(t.TempDir()).Sync(files[0], files[1]); !errors.Is(err, unix.EIO) {
		t.Error(err)
	}
	if err := New(t.TempDir() + "/none").Sync(files[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// The results of the kernel come in any order, and each belongs to its file.
func TestSubmitQueue(t *testing.T) {
	q := takeQueue()
	if q == nil {
		t.Skip("the kernel has no io_submit")
	}
	defer q.give()
	var files []*os.File
	for i := range 7 {
		f, err := os.Create(fmt.Sprint(t.TempDir(), "/", i))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		if i == 3 {
			f.Close()
		} else {
			defer f.Close()
		}
	}
	for range 3 { // the queue can be used again
		errs := q.sync(files)
		for i, err := range errs {
			if errors.Is(err, fs.ErrClosed) != (i == 3) || (err != nil) != (i == 3) {
				t.Errorf("file %d: %v", i, errs)
			}
		}
	}
	results := []ioEvent{{data: 1}, {data: 0, result: -int64(unix.EIO)}}
	errs := make([]error, 2)
	report(errs, files[:2], results)
	if errs[1] != nil || !errors.Is(errs[0], unix.EIO) {
		t.Error(errs)
	}
}
