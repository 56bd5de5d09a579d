package dump

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// sum describes the checksum at off of the bytes from lo to hi.
func (d *dumper) sum(off, lo, hi int64) {
	d.cover = ""
	d.put(off, 8, "xxhash64", "of %d to %d: %s", lo, hi, d.sumStatus(d.le(off, 8), lo, hi))
}

func (d *dumper) sumStatus(want uint64, lo, hi int64) string {
	if hi > int64(len(d.b)) || lo > hi {
		return "OUT OF THE FILE"
	}
	if got := xxhash.Sum64(d.b[lo:hi]); got != want {
		return fmt.Sprintf("DAMAGED (%016x expected)", got)
	}
	return "ok"
}

// sectionStatus is sumStatus of a section, unless the dump is lazy.
func (d *dumper) sectionStatus(want uint64, lo, hi int64) string {
	if d.lazy {
		return "not compared"
	}
	return d.sumStatus(want, lo, hi)
}

// number adds a fixed-size number.
func (d *dumper) number(off, n int64, name string) uint64 {
	v := d.le(off, n)
	d.put(off, n, name, "%s", section.Count(v))
	return v
}

// header shows header and section table, as much of them as the file has.
func (d *dumper) header() {
	d.heading(0, "header")
	d.cover = "header"
	if len(d.b) < format.HeaderSize {
		d.put(0, int64(len(d.b)), "too short", "a header has %d bytes", format.HeaderSize)
		return
	}
	d.put(0, 8, "magic", "%q", d.b[:8])
	d.number(8, 2, "major version")
	d.number(10, 2, "minor version")
	d.put(12, 4, "kind", "%s", format.Kind(d.le(12, 4)))
	d.put(16, 16, "file id", "%x", d.b[16:32])
	d.number(32, 8, "file length")
	v := format.Version{Major: uint16(d.le(8, 2)), Minor: uint16(d.le(10, 2))}
	front := d.front(v)
	d.put(40, 8, "xxhash64 of the table", "of %d to %d: %s", format.HeaderSize, front,
		d.sumStatus(d.le(40, 8), format.HeaderSize, front))
	n := d.number(48, 4, "sections")
	d.number(52, 4, "reserved")
	d.sum(56, 0, 56)
	if int64(len(d.b)) < front {
		return
	}
	d.heading(format.HeaderSize, "section table")
	d.cover = "section table"
	off := int64(format.HeaderSize)
	for range min(n, uint64(front-format.HeaderSize)/format.SectionEntrySize) {
		id := format.SectionID(d.le(off, 4))
		d.put(off, 4, "section", "%d: %s", uint32(id), id)
		d.put(off+4, 4, "flags", "%s", map[bool]string{true: "required", false: "optional"}[d.le(off+4, 4)&uint64(format.SectionRequired) != 0])
		lo := d.number(off+8, 8, "offset")
		length := d.number(off+16, 8, "length")
		status := "OUT OF THE FILE"
		if lo <= uint64(len(d.b)) && length <= uint64(len(d.b)) {
			status = d.sectionStatus(d.le(off+24, 8), int64(lo), int64(lo)+v.PadSection(int64(length)))
		}
		d.put(off+24, 8, "xxhash64", "%016x: %s", d.le(off+24, 8), status)
		off += format.SectionEntrySize
	}
	if off < front {
		d.put(off, front-off, "free", "")
	}
}

// front returns the length of header and section table: the offset of the first section, or
// the most that it may be if that is not valid.
func (d *dumper) front(v format.Version) int64 {
	n := int(min(d.le(48, 4), format.MaxSections))
	at := int64(len(d.b)) - format.FooterSize
	if n > 0 {
		at = int64(d.le(format.HeaderSize+8, 8))
	}
	if !v.ValidFront(at, n) {
		return format.PageSize
	}
	return at
}

// footer shows the footer.
func (d *dumper) footer() {
	at := int64(len(d.b)) - format.FooterSize
	d.heading(at, "footer")
	d.cover = "footer"
	d.put(at, 8, "magic", "%q", d.b[at:at+8])
	d.number(at+8, 2, "major version")
	d.number(at+10, 2, "minor version")
	d.put(at+12, 4, "kind", "%s", format.Kind(d.le(at+12, 4)))
	d.put(at+16, 16, "file id", "%x", d.b[at+16:at+32])
	d.number(at+32, 8, "file length")
	d.put(at+40, 8, "header's xxhash64", "%016x", d.le(at+40, 8))
	d.number(at+48, 8, "reserved")
	d.sum(at+56, at, at+56)
}

// section shows one section. s is nil if the file is not a segment.
func (d *dumper) section(s *segment.Segment, sec format.Section) {
	d.heading(sec.Offset, "section %s: %s bytes at %#x, xxhash64 %s", sec.ID, section.Count(sec.Length), sec.Offset,
		d.sectionStatus(sec.Checksum, sec.Offset, sec.Offset+sec.PaddedLength()))
	d.cover = "section"
	c := &cursor{d: d, pos: sec.Offset, end: sec.Offset + sec.Length}
	switch sec.ID {
	case format.SectionManifest:
		c.manifest(d.first(), d.version())
	case format.SectionAncestry:
		c.ancestry()
	case format.SectionCommitMeta:
		c.commitMeta()
	case format.SectionDeletes:
		c.deletes(d.first())
	case format.SectionValues:
		c.values()
	default:
		if s != nil {
			c.part(s, sec.ID)
		}
	}
	d.rest(c.pos, c.end)
	d.put(sec.Offset+sec.Length, sec.PaddedLength()-sec.Length, "padding", "%s", d.zeros(sec.Offset+sec.Length, sec.PaddedLength()-sec.Length))
}

// zeros describes whether n bytes at off are zero.
func (d *dumper) zeros(off, n int64) string {
	for _, b := range d.b[off : off+n] {
		if b != 0 {
			return "NOT ZERO"
		}
	}
	return "zeros"
}
