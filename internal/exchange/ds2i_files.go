package exchange

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
)

// sequences reads binary sequences.
type sequences struct {
	file  string
	f     *os.File
	size  int64
	off   int64 // offset of the next sequence
	start int64 // offset of the last sequence read
	r     *bufio.Reader
	at    int64 // offset of r
	buf   []byte
	read  *atomic.Int64
}

func openSequences(path string, read *atomic.Int64) (*sequences, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &sequences{file: path, f: f, size: st.Size(), r: bufio.NewReaderSize(f, 64<<10), read: read}, nil
}

func (s *sequences) bad(msg string) error {
	return &Error{File: s.file, Offset: s.start, Msg: msg}
}

// length reads the length of the sequence at s.off, checks that the file holds
// all of it, and moves s.off past it.
func (s *sequences) length() (int64, error) {
	s.start = s.off
	if s.at != s.off {
		if s.at < s.off && s.off-s.at <= int64(s.r.Buffered()) {
			s.r.Discard(int(s.off - s.at)) // buffered: cannot fail
		} else {
			s.r.Reset(io.NewSectionReader(s.f, s.off, math.MaxInt64-s.off))
		}
		s.at = s.off
	}
	var b [4]byte
	k, err := io.ReadFull(s.r, b[:])
	s.at += int64(k)
	if err != nil {
		return 0, readFailure(s.file, 0, s.start, fmt.Errorf("length of a sequence: %w", unexpected(err)))
	}
	n := int64(binary.LittleEndian.Uint32(b[:]))
	if left := s.size - s.start - 4; n*4 > left {
		return 0, &Error{File: s.file, Offset: s.start, Err: io.ErrUnexpectedEOF,
			Msg: fmt.Sprintf("a sequence of %d numbers, but %d bytes are left", n, left)}
	}
	s.off = s.start + 4 + 4*n
	return n, nil
}

// next appends the next sequence to dst.
func (s *sequences) next(dst []uint32) ([]uint32, error) {
	n, err := s.length()
	if err != nil {
		return nil, err
	}
	const step = 16 << 10
	if s.buf == nil {
		s.buf = make([]byte, 4*step)
	}
	dst = slices.Grow(dst, int(n))
	for n > 0 {
		b := s.buf[:4*min(n, step)]
		k, err := io.ReadFull(s.r, b)
		s.at += int64(k)
		if err != nil {
			return nil, readFailure(s.file, 0, s.start, unexpected(err))
		}
		for ; len(b) > 0; b = b[4:] {
			dst = append(dst, binary.LittleEndian.Uint32(b))
		}
		n -= int64(k / 4)
	}
	s.read.Add(s.off - s.start)
	return dst, nil
}

// readAt appends the sequence at off to dst.
func (s *sequences) readAt(off int64, dst []uint32) ([]uint32, error) {
	s.off = off
	return s.next(dst)
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// names holds the names of things numbered from 0.
type names struct {
	text []byte
	ends []int // nil: numbers in decimal
}

// readNames reads the file at path, which must have n names, one per line, that pass
// check. If there is no such file, the names are the numbers.
func readNames(path string, n int, check func([]byte) error) (names, error) {
	s, err := openStream(path)
	if os.IsNotExist(err) {
		return names{}, nil
	}
	if err != nil {
		return names{}, err
	}
	defer s.Close()
	out := names{ends: []int{}}
	l := newLines(path, s)
	for {
		b, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return names{}, err
		}
		b = bytes.TrimSuffix(b, []byte("\r"))
		if err := check(b); err != nil {
			return names{}, &Error{File: path, Line: l.line, Offset: -1, Err: err}
		}
		out.text = append(out.text, b...)
		out.ends = append(out.ends, len(out.text))
	}
	if len(out.ends) != n {
		return names{}, &Error{File: path, Line: l.line, Offset: -1, Msg: fmt.Sprintf("%d names for %d things", len(out.ends), n)}
	}
	return out, nil
}

func (n names) at(i int) []byte {
	if n.ends == nil {
		return strconv.AppendInt(nil, int64(i), 10)
	}
	from := 0
	if i > 0 {
		from = n.ends[i-1]
	}
	return n.text[from:n.ends[i]:n.ends[i]]
}
