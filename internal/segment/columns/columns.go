// Package columns has what checks and shows sections COLUMNS and COLUMNBOUNDS: the values of
// documents in fields that are columns. Package build writes them, field by field, package
// segment reads them, and package colblock codes their parts.
package columns

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// Section is the row of COLUMNS and COLUMNBOUNDS.
var Section = section.Section{
	IDs:   []format.SectionID{format.SectionColumns, format.SectionColumnBounds},
	Check: check,
	Work:  work,
}

// Tools is what dumps and salvage do with it.
var Tools = section.Tools{
	Section: &Section,
	Dump:    dump,
}

// work is what a byte of COLUMNS costs to check, in units of a byte's checksum.
const work = 40

// column is a column with its stored form.
type column struct {
	*segment.Column
	s    *segment.Segment
	name string
	head colblock.Head
	at   int64 // of its entries in COLUMNBOUNDS
}

// open returns the column of a field that is one.
func open(s *segment.Segment, field int) (*column, error) {
	view, _, err := s.Field(field).Column()
	if err != nil {
		return nil, err
	}
	c := &column{Column: view, s: s, name: s.Fields()[field].Name}
	for i := range s.Fields()[:field] {
		if s.Fields()[i].Column {
			c.at += colblock.BoundsSize(s.Meta().Docs)
		}
	}
	b, err := s.Raw().SectionBytes(format.SectionColumnBounds, c.at, colblock.HeadSize)
	if err != nil {
		return nil, err
	}
	c.head = colblock.ParseHead(b)
	c.at += colblock.HeadSize
	return c, nil
}

// docsIn returns the number of documents of block b.
func (c *column) docsIn(b int) int { return colblock.DocsIn(c.s.Meta().Docs, b) }

// block returns the entry and the bytes of block b.
func (c *column) block(b int) (colblock.Entry, []byte, error) {
	raw, err := c.s.Raw().SectionBytes(format.SectionColumnBounds, c.at+int64(b)*colblock.EntrySize, colblock.EntrySize)
	if err != nil {
		return colblock.Entry{}, nil, err
	}
	e := colblock.ParseEntry(raw)
	bytes, err := c.s.Raw().SectionBytes(format.SectionColumns, int64(e.Offset), c.Bounds(b).Bytes)
	return e, bytes, err
}

// wordOffset returns the offset of block i of the dictionary, which may be the end of the last.
func (c *column) wordOffset(i int) (uint64, error) {
	b, err := c.s.Raw().SectionBytes(format.SectionColumns, int64(c.head.Index)+8*int64(i), 8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}
