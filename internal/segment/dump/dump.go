// Package dump explains every byte of an index file: fields with their offsets, names and
// values, and the checksum that covers them. It shows as much of a damaged file as can be
// decoded.
//
//	dump.go      Field; File, which walks a file; Term, which walks one list
//	file.go      header, section table, footer
//	manifest.go  the sections of manifests and deletes
//	cursor.go    consuming fields one after another
//	segment.go   the sections of a segment
//	extent.go    the parts of a list extent
package dump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// Field is a range of bytes with a meaning. A field without bytes is a heading.
type Field struct {
	Offset, Length int64
	Bytes          []byte // as many as the file has; they share its memory
	Name, Value    string
	Cover          string // the checksum that covers the bytes
}

// Options select what File returns. The zero value selects everything.
type Options struct {
	// Sections are the sections to show, without header and footer; nil means the whole file.
	Sections []format.SectionID
	// Lazy leaves checksums of whole sections alone, so that the time to show part of a file
	// does not depend on its size.
	Lazy bool
	// Limit is the maximum number of fields of a section or part of an extent; 0 means all.
	Limit int
}

// Errors of Term.
var (
	ErrNoTerm     = errors.New("no such term")
	ErrNotSegment = errors.New("not a segment")
)

// File returns the fields of the file behind d, which error messages call name. The error
// describes what is wrong with the file; there may be fields even then.
func File(name string, d segment.Data, o Options) ([]Field, error) {
	f, h, err := open(name, d, o.Limit)
	if f == nil {
		return nil, err
	}
	f.lazy = o.Lazy
	if o.Sections == nil {
		f.header()
	}
	if err != nil {
		return f.fields, err
	}
	var s *segment.Segment
	if h.Kind == format.KindSegment {
		if s, err = openSegment(name, d); err != nil {
			return f.fields, err
		}
	}
	for _, sec := range h.Sections {
		if o.Sections == nil || slices.Contains(o.Sections, sec.ID) {
			f.section(s, sec)
		}
	}
	if o.Sections == nil {
		f.footer()
	}
	return f.fields, nil
}

// Term returns the fields of the dictionary block of a term and of its extent, if it has
// one, in the segment behind d. limit is the maximum number of fields of a part of the
// extent, or 0 for all. The error may match ErrNoTerm, or ErrNotSegment with the kind of
// the file.
func Term(name string, d segment.Data, term []byte, limit int) ([]Field, error) {
	f, h, err := open(name, d, limit)
	if err != nil {
		return nil, err
	}
	if h.Kind != format.KindSegment {
		return nil, fmt.Errorf("%s is a %s file, %w", name, h.Kind, ErrNotSegment)
	}
	s, err := openSegment(name, d)
	if err != nil {
		return nil, err
	}
	err = f.term(s, term)
	return f.fields, err
}

// openSegment opens a segment whose damaged pages can be read.
func openSegment(name string, d segment.Data) (*segment.Segment, error) {
	s, err := segment.Open(name, d)
	if err == nil {
		s.Raw().SkipPageChecks()
	}
	return s, err
}

// dumper gathers the fields of one file.
type dumper struct {
	b      []byte // the file
	fields []Field
	cover  string // the checksum that covers the next fields
	lazy   bool   // Options.Lazy
	limit  int    // maximum fields of a section, 0 for all
	count  int    // fields of the current section
}

// open returns a dumper without fields, or nil if d is not an index file. It returns the
// header unless there is an error.
func open(name string, d segment.Data, limit int) (*dumper, *format.Header, error) {
	b, err := d.Range(0, d.Size())
	if err != nil {
		return nil, nil, err
	}
	h, err := format.ParseFile(name, b)
	if errors.Is(err, format.ErrNotAnIndex) {
		return nil, nil, err
	}
	return &dumper{b: b, limit: limit}, h, err
}

// heading starts a part of the file.
func (d *dumper) heading(off int64, format string, args ...any) {
	d.count = 0
	d.fields = append(d.fields, Field{Offset: off, Name: fmt.Sprintf(format, args...)})
}

// full reports whether the current section has as many fields as wanted.
func (d *dumper) full() bool { return d.limit > 0 && d.count >= d.limit }

// put adds the field of n bytes at off.
func (d *dumper) put(off, n int64, name, value string, args ...any) {
	if len(args) > 0 {
		value = fmt.Sprintf(value, args...)
	}
	d.count++
	end := min(off+n, int64(len(d.b)))
	d.fields = append(d.fields, Field{off, n, d.b[min(off, end):end], name, value, d.cover})
}

// rest adds the remaining bytes of a section, up to end, as one field.
func (d *dumper) rest(off, end int64) {
	if off < end {
		d.put(off, end-off, More, "%s bytes more", section.Count(end-off))
	}
}

// More is the name of a field that represents the fields of a section beyond Options.Limit.
const More = "..."

// le reads n bytes at off as a little-endian number, which is 0 past the end.
func (d *dumper) le(off, n int64) uint64 {
	var b [8]byte
	if off >= 0 && off+n <= int64(len(d.b)) {
		copy(b[:], d.b[off:off+n])
	}
	return binary.LittleEndian.Uint64(b[:])
}
