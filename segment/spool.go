package segment

import (
	"encoding/binary"
	"io"

	"github.com/pinion-index/pinion/format"
)

// spoolMemory is how much of a stream is held before it goes to a temporary file.
const spoolMemory = 256 << 10

// spool holds a stream that belongs in a later section: in memory, or beyond
// spoolMemory in a temporary file.
type spool struct {
	temp func() (io.ReadWriteSeeker, error) // nil: all in memory
	buf  []byte
	file io.ReadWriteSeeker
	n    int64
	err  error
}

// add appends p. A failure is reported by copyTo.
func (s *spool) add(p []byte) {
	s.n += int64(len(p))
	s.buf = append(s.buf, p...)
	s.spill()
}

// spill moves the buffer to the file once it is large.
func (s *spool) spill() {
	if s.temp == nil || len(s.buf) < spoolMemory || s.err != nil {
		return
	}
	if s.file == nil {
		if s.file, s.err = s.temp(); s.err != nil {
			return
		}
	}
	_, s.err = s.file.Write(s.buf)
	s.buf = s.buf[:0]
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
		n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.LimitReader(s.file, s.n-int64(len(s.buf)))}, make([]byte, spoolMemory))
		if err != nil {
			return err
		}
		if n != s.n-int64(len(s.buf)) {
			return io.ErrUnexpectedEOF
		}
	}
	_, err := w.Write(s.buf)
	s.buf = nil
	return err
}

func (s *spool) addUint64(v uint64) {
	s.n += 8
	s.buf = binary.LittleEndian.AppendUint64(s.buf, v)
	s.spill()
}
