package build

import (
	"fmt"
	"iter"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// columnsBuilder makes sections COLUMNS and COLUMNBOUNDS, column after column.
type columnsBuilder struct {
	stream // COLUMNS
	bounds []byte
	next   int // field after that of the current column
	open   bool
	docs   uint32 // of the current column
	head   colblock.Head
	at     int      // of head in bounds
	used   []uint64 // keywords that documents have; nil: whoever adds them sees to that
	enc    colblock.Encoder
	buf    []byte
}

// BeginColumn begins the column of field f of Options.Fields: the values of all documents follow,
// with AddColumn. Columns come in the order of their fields, and none may be left out. They may
// come at any time before Finish. The column of keywords has a dictionary, which yields them in
// ascending order; each must be that of a document. It is nil for other kinds.
func (b *Builder) BeginColumn(f int, dictionary iter.Seq[[]byte]) error {
	c := &b.columns
	if err := b.endColumn(); err != nil {
		return err
	}
	if want := b.nextColumn(); f != want {
		return fmt.Errorf("segment: column of field %d begun instead of that of field %d", f, want)
	}
	c.open, c.next, c.docs = true, f+1, 0
	c.at = len(c.bounds)
	c.bounds = append(c.bounds, make([]byte, colblock.HeadSize)...)
	c.head = colblock.Head{Min: math.MaxInt64, Max: math.MinInt64, Begin: uint64(c.n)}
	keyword := b.fields[f].Kind == schema.Keyword
	if keyword != (dictionary != nil) {
		return fmt.Errorf("segment: column of field %q, of kind %v: dictionary given: %t", b.fields[f].Name, b.fields[f].Kind, dictionary != nil)
	}
	if keyword {
		return b.addWords(dictionary)
	}
	c.head.Index, c.head.Blocks = c.head.Begin, c.head.Begin
	return nil
}

// nextColumn returns the field whose column is next, or -1 if there are no more.
func (b *Builder) nextColumn() int {
	for f := b.columns.next; f < len(b.fields); f++ {
		if b.fields[f].Column {
			return f
		}
	}
	return -1
}

// addWords adds the dictionary of the current column.
func (b *Builder) addWords(dictionary iter.Seq[[]byte]) error {
	c := &b.columns
	var w colblock.WordWriter
	for word := range dictionary {
		buf, ok := w.Append(c.buf[:0], word)
		if c.buf = buf; !ok || w.Count() > math.MaxInt32 {
			return fmt.Errorf("segment: column of field %q: keyword %.80q is too long, out of order or one too many", b.fields[c.next-1].Name, word)
		}
		c.add(c.buf)
	}
	c.head.Keywords = w.Count()
	c.head.Index = uint64(c.n)
	c.buf = w.AppendIndex(c.buf[:0])
	c.add(c.buf)
	c.head.Blocks = uint64(c.n)
	c.used = make([]uint64, (uint64(c.head.Keywords)+63)/64)
	return nil
}

// AddColumn adds the values of the next document in the current column, in any order, none if it
// has none: numbers as schema.Value.Key has them, or ordinals of keywords. Equal ones count once.
func (b *Builder) AddColumn(keys ...int64) error {
	c := &b.columns
	if !c.open || c.docs == b.o.Docs {
		return fmt.Errorf("segment: column values of document %d of %d, or of no column", c.docs, b.o.Docs)
	}
	if b.fields[c.next-1].Kind == schema.Keyword {
		for _, k := range keys {
			if k < 0 || k >= int64(c.head.Keywords) {
				return fmt.Errorf("segment: column of field %q: keyword %d of %d", b.fields[c.next-1].Name, k, c.head.Keywords)
			}
			if c.used != nil {
				c.used[k/64] |= 1 << (k % 64)
			}
		}
	}
	c.docs++
	if c.enc.Add(keys...); c.enc.Values() > colblock.MaxValues {
		return fmt.Errorf("segment: column of field %q: more than %d values of %d documents", b.fields[c.next-1].Name, colblock.MaxValues, c.enc.Docs())
	}
	if c.enc.Docs() == colblock.Docs {
		c.endBlock()
	}
	return nil
}

// AddColumnValues is AddColumn for documents from up to, but not including, to of v, which is as
// Column.Read sets it.
func (b *Builder) AddColumnValues(v *segment.ColumnValues, from, to int) error {
	c := &b.columns
	if !c.open || uint64(c.docs)+uint64(to-from) > uint64(b.o.Docs) {
		return fmt.Errorf("segment: column values of documents %d to %d of %d, or of no column", c.docs, int(c.docs)+to-from, b.o.Docs)
	}
	if c.used != nil {
		if k, ok := c.mark(v, from, to); !ok {
			return fmt.Errorf("segment: column of field %q: keyword %d of %d", b.fields[c.next-1].Name, k, c.head.Keywords)
		}
	}
	for from < to {
		n := min(to-from, colblock.Docs-c.enc.Docs())
		c.enc.AddAll((*colblock.Values)(v), from, from+n)
		if c.enc.Values() > colblock.MaxValues {
			return fmt.Errorf("segment: column of field %q: more than %d values of %d documents", b.fields[c.next-1].Name, colblock.MaxValues, c.enc.Docs())
		}
		c.docs, from = c.docs+uint32(n), from+n
		if c.enc.Docs() == colblock.Docs {
			c.endBlock()
		}
	}
	return nil
}

// mark marks keywords as used. It returns false and one that the dictionary lacks, if there is one.
func (c *columnsBuilder) mark(v *segment.ColumnValues, from, to int) (int64, bool) {
	for k := range columnValues(v, from, to) {
		if k < 0 || k >= int64(c.head.Keywords) {
			return k, false
		}
		c.used[k/64] |= 1 << (k % 64)
	}
	return 0, true
}

// columnValues yields the values of documents from up to, but not including, to of v.
func columnValues(v *segment.ColumnValues, from, to int) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if v.Ends != nil && from < to {
			first := uint32(0)
			if from > 0 {
				first = v.Ends[from-1]
			}
			for _, k := range v.Numbers[first:v.Ends[to-1]] {
				if !yield(k) {
					return
				}
			}
			return
		}
		for i := from; i < to; i++ {
			if v.Present[i/64]>>(i%64)&1 != 0 && !yield(v.Numbers[i]) {
				return
			}
		}
	}
}

// takesBlock reports whether a block of so many documents can be the next one.
func (b *Builder) takesBlock(docs int) bool {
	c := &b.columns
	return c.open && c.enc.Docs() == 0 && docs == min(colblock.Docs, int(b.o.Docs-c.docs))
}

// copyColumnBlock adds a block of so many documents, which b takes, with bounds e and
// as many more to each value.
func (b *Builder) copyColumnBlock(block []byte, e *segment.ColumnBounds, docs int, more int64) {
	c := &b.columns
	c.docs += uint32(docs)
	entry := entryOf(e)
	if e.Docs > 0 {
		entry.Min, entry.Max = e.Min+more, e.Max+more
	}
	c.addBlock(block, &entry)
}

// entryOf returns the entry of a block with bounds e, but for its offset.
func entryOf(e *segment.ColumnBounds) colblock.Entry {
	return colblock.Entry{Min: e.Min, Max: e.Max, Gcd: e.Gcd, Values: e.Values, Docs: uint16(e.Docs), Form: colblock.Form(e.Form), Width: uint8(e.Width)}
}

// endBlock writes the current block.
func (c *columnsBuilder) endBlock() {
	var e colblock.Entry
	c.buf, e = c.enc.AppendBlock(c.buf[:0])
	c.addBlock(c.buf, &e)
}

// addBlock writes a block with an entry whose offset it sets.
func (c *columnsBuilder) addBlock(b []byte, e *colblock.Entry) {
	e.Offset = uint64(c.n)
	c.add(b)
	c.bounds = colblock.AppendEntry(c.bounds, e)
	if e.Docs > 0 {
		h := &c.head
		h.Docs, h.Values = h.Docs+uint32(e.Docs), h.Values+uint64(e.Values)
		h.Min, h.Max = min(h.Min, e.Min), max(h.Max, e.Max)
	}
}

// endColumn ends the current column, if there is one.
func (b *Builder) endColumn() error {
	c := &b.columns
	if !c.open {
		return nil
	}
	name := b.fields[c.next-1].Name
	if c.docs != b.o.Docs {
		return fmt.Errorf("segment: column of field %q: values of %d documents, %d announced", name, c.docs, b.o.Docs)
	}
	if c.enc.Docs() > 0 {
		c.endBlock()
	}
	c.open = false
	h := &c.head
	if h.Docs == 0 {
		h.Min, h.Max = 0, 0
	}
	for k := range h.Keywords {
		if c.used != nil && c.used[k/64]>>(k%64)&1 == 0 {
			return fmt.Errorf("segment: column of field %q: no document has keyword %d", name, k)
		}
	}
	h.End = uint64(c.n)
	copy(c.bounds[c.at:], colblock.AppendHead(nil, h))
	c.used = nil
	return c.err
}

// endColumns ends the columns, writes COLUMNS if there are any, and returns COLUMNBOUNDS.
func (b ending) endColumns() ([]byte, error) {
	if err := b.endColumn(); err != nil {
		return nil, err
	}
	if f := b.nextColumn(); f >= 0 {
		return nil, fmt.Errorf("segment: no column of field %q", b.fields[f].Name)
	}
	if len(b.columns.bounds) == 0 {
		return nil, nil
	}
	return b.columns.bounds, b.sections([]part{{format.SectionColumns, b.copies(&b.columns.stream)}})
}
