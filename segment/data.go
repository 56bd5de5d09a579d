package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"unsafe"

	"github.com/pinion-index/pinion/format"
)

// Data provides byte ranges of a segment file. It must be safe for concurrent use.
//
// Data that is entirely in memory also has a method Mapped() []byte that returns the file,
// 64-byte aligned; then Range is not called. Data that caches what it reads has a method
// Forget(off, n int64): a range that is damaged is to be read again, which happens once before the damage is reported.
// Each use of its pages is compared with their checksums, since it may have read them anew.
type Data interface {
	// Size returns the length of the file in bytes.
	Size() int64
	// Range returns the n bytes at off, which are within the file. Unless the file
	// ends, the slice's capacity includes at least format.ReadablePadding more readable
	// bytes. If off is a multiple of 64, the slice is 64-byte aligned. The bytes stay
	// valid until the Data is closed.
	Range(off, n int64) ([]byte, error)
}

// Bytes is Data in 64-byte aligned memory, such as a mapping.
type Bytes []byte

// Size returns the number of bytes.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Mapped returns all bytes.
func (b Bytes) Mapped() []byte { return b }

// Range returns a slice of b.
func (b Bytes) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > int64(len(b))-n {
		return nil, format.Corrupt("range of %d bytes at %d leaves the file", n, off)
	}
	return b[off : off+n], nil
}

// Aligned returns b if it is 64-byte aligned, and an aligned copy otherwise.
func Aligned(b []byte) Bytes {
	if aligned(b, 64) {
		return b
	}
	c := format.AlignedBytes(len(b))
	copy(c, b)
	return c
}

func aligned(b []byte, to uintptr) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%to == 0
}

// section is one section of an open file.
type section struct {
	format.Section
	mem []byte // content, capacity to the end of its padding; nil when read on demand
}

// rangeOf returns n bytes at offset off in sec and checks their pages.
func (s *Segment) rangeOf(sec *section, off, n int64) ([]byte, error) {
	b, err := s.peek(sec, off, n)
	if err == nil && sec.mem != nil {
		err = s.touch(sec, off, n)
	}
	return b, err
}

// peek is rangeOf, except that of a section in memory it checks nothing: callers must touch
// what they use.
func (s *Segment) peek(sec *section, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > sec.Length-n {
		return nil, s.corrupt(sec, off, "range of %d bytes leaves the section", n)
	}
	if sec.mem != nil {
		return sec.mem[off : off+n], nil
	}
	if v := s.views.termIndex.Load(); v != nil && v.terms != nil && sec.ID == format.SectionTerms {
		return v.terms[off : off+n], nil
	}
	return pageChecks{s}.readPages(sec, off, n)
}

// forget tells Data that caches what it reads that n bytes at off are damaged. It reports whether they can be read again:
// the damage may have come on the way.
func (s *Segment) forget(off, n int64) bool {
	f, ok := s.data.(interface{ Forget(off, n int64) })
	if ok {
		f.Forget(off, n)
	}
	return ok
}

// read returns n bytes at off of the file. Data that gives others than these is at fault, not the file: the error matches
// fs.ErrInvalid.
func (s *Segment) read(off, n int64) ([]byte, error) {
	b, err := s.data.Range(off, n)
	if err == nil && int64(len(b)) != n {
		err = fmt.Errorf("segment %s: data source gave %d bytes for %d at %d: %w", s.name, len(b), n, off, fs.ErrInvalid)
	}
	return b, err
}

// sound returns n bytes at off of the file. If check finds them damaged, they are read once more where they can be, and its
// error is that of what came then.
func (s *Segment) sound(off, n int64, check func(b []byte) error) ([]byte, error) {
	b, err := s.read(off, n)
	if err != nil {
		return nil, err
	}
	if err = check(b); !errors.Is(err, format.ErrCorrupt) || !s.forget(off, n) {
		return b, err
	}
	if b, err = s.read(off, n); err != nil {
		return nil, err
	}
	if err = check(b); err != nil {
		s.forget(off, n) // the next caller reads anew
	}
	return b, err
}

func (s *Segment) place(sec *section) format.Place {
	return format.Place{File: s.name, Section: sec.ID.String(), Block: format.NoBlock}
}

// corrupt returns an error of kind format.ErrCorrupt at offset off in sec.
func (s *Segment) corrupt(sec *section, off int64, msg string, args ...any) error {
	e := format.Corrupt(msg, args...)
	e.Offset = sec.Offset + off
	return format.Locate(e, s.place(sec))
}

// locateAt returns err with file offset off, unless it has an offset already.
func locateAt(err error, off int64) error {
	var e *format.Error
	if errors.As(err, &e) && e.Offset < 0 {
		c := *e
		c.Offset = off
		return &c
	}
	return err
}
