package reader_test

import (
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
)

// flipping is a Source whose reads of segments and deletes give damaged bytes while bad is set.
type flipping struct {
	reader.Source
	bad atomic.Bool
}

func (f *flipping) Open(name string) (io.ReaderAt, int64, error) {
	r, n, err := f.Source.Open(name)
	if err == nil && !strings.HasPrefix(name, "m") {
		r = flippingFile{r, f}
	}
	return r, n, err
}

type flippingFile struct {
	io.ReaderAt
	f *flipping
}

func (r flippingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	if r.f.bad.Load() {
		for i := max(16-off, 0); i < int64(n); i++ { // all but magic and version
			p[i] ^= 1
		}
	}
	return n, err
}

// What was damaged on its way is asked for again, not kept in the cache.
func TestDamagedRangeIsReadAgain(t *testing.T) {
	mem := memfs.New()
	commit(t, mem, three()...)
	for name, read := range map[string]func(s *reader.Snapshot) error{
		"term":    func(s *reader.Snapshot) error { _, err := s.DF([]byte("bee")); return err },
		"list":    func(s *reader.Snapshot) error { return last(s.Postings([]byte("bee"))) },
		"id":      func(s *reader.Snapshot) error { _, err := s.AppendID(nil, 5); return err },
		"find":    func(s *reader.Snapshot) error { _, _, err := s.FindID([]byte("doc-5")); return err },
		"length":  func(s *reader.Snapshot) error { _, err := s.DocLen(5); return err },
		"deletes": func(s *reader.Snapshot) error { _, err := s.Segments()[0].Deletes(); return err },
	} {
		f := &flipping{Source: reader.FromFS(copyOf(t, mem))}
		// The cache holds units of several ranges, or is too small for that and holds ranges.
		for _, size := range []int64{0, 100 << 10} {
			x, err := reader.Open(t.Context(), f, reader.Options{CacheSize: max(size, 0), NoCache: size < 0})
			if err != nil {
				t.Fatal(err)
			}
			s, err := x.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			f.bad.Store(true)
			first := read(s)
			if first != nil && !errors.Is(first, format.ErrCorrupt) {
				t.Errorf("%s: %v", name, first)
			}
			f.bad.Store(false)
			if err := read(s); err != nil {
				t.Errorf("%s: asked again: %v", name, err)
			}
			s.Close()
			x.Close()
		}
	}
}
