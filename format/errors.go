package format

import (
	"errors"
	"fmt"
	"strings"
)

// The four ways in which a file can fail to be readable. Every error that
// reading an index returns matches exactly one of them with errors.Is, or comes
// from the operating system.
var (
	// ErrCorrupt says that bytes contradict their checksum, the specification or
	// each other.
	ErrCorrupt = errors.New("corrupt index")
	// ErrTooOld says that the file has a major version no longer read.
	ErrTooOld = errors.New("index format too old")
	// ErrTooNew says that the file has a newer major version, or a required
	// section that this version does not know.
	ErrTooNew = errors.New("index format too new")
	// ErrNotAnIndex says that the file or directory is not a Pinion index at all.
	ErrNotAnIndex = errors.New("not a Pinion index")
)

// NoBlock is the Block of an Error that does not concern one block.
const NoBlock = -1

// Error places a failure in a file. Zero fields are left out of the message,
// except Offset, which is shown when it is not negative.
type Error struct {
	Kind    error  // ErrCorrupt, ErrTooOld, ErrTooNew or ErrNotAnIndex
	File    string // file name
	Section string // section name, as SectionID.String gives it
	List    string // term whose posting list is concerned
	Block   int    // block within the list, or NoBlock
	Offset  int64  // byte offset in the file, or -1
	Msg     string // what is wrong
	Err     error  // cause, may be nil
}

// Error returns one line: kind, place, message, cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Error())
	if e.File != "" {
		fmt.Fprintf(&b, ": file %s", e.File)
	}
	if e.Section != "" {
		fmt.Fprintf(&b, ", section %s", e.Section)
	}
	if e.List != "" {
		fmt.Fprintf(&b, ", list %q", e.List)
	}
	if e.Block >= 0 {
		fmt.Fprintf(&b, ", block %d", e.Block)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, ", offset %d", e.Offset)
	}
	if e.Msg != "" {
		b.WriteString(": " + e.Msg)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap gives errors.Is and errors.As both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Corrupt returns an *Error of kind ErrCorrupt that names no place yet. Callers
// further out add the place with Locate.
func Corrupt(msg string, args ...any) *Error {
	return &Error{Kind: ErrCorrupt, Block: NoBlock, Offset: -1, Msg: fmt.Sprintf(msg, args...)}
}

// Place is what an outer layer knows about where an inner error happened.
type Place struct {
	File    string
	Section string
	List    string
	Block   int // NoBlock if none
}

// Locate returns err with the empty fields of the *Error inside it filled from p.
// The *Error is copied, because shared error values may be passed in. An error
// without an *Error inside is returned as it is.
func Locate(err error, p Place) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	if c.File == "" {
		c.File = p.File
	}
	if c.Section == "" {
		c.Section = p.Section
	}
	if c.List == "" {
		c.List = p.List
	}
	if c.Block == NoBlock {
		c.Block = p.Block
	}
	return &c
}
