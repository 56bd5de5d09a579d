package build

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// TempFile is a temporary file. Close removes it.
type TempFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// Spool owns the temporary files of a segment that is being built, which hold what only a
// later section needs. It is safe for concurrent use.
type Spool struct {
	create func() (TempFile, error)
	mu     sync.Mutex
	all    []TempFile
	free   []TempFile // files of lists that have been written
}

// NewSpool returns a Spool without files; it calls create when it needs one.
func NewSpool(create func() (TempFile, error)) *Spool { return &Spool{create: create} }

// Close closes all files and returns the first error.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, f := range s.all {
		if err := f.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.all, s.free = nil, nil
	return first
}

// file returns a new file.
func (s *Spool) file() (TempFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add()
}

func (s *Spool) add() (TempFile, error) {
	f, err := s.create()
	if err != nil {
		return nil, err
	}
	s.all = append(s.all, f)
	return f, nil
}

// take returns a free file or a new one.
func (s *Spool) take() (TempFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		f := s.free[n-1]
		s.free = s.free[:n-1]
		return f, nil
	}
	return s.add()
}

// put returns a file to the free ones.
func (s *Spool) put(f TempFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, f)
}

// filePart is the bytes written to a temporary file, from its beginning.
type filePart struct {
	file TempFile // nil: none
	n    int64
}

// write appends p. file must be set.
func (f *filePart) write(p []byte) error {
	n, err := f.file.WriteAt(p, f.n)
	f.n += int64(n)
	return err
}

// copyTo writes the bytes to w through buf.
func (f *filePart) copyTo(w io.Writer, buf []byte) error {
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.NewSectionReader(f.file, 0, f.n)}, buf)
	if err == nil && n != f.n {
		err = fmt.Errorf("segment: temporary file ends after %d of %d bytes: %w", n, f.n, io.ErrUnexpectedEOF)
	}
	return err
}

// DefaultSpoolMemory is the default of Options.SpoolMemory: 256 KiB.
const DefaultSpoolMemory = 256 << 10

// Sizes of the pieces that hold a stream.
const (
	minPiece = 4 << 10
	maxPiece = 256 << 10
)

// stream holds the content of a later section: in memory up to limit bytes, and in a
// temporary file beyond that.
type stream struct {
	spool  *Spool // nil: all in memory
	limit  int64
	filed  filePart // the first bytes
	pieces [][]byte // full ones
	buf    []byte   // the last one
	n      int64
	err    error
}

// add appends p. copyTo reports errors.
func (s *stream) add(p []byte) {
	if cap(s.buf)-len(s.buf) < len(p) {
		s.grow(len(p))
	}
	s.n += int64(len(p))
	s.buf = append(s.buf, p...)
}

// Write is add for those who know only an io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	s.add(p)
	return len(p), nil
}

func (s *stream) addUint64(v uint64) {
	if cap(s.buf)-len(s.buf) < 8 {
		s.grow(8)
	}
	s.n += 8
	s.buf = binary.LittleEndian.AppendUint64(s.buf, v)
}

// grow makes room for n bytes in buf. If the stream is large, it moves to the file.
func (s *stream) grow(n int) {
	if len(s.buf) > 0 {
		s.pieces = append(s.pieces, s.buf)
	}
	s.buf = nil
	if s.spool != nil && s.n-s.filed.n >= s.limit && s.err == nil {
		s.spill()
	}
	if s.buf == nil || cap(s.buf) < n {
		s.buf = make([]byte, 0, max(n, min(max(int(s.n), minPiece), maxPiece)))
	}
}

// spill moves all pieces to the file.
func (s *stream) spill() {
	if s.filed.file == nil {
		if s.filed.file, s.err = s.spool.file(); s.err != nil {
			return
		}
	}
	for _, p := range s.pieces {
		if s.err = s.filed.write(p); s.err != nil {
			return
		}
	}
	s.buf = s.pieces[len(s.pieces)-1][:0]
	s.pieces = s.pieces[:0]
}

// copyTo writes the whole stream to w and releases its memory.
func (s *stream) copyTo(w io.Writer) error {
	if s.err != nil {
		return s.err
	}
	if s.filed.file != nil {
		if err := s.filed.copyTo(w, make([]byte, maxPiece)); err != nil {
			return err
		}
	}
	for _, p := range append(s.pieces, s.buf) {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	s.pieces, s.buf = nil, nil
	return nil
}
