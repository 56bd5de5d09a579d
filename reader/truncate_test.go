package reader_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// A segment that is truncated while it is mapped gives errors in every method and
// does not crash the process.
func TestTruncatedWhileMapped(t *testing.T) {
	if noMappings {
		t.Skip("files are read, not mapped")
	}
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated on Windows")
	}
	dir := t.TempDir()
	contents := three()
	for _, c := range contents {
		for i := range 400 { // small files are not mapped
			c.lists[fmt.Sprintf("~%d%0200d", i, i)] = postings{[]uint32{0}, []uint32{1}}
		}
	}
	commit(t, store.Dir(dir), contents...)
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, _ := x.Snapshot()
	defer s.Close()
	terms := s.Terms(nil)
	for _, seg := range s.Segments() {
		if err := os.Truncate(filepath.Join(dir, seg.Name()), 0); err != nil {
			t.Fatal(err)
		}
	}
	for what, f := range map[string]func() error{
		"DF":     func() error { _, err := s.DF([]byte("apple")); return err },
		"Lookup": func() error { _, _, err := s.Lookup([]byte("apple"), nil); return err },
		"Postings": func() (err error) {
			for _, err = range s.Postings([]byte("apple")) {
			}
			return err
		},
		"ID":     func() error { _, err := s.AppendID(nil, 1); return err },
		"Stored": func() error { _, err := s.AppendStored(nil, 1); return err },
		"DocLen": func() error { _, err := s.DocLen(1); return err },
		"FindID": func() error { _, _, err := s.FindID([]byte("a1")); return err },
		"Next":   func() error { terms.Next(); return terms.Err() },
		"SeekGE": func() error { t := s.Terms(nil); t.SeekGE([]byte("b")); return t.Err() },
		"Prefix": func() error { return s.Terms([]byte("a")).Err() },
	} {
		err := f()
		var e *format.Error
		if !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}
