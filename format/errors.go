package format

import (
	"errors"
	"fmt"
	"strings"
)

// The four kinds of unreadable files. Every error of reading an index matches exactly one
// of them with errors.Is, or comes from the operating system. Those of callers, who ask for a document that there is not
// or give bytes that were not asked for, match fs.ErrInvalid.
var (
	// ErrCorrupt means that bytes contradict their checksum, the specification or each
	// other.
	ErrCorrupt = errors.New("corrupt index")
	// ErrTooOld means that the file has a version that is no longer supported.
	ErrTooOld = errors.New("index format too old")
	// ErrTooNew means that the file has a newer version, or a required section that this
	// version does not know.
	ErrTooNew = errors.New("index format too new")
	// ErrNotAnIndex means that the file or directory is not a Pinion index.
	ErrNotAnIndex = errors.New("not a Pinion index")
)

// NoBlock is the Block of an Error that does not concern a single block.
const NoBlock = -1

// Error describes what is wrong in a file and where. The message omits empty strings and
// negative numbers.
type Error struct {
	Kind    error  // ErrCorrupt, ErrTooOld, ErrTooNew, ErrNotAnIndex or the error of a read
	File    string // file name
	Section string // section name, as returned by SectionID.String
	List    string // term of the posting list
	Block   int    // block within the list, or NoBlock
	Offset  int64  // byte offset in the file, or -1
	Msg     string // what is wrong
	Err     error  // cause; may be nil
}

// Error returns the kind, place, message and cause in one line.
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

// Unwrap returns the kind and the cause, if any.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Corrupt returns an *Error of kind ErrCorrupt without a place. Callers add the place
// with Locate.
func Corrupt(msg string, args ...any) *Error {
	return &Error{Kind: ErrCorrupt, Block: NoBlock, Offset: -1, Msg: fmt.Sprintf(msg, args...)}
}

// Place is the part of an error's place that a caller knows. Empty fields are unknown.
type Place struct {
	File    string
	Section string
	List    string
	Block   int // NoBlock if none
}

// Locate returns a copy of the *Error in err's chain with its empty fields set from p. If
// there is none, it returns err.
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
