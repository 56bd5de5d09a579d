package segment

import (
	"bytes"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/schema"
)

// ColumnBlock is the number of documents of a block of a column: block b has those from
// ColumnBlock*b on.
const ColumnBlock = colblock.Docs

// Column is a view of the values that documents have in a field, by docID. Numbers are those of
// schema.Value.Key; a keyword is its ordinal in the column's dictionary, from 0 in bytewise
// order. The values of a document are a set: ascending, equal ones once. A Column is safe for
// concurrent use.
type Column struct {
	s    *Segment
	f    int
	sec  *section // COLUMNS
	t    *columnTable
	told atomic.Uint64 // up to where Data was told that COLUMNS is read soon
}

// ColumnInfo is what is known of a whole column. Deleted documents count.
type ColumnInfo struct {
	Docs, Values uint64 // documents with a value, and values
	Bytes        uint64 // of COLUMNS, dictionary included
	Min, Max     int64  // 0 without values
	Keywords     uint32 // in the dictionary
	Several      bool   // some document has more than one value
}

// ColumnForm says how the values of a block are laid out.
type ColumnForm uint8

// The forms.
const (
	ColumnSlots   = ColumnForm(colblock.Slots)   // a value for each document
	ColumnDense   = ColumnForm(colblock.Dense)   // the values of documents that have any
	ColumnAscend  = ColumnForm(colblock.Ascend)  // differences of values that do not descend
	ColumnDescend = ColumnForm(colblock.Descend) // and of those that do not ascend
)

// String returns the name of f.
func (f ColumnForm) String() string {
	switch f {
	case ColumnSlots:
		return "slots"
	case ColumnDense:
		return "dense"
	case ColumnAscend:
		return "ascending"
	case ColumnDescend:
		return "descending"
	}
	return fmt.Sprintf("form %d", uint8(f))
}

// ColumnBounds is what is known of a block without reading it. Deleted documents count.
type ColumnBounds struct {
	Min, Max     int64  // mean nothing if Docs is 0
	Docs, Values uint32 // documents with a value, and values
	Gcd          uint64 // all values are Min plus multiples of it; 0 if Docs is 0
	Bytes        int64  // of the block
	Form         ColumnForm
	Width        int // bits of a value as it is packed, or of the greatest
}

// Column returns the field's column, and false if the segment has none of it. The first call
// checks what COLUMNBOUNDS has of it.
func (v FieldView) Column() (*Column, bool, error) {
	s, f := v.s, v.Info()
	if !f.Column || f.ID == 0 {
		return nil, false, nil
	}
	t := s.views.columns[v.f].Load()
	if t == nil {
		var err error
		if t, err = readColumnTable(s, v.f); err != nil {
			return nil, false, err
		}
		s.views.columns[v.f].Store(t)
	}
	t, err := s.changedTable(v.f, t)
	if err != nil {
		return nil, false, err
	}
	return &Column{s: s, f: v.f, sec: s.section(format.SectionColumns), t: t}, true, nil
}

// changedTable returns t, what the file has of the column of field f, with the changes of s.
func (s *Segment) changedTable(f int, t *columnTable) (*columnTable, error) {
	c, err := s.Changes()
	x := c.Column(f)
	if err != nil || x == nil {
		return t, err
	}
	of := &s.overlay.columns[f]
	if c := of.Load(); c != nil {
		return c, nil
	}
	of.Store(t.change(c.name, x, s.meta.Docs))
	return of.Load(), nil
}

// readColumnTable reads and checks what COLUMNBOUNDS has of the column of field f.
func readColumnTable(s *Segment, f int) (*columnTable, error) {
	number := 0 // of the column
	for i := range s.fields[:f] {
		if s.fields[i].Column {
			number++
		}
	}
	sec := s.section(format.SectionColumnBounds)
	size := colblock.BoundsSize(s.meta.Docs)
	at := int64(number) * size
	b, err := s.rangeOf(sec, at, size)
	if err != nil {
		return nil, err
	}
	if sec.mem == nil {
		b = bytes.Clone(b) // which frees what it was read with
	}
	t := &columnTable{head: colblock.ParseHead(b), rows: b[colblock.HeadSize:]}
	before := uint64(0)
	if number > 0 {
		last, err := s.rangeOf(sec, at-size, colblock.HeadSize)
		if err != nil {
			return nil, err
		}
		before = colblock.ParseHead(last).End
	}
	msg := t.check(s, &s.fields[f], before)
	if all := s.section(format.SectionColumns).Length; msg == "" && at+size == sec.Length && t.head.End != uint64(all) {
		msg = fmt.Sprintf("the last one ends at %d of %d bytes", t.head.End, all)
	}
	if msg != "" {
		return nil, s.corrupt(sec, at, "column %q: %s", s.fields[f].Name, msg)
	}
	return t, nil
}

// Info returns what is known of the whole column.
func (c *Column) Info() ColumnInfo {
	h := &c.t.head
	return ColumnInfo{Docs: uint64(h.Docs), Values: h.Values, Bytes: h.End - h.Begin, Min: h.Min, Max: h.Max,
		Keywords: h.Keywords, Several: h.Values > uint64(h.Docs)}
}

// Blocks returns the number of blocks.
func (c *Column) Blocks() int { return len(c.t.rows) / colblock.EntrySize }

// Bounds returns what is known of block b, which must exist.
func (c *Column) Bounds(b int) ColumnBounds {
	e := c.t.entry(b)
	return boundsOf(&e, c.t.size(b))
}

// boundsOf returns what e says of a block of so many bytes.
func boundsOf(e *colblock.Entry, bytes int64) ColumnBounds {
	return ColumnBounds{Min: e.Min, Max: e.Max, Docs: uint32(e.Docs), Values: e.Values, Gcd: e.Gcd,
		Bytes: bytes, Form: ColumnForm(e.Form), Width: int(e.Width)}
}

// docsIn returns the number of documents of block b.
func (c *Column) docsIn(b int) int { return colblock.DocsIn(c.s.meta.Docs, b) }

// Prefetch begins to read the blocks from first up to, but not including, end. It is only a hint.
func (c *Column) Prefetch(first, end int) {
	if first >= end || !c.s.hinted() {
		return
	}
	lo := c.t.written(first).Offset
	a := c.s.ask()
	a.need(c.sec, int64(lo), int64(c.t.next(end-1)-lo))
	a.send()
}

// readAhead is how many bytes of COLUMNS from a block on are read with it, if blocks are walked.
const readAhead = 256 << 10

// walk tells Data that block b is read, and probably those behind it.
func (c *Column) walk(b int) {
	if c.t.changed(b) != nil {
		return
	}
	if off, end := c.t.written(b).Offset, c.t.next(b); c.s.hinted() && end > c.told.Load() {
		end = max(end, min(off+readAhead, c.t.head.End))
		c.told.Store(end)
		a := c.s.ask()
		a.need(c.sec, int64(off), int64(end-off))
		a.send()
	}
}

// Field returns the number of the column's field in Segment.Fields.
func (c *Column) Field() int { return c.f }

// Outside returns the error for values of block b, as Read gave them, that are not within the bounds of the column. It
// matches format.ErrCorrupt.
func (c *Column) Outside(b int) error {
	e := c.t.entry(b)
	return c.corrupt(b, e.Offset, "a value outside its bounds, %d to %d", e.Min, e.Max)
}

// Corrupt returns an error of kind format.ErrCorrupt in block b of the column, or, if b is format.NoBlock, in its
// dictionary.
func (c *Column) Corrupt(b int, msg string, args ...any) error {
	off := c.t.head.Begin
	if b >= 0 {
		off = c.t.entry(b).Offset
	}
	return c.corrupt(b, off, msg, args...)
}

// corrupt returns an error of kind format.ErrCorrupt in block b.
func (c *Column) corrupt(b int, off uint64, msg string, args ...any) error {
	e := format.Corrupt("column %q: %s", c.s.fields[c.f].Name, fmt.Sprintf(msg, args...))
	e.Block, e.Offset = b, c.sec.Offset+int64(off)
	if b >= 0 {
		if x := c.t.changed(b); x != nil {
			e.Offset = x.off
			return format.Locate(e, format.Place{File: c.t.patch.name, Section: format.SectionValues.String(), Block: b})
		}
	}
	return format.Locate(e, c.s.place(c.sec))
}

// check returns what is wrong with t, the table of f in s, which begins behind the byte before of COLUMNS, or "".
func (t *columnTable) check(s *Segment, f *Field, before uint64) string {
	h, docs := &t.head, s.meta.Docs
	end := uint64(s.section(format.SectionColumns).Length)
	keyword := f.Kind == schema.Keyword
	switch {
	case h.Begin != before || h.Begin > h.Index || h.Index > h.Blocks || h.Blocks > h.End || h.End > end:
		return fmt.Sprintf("parts at %d, %d, %d to %d of %d bytes, behind one that ends at %d", h.Begin, h.Index, h.Blocks, h.End, end, before)
	case !keyword && (h.Keywords > 0 || h.Blocks != h.Begin) || h.Blocks-h.Index != uint64(colblock.IndexSize(h.Keywords)) || h.Keywords > math.MaxInt32:
		return fmt.Sprintf("%d keywords in bytes %d to %d", h.Keywords, h.Begin, h.Blocks)
	case keyword && h.Docs > 0 && (h.Min != 0 || h.Max != int64(h.Keywords)-1):
		return fmt.Sprintf("%d keywords, values from %d to %d", h.Keywords, h.Min, h.Max)
	}
	sum := colblock.Head{Min: math.MaxInt64, Max: math.MinInt64}
	off := h.Blocks
	for b := range colblock.Blocks(docs) {
		e, n := t.entry(b), colblock.DocsIn(docs, b)
		next := t.next(b)
		if !e.Valid(n) || e.Offset != off || next < off || next > h.End || !e.Fits(n, next-off) {
			return fmt.Sprintf("block %d: malformed bounds of %d documents", b, n)
		}
		if off = next; e.Docs > 0 {
			sum.Docs, sum.Values = sum.Docs+uint32(e.Docs), sum.Values+uint64(e.Values)
			sum.Min, sum.Max = min(sum.Min, e.Min), max(sum.Max, e.Max)
		}
	}
	if sum.Docs == 0 {
		sum.Min, sum.Max = 0, 0
	}
	if off != h.End || sum.Docs != h.Docs || sum.Values != h.Values || sum.Min != h.Min || sum.Max != h.Max || h.Docs == 0 && h.Keywords > 0 {
		return fmt.Sprintf("%d documents with %d values from %d to %d; the blocks have %d with %d from %d to %d",
			h.Docs, h.Values, h.Min, h.Max, sum.Docs, sum.Values, sum.Min, sum.Max)
	}
	return ""
}
