package indexdir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// put commits a new index of one segment with content n.
func put(t testing.TB, l *indexdir.Lock, n int) *indexdir.Manifest {
	t.Helper()
	m := l.Manifest()
	s, err := writeSegment(l, n)
	if err != nil {
		t.Fatal(err)
	}
	m.Segments = []indexdir.SegmentInfo{s}
	if err := l.Commit(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func exists(t testing.TB, fsys store.FS, name string) bool {
	t.Helper()
	names, err := fsys.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func systems(t *testing.T) map[string]store.FS {
	return map[string]store.FS{"memory": memfs.New(), "os": store.Dir(t.TempDir())}
}

func TestPinnedFilesStay(t *testing.T) {
	for name, fsys := range systems(t) {
		t.Run(name, func(t *testing.T) {
			d, _ := indexdir.OpenFS(fsys)
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			first := indexdir.SegmentName(put(t, l, 1).Segments[0].File)
			other, _ := indexdir.OpenFS(fsys) // a reader in the same process
			c, err := other.Latest()
			if err != nil {
				t.Fatal(err)
			}
			again := c.Retain()
			put(t, l, 2)
			if exists(t, fsys, indexdir.ManifestName(2)) {
				t.Error("the old manifest is still there")
			}
			c.Release()
			c.Release()
			if !exists(t, fsys, first) {
				t.Fatal("a file went while a snapshot referred to it")
			}
			l.Close()
			if l, err = d.Lock(); err != nil { // cleans up
				t.Fatal(err)
			}
			if data, err := d.OpenFile(indexdir.SegmentName(again.Segments[0].File)); err != nil {
				t.Fatal(err)
			} else {
				data.Close()
			}
			again.Release()
			if exists(t, fsys, first) {
				t.Fatal("the file stays after its last snapshot")
			}
			if err := errors.Join(l.Close(), d.Close(), other.Close()); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Fatalf("close too often: %v", err)
			}
		})
	}
}

func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	for name, two := range map[string][2]store.FS{
		"os":     {store.Dir(dir), memfs.Elsewhere(store.Dir(dir))},
		"memory": func() [2]store.FS { m := memfs.New(); return [2]store.FS{m, m} }(),
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := indexdir.OpenFS(two[0])
			b, _ := indexdir.OpenFS(two[1])
			l, err := a.Lock()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Lock(); !errors.Is(err, store.ErrLocked) {
				t.Fatalf("second lock: %v", err)
			}
			l.Close()
			l, err = b.Lock()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(l.Close(), a.Close(), b.Close()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// After Close every method fails, whoever else has the directory open, and so does a second Close.
// What was opened before remains.
func TestClosedDir(t *testing.T) {
	ctx, mem := context.Background(), memfs.New()
	d, _ := indexdir.OpenFS(mem)
	other, _ := indexdir.OpenFS(mem)
	defer other.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	put(t, l, 1)
	held, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	inv, err := d.Inspect(ctx, nil, mending.Mend)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, latest := d.Latest()
	_, at := d.At(held.Generation)
	_, generation := d.Generation()
	_, file := d.OpenFile(indexdir.ManifestName(held.Generation))
	_, lock := d.Lock()
	_, inspect := d.Inspect(ctx, nil, mending.Mend)
	_, rebuild := d.Rebuild(ctx, inv)
	_, backup := d.Backup(ctx, memfs.New(), indexdir.BackupOptions{})
	_, opened := d.OpenLatest(func(*indexdir.Commit) error { return nil })
	_, published := d.OpenPublished(func(*indexdir.Commit) error { return nil })
	repair := d.Repair(ctx, nil, mending.Mend, func(*indexdir.Inventory) (*indexdir.Recovery, error) { return nil, nil })
	for i, err := range []error{latest, at, generation, file, lock, inspect, rebuild, backup, opened, published, repair, d.Close()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	put(t, l, 2)
	if f, err := other.OpenFile(indexdir.SegmentName(held.Segments[0].File)); err != nil {
		t.Errorf("the commit that is held: %v", err)
	} else {
		f.Close()
	}
	held.Release()
	c, err := other.Latest()
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	if _, err := other.Lock(); !errors.Is(err, store.ErrLocked) {
		t.Errorf("the lock has gone: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A reader in another process opens files while the writer removes them.
func TestReaderInAnotherProcess(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	put(t, l, 1)
	far, _ := indexdir.OpenFS(memfs.Elsewhere(mem))
	defer far.Close()
	tries := 0
	c, err := far.OpenLatest(func(c *indexdir.Commit) error {
		if tries++; tries <= 3 {
			put(t, l, 1+tries) // removes what c names
		}
		data, err := far.OpenFile(indexdir.SegmentName(c.Segments[0].File))
		if err != nil {
			return err
		}
		return data.Close()
	})
	if err != nil || c.Generation != 5 || tries != 4 {
		t.Fatalf("generation %d after %d tries: %v", c.Generation, tries, err)
	}
	c.Release()
	// A file that remains missing is damage.
	if err := mem.Remove(indexdir.SegmentName(l.Manifest().Segments[0].File)); err != nil {
		t.Fatal(err)
	}
	_, err = far.OpenLatest(func(c *indexdir.Commit) error { _, _, err := c.OpenSegment(0); return err })
	if !errors.Is(err, format.ErrCorrupt) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("missing segment: %v", err)
	}
}

func TestCommitsBesideReaders(t *testing.T) {
	longtest.NoEmulator(t, "takes long")
	for name, fsys := range systems(t) {
		t.Run(name, func(t *testing.T) {
			d, _ := indexdir.OpenFS(fsys)
			defer d.Close()
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			put(t, l, 1)
			var done atomic.Bool
			var wg sync.WaitGroup
			for _, from := range []store.ReadFS{fsys, fsys, memfs.Elsewhere(fsys)} {
				if runtime.GOOS == "windows" && from != store.ReadFS(fsys) {
					continue
				}
				wg.Go(func() {
					r, _ := indexdir.OpenFS(from)
					defer r.Close()
					var newest uint64
					for !done.Load() {
						var data store.Data
						c, err := r.OpenLatest(func(c *indexdir.Commit) (err error) {
							data, err = r.OpenFile(indexdir.SegmentName(c.Segments[0].File))
							return err
						})
						if err != nil {
							t.Errorf("open: %v", err)
							return
						}
						b, err := data.Range(0, data.Size())
						if err != nil || b[16] != byte(c.Generation-1) || c.Generation < newest {
							t.Errorf("generation %d after %d: %v", c.Generation, newest, err)
						}
						newest = c.Generation
						data.Close()
						c.Release()
					}
				})
			}
			for n := range longtest.Count(30, 100) {
				put(t, l, 2+n)
			}
			done.Store(true)
			wg.Wait()
			if runtime.GOOS != "windows" {
				l.Clean()
				if names, _ := fsys.List(); len(names) != 4 {
					t.Errorf("left over: %v", names)
				}
			}
		})
	}
}

func TestNotAnIndex(t *testing.T) {
	dir := t.TempDir()
	if _, err := indexdir.Open(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	file := filepath.Join(dir, "file")
	os.WriteFile(file, []byte("x"), 0o666)
	for _, path := range []string{dir, file} {
		d, err := indexdir.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Latest(); !errors.Is(err, format.ErrNotAnIndex) {
			t.Errorf("%s: %v", path, err)
		}
		d.Close()
	}
	for _, n := range []string{"manifest-1.pin", "manifest-000000000001.pin.tmp", "mirror-000000000001.pin.tmp",
		"manifest-0000000000001.pin", "manifest-00000000000x.pin", "mydata.tmp", "spool-1.tmp"} {
		os.WriteFile(filepath.Join(dir, n), nil, 0o666)
	}
	d, _ := indexdir.Open(dir)
	defer d.Close()
	if _, err := d.Latest(); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("names that are almost right: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	d, _ := indexdir.OpenFS(struct{ store.ReadFS }{memfs.New()})
	defer d.Close()
	if _, err := d.Lock(); !errors.Is(err, store.ErrReadOnly) {
		t.Fatal(err)
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		d, err := indexdir.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := d.Lock()
		if err != nil {
			t.Fatal(err)
		}
		put(t, l, 1)
		if err := l.WriteDeletes(&indexdir.SegmentInfo{}, &docset.Bits{}); err == nil {
			t.Fatal("empty deletes file written")
		}
		if err := errors.Join(l.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRangeOutside(t *testing.T) {
	for name, fsys := range systems(t) {
		f, err := fsys.Create("x")
		if err != nil {
			t.Fatal(err)
		}
		f.WriteAt(make([]byte, 100), 0)
		f.Close()
		data, err := fsys.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range [][2]int64{{-1, 1}, {0, -1}, {0, 101}, {100, 1}, {1 << 62, 1 << 62}, {101, 0}} {
			if _, err := data.Range(r[0], r[1]); !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("%s: range %v: %v", name, r, err)
			}
		}
		if b, err := data.Range(100, 0); err != nil || len(b) != 0 {
			t.Errorf("%s: empty range: %v", name, err)
		}
		for range 2 { // the second does nothing
			if err := data.Close(); err != nil {
				t.Errorf("%s: close: %v", name, err)
			}
		}
		if _, err := data.Range(0, 1); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: range after close: %v", name, err)
		}
	}
}
