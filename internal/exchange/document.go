package exchange

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/segment"
)

// Limits on documents.
const (
	// MaxID is the maximum length of an external document id in bytes.
	MaxID = segment.MaxID
	// MaxRecord is the maximum length of a record (line, DOC element, text file) in bytes.
	MaxRecord = 256 << 20
)

// Document is a document of one text: its id and its contents.
type Document struct{ ID, Contents []byte }

// Source reads the documents of one input in order.
type Source interface {
	// Next returns the next document, or io.EOF after the last. Its bytes are valid
	// until the next call; its contents are UTF-8 if the input is. An *Error that is
	// Recoverable concerns one record: the next call continues after it. After any
	// other error the source must not be used, except to close it.
	Next() (Document, error)
	// BytesRead returns how many bytes of the input have been consumed. It is safe for
	// concurrent use.
	BytesRead() int64
	// Close releases the input. It may be called by another goroutine, which makes a
	// Next that waits for input fail. Further calls do nothing.
	Close() error
}

// Error is an error at a place in an input.
type Error struct {
	File   string
	Line   int64 // 1-based, or 0 if the format has no lines
	Offset int64 // byte offset, in a gzip file that of the inflated data; or -1
	// Recoverable is whether only one record is affected.
	Recoverable bool
	Msg         string // may be empty if there is a cause
	Err         error  // cause, may be nil
}

// Error returns "file:line: message" or "file: offset n: message", and the cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.FormatInt(e.Line, 10))
	}
	if e.Offset >= 0 {
		b.WriteString(": offset " + strconv.FormatInt(e.Offset, 10))
	}
	if e.Msg != "" {
		b.WriteString(": " + e.Msg)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Recoverable reports whether err affects only one record, so that reading can
// continue after it.
func Recoverable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Recoverable
}

// readFailure describes err, which reading file returned at line or offset.
func readFailure(file string, line, offset int64, err error) error {
	msg := "cannot read"
	if errors.Is(err, io.ErrUnexpectedEOF) {
		msg = "the file ends early"
	}
	return &Error{File: file, Line: line, Offset: offset, Msg: msg, Err: err}
}

// ErrNotUTF8 is matched by the errors about a record that had to be UTF-8 and is not.
var ErrNotUTF8 = errors.New("not valid UTF-8")

// checkID returns why id cannot identify a document: ids are UTF-8, so that no two are
// the same where they are printed or exported.
func checkID(id []byte) error {
	switch {
	case len(id) == 0:
		return errors.New("the id is empty")
	case len(id) > MaxID:
		return fmt.Errorf("the id has %d bytes, at most %d are allowed", len(id), MaxID)
	case !utf8.Valid(id):
		return fmt.Errorf("the id %.80q is %w", id, ErrNotUTF8)
	}
	return nil
}
