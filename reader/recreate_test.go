package reader_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// An index that is removed and made anew under an open reader has files with the same numbers.
// After Refresh the reader has the new ones.
func TestIndexMadeAnew(t *testing.T) {
	if noWriters || runtime.GOOS == "windows" {
		t.Skip("this platform cannot lock a directory, or remove mapped files")
	}
	path := t.TempDir()
	build := func(content, commits int) {
		t.Helper()
		amend(t, store.Dir(path), commits, func(l *indexdir.Lock, m *indexdir.Manifest) {
			m.Schema = schema.Implicit("simple", "", false)
			m.Segments = []indexdir.SegmentInfo{addSegment(t, l, three()[content])} // with deletes
		})
	}
	build(0, 1)
	x, err := reader.Open(t.Context(), reader.Dir(path), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	old, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	names, err := filepath.Glob(filepath.Join(path, "*.pin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	build(2, 2) // the generations differ
	if changed, err := x.Refresh(t.Context()); !changed || err != nil {
		t.Fatal(changed, err)
	}
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for doc := range uint32(300) {
		if gone, err := s.Deleted(doc); gone != (doc == 299) || err != nil {
			t.Errorf("document %d: deleted %v, %v", doc, gone, err)
		}
	}
	if gone, err := old.Deleted(3); !gone || err != nil {
		t.Error("the earlier snapshot changed:", gone, err)
	}
}
