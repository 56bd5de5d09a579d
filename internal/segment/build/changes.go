package build

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/segment"
)

// Change gives a document other values in a column.
type Change struct {
	Field  int // number in Segment.Fields; its values can be changed in place
	Doc    uint32
	Values []int64 // in any order; none removes those that the document has
}

// AppendChanges appends to dst the changes of s (format/FORMAT.md, section 7.1) and more, in the form that segment.ParseChanges takes. Of changes
// of the same values the last one counts. It reads the blocks of s that more changes, and codes them anew. With no changes at all it
// returns dst.
func AppendChanges(dst []byte, s *segment.Segment, more []Change) ([]byte, error) {
	before, err := s.Changes()
	if err != nil {
		return dst, err
	}
	columns, err := changedColumns(s, before, more)
	if err != nil || len(columns) == 0 {
		return dst, err
	}
	size := 0
	for _, c := range columns {
		size += c.size
	}
	from := len(dst)
	dst = binary.AppendUvarint(slices.Grow(dst, size), uint64(len(columns)))
	for _, c := range columns {
		dst = c.appendHead(dst)
	}
	base := len(dst) // of offsets
	for _, c := range columns {
		if dst, err = c.appendBlocks(dst, base); err != nil {
			return dst[:from], err
		}
	}
	return dst, nil
}

// changedColumn is what AppendChanges writes of a column.
type changedColumn struct {
	s      *segment.Segment
	field  int
	before *segment.ChangedColumn // nil: none
	more   []Change               // by documents
	column *segment.Column
	words  []uint64 // the documents whose values are changed, a bit for each
	blocks []int    // the numbers of those with such documents
	size   int      // about how many bytes it takes
	rows   int      // where the entries of the blocks are in what is written, each behind its number
}

// changedColumns returns the columns of s that before or more changes, by ascending ids of their fields.
func changedColumns(s *segment.Segment, before *segment.Changes, more []Change) (all []*changedColumn, err error) {
	more = slices.Clone(more)
	slices.SortStableFunc(more, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Doc, b.Doc))
	})
	for len(more) > 0 {
		n := 1
		for n < len(more) && more[n].Field == more[0].Field {
			n++
		}
		all = append(all, &changedColumn{s: s, field: more[0].Field, before: before.Column(more[0].Field), more: more[:n]})
		more = more[n:]
	}
	if before != nil {
		for _, x := range before.Columns() {
			if !slices.ContainsFunc(all, func(c *changedColumn) bool { return c.field == x.Field() }) {
				all = append(all, &changedColumn{s: s, field: x.Field(), before: x})
			}
		}
	}
	slices.SortFunc(all, func(a, b *changedColumn) int { return cmp.Compare(a.id(), b.id()) })
	for _, c := range all {
		if err := c.look(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// id returns the id of the field.
func (c *changedColumn) id() uint32 { return c.s.Fields()[c.field].ID }

// look finds out which documents are changed, and in which blocks.
func (c *changedColumn) look() (err error) {
	if c.column, _, err = c.s.Field(c.field).Column(); err != nil {
		return err
	}
	c.words = make([]uint64, (c.s.Meta().Docs+63)/64)
	c.before.Or(c.words)
	for _, x := range c.more {
		c.words[x.Doc/64] |= 1 << (x.Doc % 64)
	}
	c.size = 32 + 9*len(c.more)
	for b := range c.column.Blocks() {
		in := c.words[b*colblock.Words : min((b+1)*colblock.Words, len(c.words))]
		if slices.ContainsFunc(in, func(w uint64) bool { return w != 0 }) {
			c.blocks = append(c.blocks, b)
			c.size += int(c.column.Bounds(b).Bytes) + 8*len(in) + colblock.EntrySize + 128
		}
	}
	return nil
}

// appendHead appends what stands before the blocks, with room for their entries.
func (c *changedColumn) appendHead(dst []byte) []byte {
	bitmap := docset.FromWords(c.words).AppendPortable(nil)
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(c.id())), uint64(len(bitmap)))
	dst = binary.AppendUvarint(append(dst, bitmap...), uint64(len(c.blocks)))
	c.rows = len(dst)
	next := 0
	for _, b := range c.blocks {
		dst = binary.AppendUvarint(dst, uint64(b-next))
		dst = append(dst, make([]byte, colblock.EntrySize)...)
		next = b + 1
	}
	return dst
}

// appendBlocks appends the blocks, and writes their entries. Offsets count from base.
func (c *changedColumn) appendBlocks(dst []byte, base int) ([]byte, error) {
	part := columnPart{segment: c.s, column: c.column}
	var values segment.ColumnValues
	var enc colblock.Encoder
	row, more := c.rows, c.more
	for _, number := range c.blocks {
		at := len(dst)
		var e colblock.Entry
		bounds, b, changed := c.before.Block(number)
		n := colblock.DocsIn(c.s.Meta().Docs, number)
		end := uint32(number)*segment.ColumnBlock + uint32(n)
		if len(more) == 0 || more[0].Doc >= end { // as it is
			e, dst = entryOf(&bounds), append(dst, b...)
		} else {
			var err error
			if changed { // this package made it
				err = c.column.Read(number, &values)
			} else {
				err = part.load(number, &values)
			}
			if err != nil {
				return dst, err
			}
			more = addChanged(&enc, &values, n, end, more)
			if enc.Values() > colblock.MaxValues {
				return dst, fmt.Errorf("segment: column of field %q: more than %d values of %d documents", c.s.Fields()[c.field].Name, colblock.MaxValues, n)
			}
			dst, e = enc.AppendBlock(dst)
		}
		e.Offset = uint64(at - base)
		_, width := binary.Uvarint(dst[row:])
		colblock.AppendEntry(dst[:row+width], &e)
		row += width + colblock.EntrySize
	}
	return dst, nil
}

// addChanged adds the n documents before end to enc, with the values of v or, as far as more changes these, of more. It returns what
// more has of later documents.
func addChanged(enc *colblock.Encoder, v *segment.ColumnValues, n int, end uint32, more []Change) []Change {
	at := 0
	for len(more) > 0 && more[0].Doc < end {
		x := more[0]
		for more = more[1:]; len(more) > 0 && more[0].Doc == x.Doc; more = more[1:] {
			x = more[0]
		}
		doc := n - int(end-x.Doc)
		addAll(enc, v, at, doc)
		enc.Add(x.Values...)
		at = doc + 1
	}
	addAll(enc, v, at, n)
	return more
}

// addAll adds documents from up to, but not including, to of a block.
func addAll(enc *colblock.Encoder, v *segment.ColumnValues, from, to int) {
	if from < to {
		enc.AddAll((*colblock.Values)(v), from, to)
	}
}
