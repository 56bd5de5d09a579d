package bucket

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

// files returns the paths of the files below dir and how many bytes they have.
func files(t *testing.T, dir string) (paths []string, total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			paths, total = append(paths, path), total+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, total
}

// What a process has read another one finds in the local cache, also where a file of that is damaged or gone: then it is read again.
func TestLocalCache(t *testing.T) {
	w := newWorld(t, 1, 15000, lag.Model{})
	dir := filepath.Join(t.TempDir(), "cache")
	home, away := filepath.Dir(dir), t.TempDir()
	queries := queryLog(10)
	want := local(t, w.dir, queries)
	ask := func() int {
		t.Helper()
		w.requests()
		t.Chdir(home)
		x := w.open(t, ReadOptions{CacheDir: filepath.Base(dir)})
		t.Chdir(away) // the cache stays where it is
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got, err := hits(t.Context(), s, queries); err != nil || got != want {
			t.Fatalf("the hits differ, %v", err)
		}
		return w.requests()
	}
	cold := ask()
	if n := ask(); n != 3 { // the listing, the manifest, deletes
		t.Errorf("%d requests with all of a segment in the cache, %d without", n, cold)
	}
	paths, _ := files(t, dir)
	for i, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 4 {
		case 0:
			b[len(b)/2] ^= 1
		case 1:
			b = b[:len(b)-1]
		case 2:
			b = nil
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := ask(); n <= 3 {
		t.Errorf("%d requests after damage to the cache", n)
	}
	if n := ask(); n != 3 {
		t.Errorf("%d requests after the cache was mended", n)
	}
}

// What the cache returns is what was written, whatever is missing is within the range that it names, and it keeps to its budget.
func TestDiskCache(t *testing.T) {
	object := make([]byte, 3*pieceSize)
	for i := range object {
		object[i] = byte(i * 7 >> 3)
	}
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		caches := make([]*diskCache, 2)
		for i := range caches {
			if caches[i], err = openDiskCache(dir, 2*pieceSize); err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			c := caches[rapid.IntRange(0, 1).Draw(rt, "process")]
			off := rapid.IntRange(0, len(object)-1).Draw(rt, "off")
			n := min(rapid.IntRange(1, 2*pieceSize).Draw(rt, "n"), len(object)-off)
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				c.forget("a", int64(off), int64(n))
			case 1:
				c.sweep()
				if _, total := files(t, dir); total > 2*pieceSize {
					rt.Fatalf("%d bytes", total)
				}
			case 2:
				c.write("a", object[off:off+n], int64(off))
			default:
				p := make([]byte, n)
				lo, hi := c.read("a", p, int64(off))
				if lo > hi || lo < int64(off) || hi > int64(off+n) {
					rt.Fatalf("%d to %d is missing of %d at %d", lo, hi, n, off)
				}
				copy(p[lo-int64(off):], object[lo:hi])
				if !bytes.Equal(p, object[off:off+n]) {
					rt.Fatalf("wrong bytes of %d at %d, %d to %d missing", n, off, lo, hi)
				}
			}
		}
	})
}
