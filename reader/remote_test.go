package reader_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
)

// jammed is a Source whose reads do not return while way is not nil.
type jammed struct {
	reader.Source
	way atomic.Pointer[chan struct{}]
}

func (j *jammed) Open(name string) (io.ReaderAt, int64, error) {
	r, n, err := j.Source.Open(name)
	return jammedFile{r, j}, n, err
}

type jammedFile struct {
	io.ReaderAt
	j *jammed
}

func (f jammedFile) ReadAt(p []byte, off int64) (int, error) {
	if way := f.j.way.Load(); way != nil {
		<-*way
	}
	return f.ReaderAt.ReadAt(p, off)
}

// All that reads an index through a Snapshot with a context ends with it, and works afterwards.
func TestWithContext(t *testing.T) {
	mem := memfs.New()
	commit(t, mem, three()...)
	files := copyOf(t, mem)
	for name, read := range map[string]func(s *reader.Snapshot) error{
		"term":  func(s *reader.Snapshot) error { _, err := s.DF([]byte("bee")); return err },
		"terms": func(s *reader.Snapshot) error { x := s.Terms(nil); x.Next(); return x.Err() },
		"list":  func(s *reader.Snapshot) error { return last(s.Postings([]byte("bee"))) },
		"id":    func(s *reader.Snapshot) error { _, err := s.AppendID(nil, 5); return err },
		"prefetch": func(s *reader.Snapshot) error {
			s.Prefetch([]uint32{5}, true)
			_, err := s.AppendID(nil, 5)
			return err
		},
		"text":    func(s *reader.Snapshot) error { _, err := s.AppendStored(nil, 5); return err },
		"find":    func(s *reader.Snapshot) error { _, _, err := s.FindID([]byte("doc-5")); return err },
		"length":  func(s *reader.Snapshot) error { _, err := s.DocLen(5); return err },
		"deletes": func(s *reader.Snapshot) error { _, err := s.Segments()[0].Deletes(); return err },
		"verify":  func(s *reader.Snapshot) error { return s.Verify(s.Context()) },
		"cursor": func(s *reader.Snapshot) error {
			e, _, err := s.Segments()[0].Lookup([]byte("bee"))
			if err != nil {
				return err
			}
			var c reader.Cursor
			defer c.Close()
			return c.Init(s.Segments()[0], e)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			j := &jammed{Source: reader.FromFS(files)}
			x, err := reader.Open(t.Context(), j, reader.Options{NoCache: true})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			s, err := x.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			way := make(chan struct{})
			j.way.Store(&way)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			bound := s.WithContext(ctx)
			if err := read(bound); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(start))
			}
			j.way.Store(nil)
			var none context.Context
			if err := read(s); err != nil {
				t.Errorf("%s: afterwards: %v", name, err)
			}
			close(way)
			synctest.Wait()
			if err := read(s.WithContext(none)); err != nil {
				t.Errorf("%s: when the read is back: %v", name, err)
			}
			if own, err := bound.Retain(); err != nil || own.Context().Err() != nil {
				t.Errorf("%s: retained: %v", name, err)
			} else if err := errors.Join(read(own), own.Close()); err != nil {
				t.Errorf("%s: retained: %v", name, err)
			}
			if err := bound.Close(); err != nil || !errors.Is(read(s), reader.ErrClosed) {
				t.Errorf("%s: Close of both: %v, %v", name, err, read(s))
			}
		})
	}
}

// broken is a Source whose reads fail while down is set.
type broken struct {
	reader.Source
	down atomic.Bool
}

func (b *broken) Open(name string) (io.ReaderAt, int64, error) {
	r, n, err := b.Source.Open(name)
	return brokenFile{r, b}, n, err
}

type brokenFile struct {
	io.ReaderAt
	b *broken
}

var errDown = errors.New("the source is down")

func (f brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if f.b.down.Load() {
		return 0, errDown
	}
	return f.ReaderAt.ReadAt(p, off)
}

// What could not be fetched is an error once, and is then read again.
func TestFetchFails(t *testing.T) {
	mem := memfs.New()
	commit(t, mem, three()...)
	b := &broken{Source: reader.FromFS(copyOf(t, mem))}
	x, err := reader.Open(t.Context(), b, reader.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.AppendStored(nil, 5); err != nil { // reads the tables
		t.Fatal(err)
	}
	for _, s := range []*reader.Snapshot{s, s.WithContext(t.Context())} {
		b.down.Store(true)
		s.Prefetch([]uint32{5}, true)
		_, err := s.AppendID(nil, 5)
		var at *format.Error
		if !errors.Is(err, errDown) || errors.Is(err, format.ErrCorrupt) || !errors.As(err, &at) || at.File == "" || at.Section == "" || at.Offset < 0 {
			t.Errorf("while the source is down: %v", err)
		}
		b.down.Store(false)
		if id, err := s.AppendID(nil, 5); string(id) != "b0" || err != nil {
			t.Errorf("afterwards: %q, %v", id, err)
		}
	}
}
