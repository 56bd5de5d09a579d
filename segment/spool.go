package segment

import (
	"encoding/binary"
	"io"

	"github.com/pinion-index/pinion/format"
)

// SpoolMemory is how much of each stream a Builder holds in memory, before it
// goes to a temporary file, unless options say otherwise.
const SpoolMemory = 256 << 10

// Sizes of the pieces in which a spool holds a stream.
const (
	minPiece = 4 << 10
	maxPiece = 256 << 10
)

// spool holds a stream that belongs in a later section: in memory, or beyond
// limit bytes in a temporary file.
type spool struct {
	temp   func() (io.ReadWriteSeeker, error) // nil: all in memory
	limit  int64
	pieces [][]byte // full ones
	buf    []byte   // the last one
	file   io.ReadWriteSeeker
	n      int64
	filed  int64 // bytes of n that are in file
	err    error
}

// add appends p. A failure is reported by copyTo.
func (s *spool) add(p []byte) {
	if cap(s.buf)-len(s.buf) < len(p) {
		s.grow(len(p))
	}
	s.n += int64(len(p))
	s.buf = append(s.buf, p...)
}

// grow makes room for n bytes in buf, spilling the stream to the file if it is
// large.
func (s *spool) grow(n int) {
	if len(s.buf) > 0 {
		s.pieces = append(s.pieces, s.buf)
	}
	s.buf = nil
	if s.temp != nil && s.n-s.filed >= s.limit && s.err == nil {
		s.spill()
	}
	if s.buf == nil || cap(s.buf) < n {
		s.buf = make([]byte, 0, max(n, min(max(int(s.n), minPiece), maxPiece)))
	}
}

// spill moves all pieces to the file.
func (s *spool) spill() {
	if s.file == nil {
		if s.file, s.err = s.temp(); s.err != nil {
			return
		}
	}
	if s.err = s.writePieces(s.file); s.err == nil {
		s.buf = s.pieces[len(s.pieces)-1][:0]
		s.pieces, s.filed = s.pieces[:0], s.n
	}
}

func (s *spool) writePieces(w io.Writer) error {
	for _, p := range s.pieces {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// copyTo writes the whole stream to the open section of w and lets go of it.
func (s *spool) copyTo(w *format.FileWriter) error {
	if s.err != nil {
		return s.err
	}
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.LimitReader(s.file, s.filed)}, make([]byte, maxPiece))
		if err != nil {
			return err
		}
		if n != s.filed {
			return io.ErrUnexpectedEOF
		}
	}
	err := s.writePieces(w)
	if err == nil {
		_, err = w.Write(s.buf)
	}
	s.pieces, s.buf = nil, nil
	return err
}

func (s *spool) addUint64(v uint64) {
	if cap(s.buf)-len(s.buf) < 8 {
		s.grow(8)
	}
	s.n += 8
	s.buf = binary.LittleEndian.AppendUint64(s.buf, v)
}
