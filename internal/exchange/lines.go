package exchange

import (
	"bytes"
	"fmt"
	"io"
)

// lines splits a stream into lines.
type lines struct {
	file     string
	r        io.Reader
	buf      []byte
	pos, end int
	full     bool  // the last read filled buf
	line     int64 // number of the last line returned
	limit    int   // maximum length of a line
	err      error // what ended the stream
}

// usualBuffer is the size that the buffer of a long file grows to, in bytes.
const usualBuffer = 64 << 10

func newLines(file string, r io.Reader) *lines {
	if r == nil {
		r = noReader{}
	}
	return &lines{file: file, r: r, buf: make([]byte, 4<<10), limit: MaxRecord}
}

// next returns the next line without its newline, or io.EOF. The line is valid,
// and may be modified, until the next call.
func (l *lines) next() ([]byte, error) {
	if l == nil {
		return nil, ErrClosed
	}
	l.line++
	searched := 0
	for {
		if i := bytes.IndexByte(l.buf[l.pos+searched:l.end], '\n'); i >= 0 {
			b := l.buf[l.pos : l.pos+searched+i]
			l.pos += searched + i + 1
			if len(b) > l.limit {
				return nil, l.long(l.limit)
			}
			return l.withoutBOM(b), nil
		}
		searched = l.end - l.pos
		if l.err != nil {
			return l.last()
		}
		if searched > l.limit {
			return nil, l.skipLong()
		}
		l.more()
	}
}

// withoutBOM removes the byte order mark that some editors write before the first
// line.
func (l *lines) withoutBOM(b []byte) []byte {
	if l.line == 1 {
		return bytes.TrimPrefix(b, []byte("\ufeff"))
	}
	return b
}

// last returns the bytes after the last newline.
func (l *lines) last() ([]byte, error) {
	if l.err != io.EOF {
		return nil, readFailure(l.file, l.line, -1, l.err)
	}
	if l.pos == l.end {
		return nil, io.EOF
	}
	b := l.buf[l.pos:l.end]
	l.pos = l.end
	if len(b) > l.limit {
		return nil, l.long(l.limit)
	}
	return l.withoutBOM(b), nil
}

// long is the error for a line of more than limit bytes.
func (l *lines) long(limit int) error {
	return &Error{File: l.file, Line: l.line, Offset: -1, Recoverable: true,
		Msg: fmt.Sprintf("the line is longer than %d bytes", limit)}
}

// more reads more bytes, moving and growing the buffer as needed.
func (l *lines) more() {
	if l.pos > 0 {
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.pos = 0
	}
	if l.end > len(l.buf)/2 || l.full && len(l.buf) < usualBuffer {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	l.full = l.end == len(l.buf)
	l.err = err
}

// skipLong skips the rest of a line that is longer than the limit.
func (l *lines) skipLong() error {
	for {
		if i := bytes.IndexByte(l.buf[l.pos:l.end], '\n'); i >= 0 {
			l.pos += i + 1
			break
		}
		l.pos = l.end
		if l.err != nil {
			break
		}
		l.more()
	}
	return l.long(l.limit)
}

// bad is an error about the line that next has returned.
func (l *lines) bad(msg string) error {
	return &Error{File: l.file, Line: l.line, Offset: -1, Recoverable: true, Msg: msg}
}
