package hybrid

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// ownCache gives the test a folder for caches of its own.
func ownCache(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
}

// keep keeps a Model for a key, as idxbench calibrate does.
func keep(t *testing.T, k Key) {
	t.Helper()
	file, err := k.File()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	m := *DefaultModel()
	m.Key = k
	if err := m.WriteFile(file); err != nil {
		t.Fatal(err)
	}
}

// TestKept keeps a Model for an index, and finds that it is stale after a commit, and for another
// device or driver. One that is fitted again takes its place.
func TestKept(t *testing.T) {
	ownCache(t)
	t.Chdir(t.TempDir())
	simple, err := analysis.New("simple", "")
	if err != nil {
		t.Fatal(err)
	}
	grow := func() {
		w, err := writer.Open(t.Context(), "index", writer.Options{Analyzer: simple})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(t.Context(), writer.Document{ID: []byte("d"), Contents: []byte("a word")}); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	key := func(dir string) Key {
		x, err := reader.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return KeyOf(s, "fake", 2)
	}
	grow()
	first := key("index")
	if m, err := ModelFor(first); m != nil || err != nil {
		t.Errorf("before one is kept: %v, %v", m, err)
	}
	keep(t, first)
	whole, err := filepath.Abs("index")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := ModelFor(key(whole)); m == nil || err != nil {
		t.Errorf("by the absolute path: %v, %v", m, err)
	}
	grow()
	grown, device, driver := key("index"), first, first
	device.Device, driver.Driver = "other", "0.0"
	for what, k := range map[string]Key{"commit 2, not of 3": grown, "device fake, not of other": device, "not of 0.0": driver} {
		if m, err := ModelFor(k); m != nil || err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "idxbench calibrate") {
			t.Errorf("%s: %v, %v", what, m, err)
		}
	}
	keep(t, grown)
	if m, err := ModelFor(grown); m == nil || err != nil {
		t.Errorf("fitted again: %v, %v", m, err)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "pinion")); len(files) != 1 || err != nil {
		t.Errorf("%d files are kept, %v", len(files), err)
	}
}
