package exchange

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// Limits on documents.
const (
	// MaxID is the longest external document id in bytes.
	MaxID = segment.MaxID
	// MaxRecord is the longest record (line, DOC element, text file) in bytes.
	MaxRecord = 256 << 20
)

// Source gives the documents of one input in order.
type Source interface {
	// Next returns the next document, or io.EOF after the last. Its bytes are valid
	// until the next call; its contents are UTF-8 unless the input was not. An
	// *Error that is Recoverable concerns one record: Next may be called again and
	// continues after it. After any other error the source is of no more use.
	Next() (writer.Document, error)
	// BytesRead returns how much of the input's size was consumed. It may be
	// called from any goroutine.
	BytesRead() int64
	// Close releases the input. It may be called from another goroutine, to make a
	// Next that is waiting for input fail, and more than once.
	Close() error
}

// Error says where an input is broken.
type Error struct {
	File   string
	Line   int64 // 1-based, or 0 where lines mean nothing
	Offset int64 // byte offset, or -1; in the inflated data of a gzip file
	// Recoverable says that only one record is concerned.
	Recoverable bool
	Msg         string
	Err         error // cause, may be nil
}

// Error returns "file:line: message" or "file: offset n: message".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.FormatInt(e.Line, 10))
	}
	if e.Offset >= 0 {
		b.WriteString(": offset " + strconv.FormatInt(e.Offset, 10))
	}
	b.WriteString(": " + e.Msg)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Recoverable reports whether err concerns one record only, so that reading can
// continue after it.
func Recoverable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Recoverable
}

// readFailure describes err, which reading file gave at line or offset.
func readFailure(file string, line, offset int64, err error) error {
	msg := "cannot read"
	if errors.Is(err, io.ErrUnexpectedEOF) {
		msg = "the file ends early"
	}
	return &Error{File: file, Line: line, Offset: offset, Msg: msg, Err: err}
}

func checkID(id []byte) error {
	if len(id) == 0 {
		return errors.New("the id is empty")
	}
	if len(id) > MaxID {
		return fmt.Errorf("the id has %d bytes, at most %d are allowed", len(id), MaxID)
	}
	return nil
}
