package segment

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
)

// ColumnValues are the values of a block.
type ColumnValues struct {
	// Present are the documents with a value, a bit for each.
	Present [ColumnBlock / 64]uint64
	// Numbers has one for each document, 0 where there is no value. If Ends is not nil, it has
	// all values, document after document, ascending in each.
	Numbers []int64
	// Ends are where the values of each document end in Numbers. It is nil unless a document
	// has several.
	Ends []uint32
}

// Read sets dst to the values of block b, which must exist. It uses the memory of dst again. Read,
// Range and In begin to read the blocks that follow, too, if the Data can be told.
func (c *Column) Read(b int, dst *ColumnValues) error {
	c.walk(b)
	var x colblock.Block
	if err := c.open(b, &x); err != nil {
		return err
	}
	if !x.Read((*colblock.Values)(dst)) {
		return c.malformed(b, &x.Entry)
	}
	return nil
}

// Append appends the values of document doc to dst, ascending. On an error it returns dst
// unchanged.
func (c *Column) Append(dst []int64, doc uint32) ([]int64, error) {
	if doc >= c.s.meta.Docs {
		return dst, c.s.noDoc(doc)
	}
	b := int(doc / ColumnBlock)
	var x colblock.Block
	if err := c.open(b, &x); err != nil {
		return dst, err
	}
	out, ok := x.Append(dst, int(doc%ColumnBlock))
	if !ok {
		return dst, c.malformed(b, &x.Entry)
	}
	for _, v := range out[len(dst):] {
		if v < x.Min || v > x.Max {
			return dst, c.Outside(b)
		}
	}
	return out, nil
}

// Range sets dst to the documents of block b, which must exist, that have a value from lo to hi.
// It reads nothing where the bounds of the block say enough.
func (c *Column) Range(b int, lo, hi int64, dst *[ColumnBlock / 64]uint64) error {
	e := c.t.entry(b)
	first, last, all, ok := e.Limits(lo, hi)
	if !ok {
		clear(dst[:])
		return nil
	}
	c.walk(b)
	if all {
		return c.present(b, &e, dst)
	}
	var x colblock.Block
	if err := c.open(b, &x); err != nil {
		return err
	}
	if !x.Range(first, last, dst) {
		return c.malformed(b, &e)
	}
	return nil
}

// present sets dst to the documents of block b with a value.
func (c *Column) present(b int, e *colblock.Entry, dst *[ColumnBlock / 64]uint64) error {
	n := c.docsIn(b)
	var bitmap []byte
	if size := e.BitmapSize(n); size > 0 {
		var err error
		if bitmap, err = c.block(b, size); err != nil {
			return err
		}
	}
	if !e.Present(dst, bitmap, n) {
		return c.malformed(b, e)
	}
	return nil
}

// In sets dst to the documents of block b, which must exist, that have one of the values of sorted,
// which ascend.
func (c *Column) In(b int, sorted []int64, dst *[ColumnBlock / 64]uint64) error {
	e := c.t.entry(b)
	var room [64]uint64
	offs := room[:0]
	for _, v := range sorted {
		if off, _, all, ok := e.Limits(v, v); all {
			return c.present(b, &e, dst)
		} else if ok {
			offs = append(offs, off)
		}
	}
	if len(offs) == 0 {
		clear(dst[:])
		return nil
	}
	c.walk(b)
	var x colblock.Block
	if err := c.open(b, &x); err != nil {
		return err
	}
	if !x.In(offs, dst) {
		return c.malformed(b, &e)
	}
	return nil
}

// open opens block b.
func (c *Column) open(b int, x *colblock.Block) error {
	e := c.t.entry(b)
	data, err := c.block(b, c.t.size(b))
	if err != nil {
		return err
	}
	if !x.Open(data, &e, c.docsIn(b)) {
		return c.malformed(b, &e)
	}
	return nil
}

// block returns the first n bytes of block b.
func (c *Column) block(b int, n int64) ([]byte, error) {
	if x := c.t.changed(b); x != nil {
		return x.bytes[:n], nil
	}
	return c.bytes(b, c.t.written(b).Offset, n)
}

// bytes returns bytes of COLUMNS, of block b or, if that is negative, of the dictionary.
func (c *Column) bytes(b int, off uint64, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	data, err := c.s.rangeOf(c.sec, int64(off), n)
	if err == nil {
		return data, nil
	}
	var e *format.Error
	if errors.As(err, &e) {
		of := *e
		of.Block, of.Msg = b, fmt.Sprintf("column %q: %s", c.s.fields[c.f].Name, e.Msg)
		err = &of
	}
	return nil, err
}

func (c *Column) malformed(b int, e *colblock.Entry) error {
	return c.corrupt(b, e.Offset, "malformed block of %d values", e.Values)
}
