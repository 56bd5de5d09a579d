package reader_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// An index that takes the place of another is found although its generation is the same.
func TestReplacedIndex(t *testing.T) {
	if noWriters || runtime.GOOS == "windows" {
		t.Skip("this platform cannot lock a directory, or remove mapped files")
	}
	build := func(path, analyzer string, content int) {
		t.Helper()
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		amend(t, store.Dir(path), 1, func(l *indexdir.Lock, m *indexdir.Manifest) {
			m.Schema = schema.Implicit(analyzer, "", false)
			if analyzer == "simple" { // which made all segments
				m.Segments = []indexdir.SegmentInfo{addSegment(t, l, three()[content])}
			}
		})
	}
	for name, replace := range map[string]func(at, by string) error{
		"rename": func(at, by string) error { return errors.Join(os.RemoveAll(at), os.Rename(by, at)) },
		"link":   func(at, by string) error { return errors.Join(os.Remove(at), os.Symlink(by, at)) },
		"copy":   func(at, by string) error { return errors.Join(os.RemoveAll(at), os.CopyFS(at, os.DirFS(by))) },
	} {
		dir := t.TempDir()
		at, first, second := filepath.Join(dir, "at"), filepath.Join(dir, "first"), filepath.Join(dir, "second")
		build(first, "simple", 0)
		build(second, "simple", 2)
		if name == "link" {
			if err := os.Symlink(first, at); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Rename(first, at); err != nil {
			t.Fatal(err)
		}
		x, err := reader.Open(t.Context(), reader.Dir(at), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := x.Refresh(t.Context()); changed || err != nil {
			t.Fatalf("%s: Refresh of what has not changed: %v, %v", name, changed, err)
		}
		old, _ := x.Snapshot()
		if err := replace(at, second); err != nil {
			t.Fatal(err)
		}
		for i, want := range []bool{true, false} {
			if changed, err := x.Refresh(t.Context()); changed != want || err != nil {
				t.Errorf("%s: Refresh %d: %v, %v", name, i, changed, err)
			}
		}
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if s.Generation() != old.Generation() || s.Stats() == old.Stats() {
			t.Errorf("%s: generation %d, before %d, documents %d, before %d", name, s.Generation(), old.Generation(), s.Stats().Docs, old.Stats().Docs)
		}
		third := filepath.Join(dir, "third")
		build(third, "standard", 0)
		if err := replace(at, third); err != nil {
			t.Fatal(err)
		}
		if changed, err := x.Refresh(t.Context()); changed || !errors.Is(err, reader.ErrReplaced) {
			t.Errorf("%s: another analyzer: %v, %v", name, changed, err)
		}
		if err := errors.Join(s.Close(), old.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	}
}
