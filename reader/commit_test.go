package reader_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// A commit that a writer keeps can be opened beside newer ones, by its generation.
func TestOpenCommit(t *testing.T) {
	if noWriters {
		t.Skip("this platform cannot lock a directory")
	}
	path := t.TempDir()
	d, err := indexdir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.LockWith(indexdir.LockOptions{KeepCommits: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range three() {
		m := l.Manifest()
		m.Schema = schema.Implicit("simple", "", false)
		m.Segments = []indexdir.SegmentInfo{addSegment(t, l, c)}
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
	}
	for gen, docs := range map[uint64]uint64{3: 2, 4: 300} {
		x, err := reader.Open(t.Context(), reader.Dir(path), reader.Options{Generation: gen})
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := x.Refresh(t.Context()); changed || err != nil {
			t.Errorf("refresh: %v, %v", changed, err)
		}
		s, _ := x.Snapshot()
		if s.Generation() != gen || s.Stats().Docs != docs {
			t.Errorf("generation %d with %d documents, want %d with %d", s.Generation(), s.Stats().Docs, gen, docs)
		}
		if err := errors.Join(s.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := reader.Open(t.Context(), reader.Dir(path), reader.Options{Generation: 2}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a commit that is gone: %v", err)
	}
}
