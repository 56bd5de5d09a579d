// Package damage damages files of an index for tests, so that they get past every
// checksum: it takes a file apart into sections, changes their structure, and puts it
// together again with checksums that hold.
//
//	damage.go   files as sections
//	mutate.go   changes of sections, elements, extents and headers
package damage

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// Section is one section of a file.
type Section struct {
	ID      format.SectionID
	Flags   uint32
	Content []byte
}

// File is a file of an index, taken apart.
type File struct {
	Version  format.Version // 0.3 of a file of version 0.2, too: sections hold the same
	Kind     format.Kind
	ID       format.ID
	Room     int // sections that the table has room for
	Sections []Section
}

// Parse takes b apart, whose front and footer must be sound.
func Parse(b []byte) (*File, error) {
	h, err := format.ParseFile("file", b)
	if err != nil {
		return nil, err
	}
	version := h.Version
	if version == (format.Version{Minor: 2}) {
		version.Minor = 3
	}
	f := &File{Version: version, Kind: h.Kind, ID: h.ID, Room: int(h.FrontSize()-format.HeaderSize) / format.SectionEntrySize}
	for _, s := range h.Sections {
		if s.ID == format.SectionPageSums {
			continue // Bytes writes it again
		}
		f.Sections = append(f.Sections, Section{s.ID, s.Flags, append([]byte(nil), b[s.Offset:s.Offset+s.Length]...)})
	}
	return f, nil
}

// Clone returns a deep copy of f.
func (f *File) Clone() *File {
	c := *f
	c.Sections = append([]Section(nil), f.Sections...)
	for i := range c.Sections {
		c.Sections[i].Content = append([]byte(nil), c.Sections[i].Content...)
	}
	return &c
}

// Bytes returns the file, in which every checksum holds.
func (f *File) Bytes() []byte {
	size := 2 * format.PageSize
	for _, s := range f.Sections {
		size += len(s.Content) + len(s.Content)/256 + 2*format.PageSize
	}
	out := make(Memory, 0, size)
	w := format.NewFileWriter(&out, f.Kind, f.ID)
	w.SetVersion(f.Version)
	room := len(f.Sections) + 1 // and PAGESUMS
	if f.Kind == format.KindManifest {
		room--
	}
	w.Reserve(max(f.Room, room))
	for _, s := range f.Sections {
		if s.ID == format.SectionPostings {
			stampExtents(s.Content)
		}
		w.Begin(s.ID, s.Flags)
		w.Write(s.Content)
		w.End()
	}
	if _, err := w.Finish(); err != nil {
		return nil // a section twice, or too many
	}
	return out
}

// Memory is a file in memory for format.FileWriter.
type Memory []byte

// WriteAt implements io.WriterAt.
func (m *Memory) WriteAt(p []byte, off int64) (int, error) {
	if old, n := len(*m), int(off)+len(p); n > old {
		if n > cap(*m) {
			*m = slices.Grow(*m, max(n-old, old))
		}
		*m = (*m)[:n]
		clear((*m)[old:])
	}
	return copy((*m)[off:], p), nil
}

// extents returns the offsets at which extents begin, as far as their lengths lead.
func extents(b []byte) (at []int) {
	for i := 0; i+64 <= len(b); {
		n := int(binary.LittleEndian.Uint32(b[i+8:])) * 64
		if n < 64 || n > len(b)-i {
			break
		}
		at = append(at, i)
		i += n
	}
	return at
}

func stampExtents(b []byte) {
	for _, i := range extents(b) {
		e := b[i : i+int(binary.LittleEndian.Uint32(b[i+8:]))*64]
		binary.LittleEndian.PutUint64(e, xxhash.Sum64(e[8:]))
	}
}

// StampHeader recomputes the checksums of the front, whose table says where it ends, and the
// footer.
func StampHeader(b []byte) {
	le := binary.LittleEndian
	if end := le.Uint64(b[format.HeaderSize+8:]); end >= format.HeaderSize && end <= uint64(len(b)) {
		le.PutUint64(b[40:], xxhash.Sum64(b[format.HeaderSize:end]))
	}
	le.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	f := b[len(b)-format.FooterSize:]
	copy(f[8:32], b[8:32])
	copy(f[40:48], b[56:64])
	le.PutUint64(f[56:], xxhash.Sum64(f[:56]))
}
