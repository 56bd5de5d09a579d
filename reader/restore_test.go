package reader_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// An index that is restored from a copy under an open reader, and changed in another way than
// before, can have a deletes file of the same number for the same segment. After Refresh the
// reader has the new one, also if as many documents of the same lengths are deleted.
func TestIndexRestored(t *testing.T) {
	if noWriters || runtime.GOOS == "windows" {
		t.Skip("this platform cannot lock a directory, or remove mapped files")
	}
	path := t.TempDir()
	deleteOnly := func(commits int, doc uint32) (num uint64) {
		t.Helper()
		amend(t, store.Dir(path), commits, func(l *indexdir.Lock, m *indexdir.Manifest) {
			s := &m.Segments[0]
			if err := l.WriteDeletes(s, docset.BitsOf(doc)); err != nil {
				t.Fatal(err)
			}
			num, s.DeletedTokens = s.DeletesFile, 1
		})
		return num
	}
	commit(t, store.Dir(path), &content{docs: 4, lists: map[string]postings{"t": {docs: []uint32{0, 1, 2, 3}, freqs: ones(4)}}})
	names, err := filepath.Glob(filepath.Join(path, "*.pin"))
	if err != nil {
		t.Fatal(err)
	}
	saved := map[string][]byte{}
	for _, name := range names {
		if saved[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	first := deleteOnly(1, 1)
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
	deleted := func(s *reader.Snapshot, want uint32) {
		t.Helper()
		for doc := range uint32(4) {
			if gone, err := s.Deleted(doc); gone != (doc == want) || err != nil {
				t.Errorf("document %d: deleted %v, %v", doc, gone, err)
			}
		}
	}
	deleted(old, 1)

	if names, err = filepath.Glob(filepath.Join(path, "*.pin")); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range saved {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if num := deleteOnly(2, 2); num != first {
		t.Fatalf("deletes file %d, not %d", num, first)
	}
	if changed, err := x.Refresh(t.Context()); !changed || err != nil {
		t.Fatal(changed, err)
	}
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	deleted(s, 2)
	deleted(old, 1)
}
