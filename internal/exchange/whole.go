package exchange

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
)

// whole reads a file as one document. A NUL byte shows that it is no text.
type whole struct {
	in    io.ReadCloser
	head  []byte // read before
	file  string
	id    string
	limit int
	count input // counts the bytes of a compressed file; nil: those read
	read  atomic.Int64
	buf   *bytes.Buffer // used if head is not all
	done  bool
}

// Next implements Source.
func (w *whole) Next() (Document, error) {
	if w.done {
		return Document{}, io.EOF
	}
	w.done = true
	bad := func(offset int, msg string, err error) error {
		return &Error{File: w.file, Offset: int64(offset), Recoverable: true, Msg: msg, Err: err}
	}
	text := w.head
	if w.head == nil || len(w.head) == headSize {
		w.buf.Reset()
		w.buf.Write(w.head)
		if _, err := w.buf.ReadFrom(io.LimitReader(w.in, int64(w.limit-len(w.head)+1))); err != nil {
			return Document{}, bad(-1, "cannot read", err)
		}
		text = w.buf.Bytes()
	}
	w.read.Store(int64(len(text)))
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return Document{}, bad(i, "", foreignError("a NUL byte: not a text file"))
	}
	if len(text) > w.limit {
		return Document{}, bad(-1, fmt.Sprintf("the file is longer than %d bytes", w.limit), nil)
	}
	id := []byte(w.id)
	if err := checkID(id); err != nil {
		return Document{}, bad(-1, "", err)
	}
	return Document{ID: id, Contents: bytes.TrimPrefix(text, []byte("\ufeff"))}, nil
}

// BytesRead implements Source.
func (w *whole) BytesRead() int64 {
	if w.count != nil {
		return w.count.BytesRead()
	}
	return w.read.Load()
}

// Close implements Source.
func (w *whole) Close() error { return w.in.Close() }
