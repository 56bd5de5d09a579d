package segment

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/schema"
)

// Changes are values of documents that were changed after their segment was written: blocks of columns in the place of those
// that it has (format/FORMAT.md, section 7.1). They do not change.
type Changes struct {
	name    string // of the file, for errors
	content []byte
	columns []*ChangedColumn // by ascending ids of their fields
}

// ChangedColumn is what Changes have of a column.
type ChangedColumn struct {
	field  int // number in Fields
	id     uint32
	docs   *docset.Set // whose values were changed
	blocks []changedBlock
}

// changedBlock is a block in the place of one of a segment. Offsets of entries count from the first block of the file.
type changedBlock struct {
	number int
	entry  colblock.Entry
	bytes  []byte
	off    int64 // in the file
}

// ParseChanges decodes content, which begins at offset off of a file that errors call name, as changes of s. It keeps content, which
// must not be modified.
func ParseChanges(name string, content []byte, off int64, s *Segment) (*Changes, error) {
	c := &Changes{name: name, content: content}
	if err := c.parse(off, s); err != nil {
		return nil, format.Locate(err, format.Place{File: name, Section: format.SectionValues.String(), Block: format.NoBlock})
	}
	return c, nil
}

// minChanged is how many bytes a column takes at least: its id, its documents, and a block.
const minChanged = 12 + colblock.EntrySize

func (c *Changes) parse(off int64, s *Segment) error {
	r := format.NewBuffer(c.content, off)
	n := r.Count(schema.MaxFields, minChanged)
	if n == 0 {
		r.Fail("no column")
	}
	for i := range n {
		x := &ChangedColumn{id: uint32(r.Count(1<<32-1, 0))}
		if i > 0 && x.id <= c.columns[i-1].id {
			r.Fail("field %d behind field %d", x.id, c.columns[i-1].id)
		}
		var ok bool
		if x.field, ok = s.FieldByID(x.id); r.Err() == nil && (!ok || !canChange(&s.fields[x.field])) {
			r.Fail("field %d is no column of numbers of segment %s", x.id, s.name)
		}
		size := r.Count(1<<40, 1)
		at := off + int64(r.Pos())
		bitmap := r.Bytes(size)
		if r.Err() != nil {
			break
		}
		var err error
		if x.docs, err = docset.FromPortable(bitmap, at, s.meta.Docs); err != nil {
			return err
		}
		x.parseEntries(r, s.meta.Docs)
		c.columns = append(c.columns, x)
	}
	if err := r.Err(); err != nil {
		return err
	}
	return c.cut(r.Pos(), off, s.meta.Docs)
}

// parseEntries decodes which blocks x has, and their entries.
func (x *ChangedColumn) parseEntries(r *format.Buffer, docs uint32) {
	changed := uint32(0)
	x.blocks = make([]changedBlock, r.Count(uint64(colblock.Blocks(docs)), 1+colblock.EntrySize))
	next := 0
	for i := range x.blocks {
		b := &x.blocks[i]
		b.number = next + r.Count(uint64(colblock.Blocks(docs)), 0)
		e := r.Bytes(colblock.EntrySize)
		if r.Err() == nil && b.number >= colblock.Blocks(docs) {
			r.Fail("block %d of %d of field %d", b.number, colblock.Blocks(docs), x.id)
		}
		if r.Err() != nil {
			return
		}
		if b.entry = colblock.ParseEntry(e); !b.entry.Valid(colblock.DocsIn(docs, b.number)) {
			r.Fail("malformed bounds of block %d of field %d", b.number, x.id)
			return
		}
		lo := uint32(b.number) * ColumnBlock
		n := x.docs.Count(lo, min(docs, lo+ColumnBlock))
		if n == 0 {
			r.Fail("no document of block %d of field %d was changed", b.number, x.id)
		}
		changed += n
		next = b.number + 1
	}
	if r.Err() == nil && changed != x.docs.Len() || len(x.blocks) == 0 {
		r.Fail("%d documents of field %d were changed, %d of them in its blocks", x.docs.Len(), x.id, changed)
	}
}

// cut finds the bytes of all blocks, which begin at pos of the content, itself at offset off of the file.
func (c *Changes) cut(pos int, off int64, docs uint32) error {
	all := c.content[pos:]
	at := uint64(0)
	var last *changedBlock
	end := func(next uint64) error {
		if last == nil {
			return nil
		}
		if next < at || next > uint64(len(all)) {
			return format.Corrupt("block %d ends at %d, behind %d, of %d bytes", last.number, next, at, len(all))
		}
		last.bytes, last.off = all[at:next], off+int64(pos)+int64(at)
		if !last.entry.Fits(colblock.DocsIn(docs, last.number), next-at) {
			return format.Corrupt("block %d has %d bytes, which its bounds rule out", last.number, next-at)
		}
		return nil
	}
	for _, x := range c.columns {
		for i := range x.blocks {
			b := &x.blocks[i]
			if err := end(b.entry.Offset); err != nil {
				return err
			}
			if last == nil && b.entry.Offset != 0 {
				return format.Corrupt("the first block begins at %d", b.entry.Offset)
			}
			at, last = b.entry.Offset, b
		}
	}
	return end(uint64(len(all)))
}

// canChange reports whether values of a field can be changed in place: those in columns of numbers.
func canChange(f *Field) bool { return f.Column && f.Kind != schema.Keyword && f.ID != 0 }

// Content returns what c was decoded from. It must not be modified.
func (c *Changes) Content() []byte { return c.content }

// Name returns the name of the file that c is from.
func (c *Changes) Name() string { return c.name }

// Columns returns what c has of each column that it changes, by ascending ids of their fields. It must not be modified.
func (c *Changes) Columns() []*ChangedColumn { return c.columns }

// Column returns what c, which may be nil, has of the column of the field with a number in Segment.Fields, or nil.
func (c *Changes) Column(field int) *ChangedColumn {
	if c == nil {
		return nil
	}
	for _, x := range c.columns {
		if x.field == field {
			return x
		}
	}
	return nil
}

// has reports whether values of a document were changed. c may be nil.
func (c *Changes) has(doc uint32) bool {
	return c != nil && slices.ContainsFunc(c.columns, func(x *ChangedColumn) bool { return x.Has(doc) })
}

// Field returns the number of the field in Segment.Fields.
func (x *ChangedColumn) Field() int { return x.field }

// ID returns the id of the field.
func (x *ChangedColumn) ID() uint32 { return x.id }

// Len returns the number of documents whose values were changed. For a nil x it is 0.
func (x *ChangedColumn) Len() uint32 {
	if x == nil {
		return 0
	}
	return x.docs.Len()
}

// Has reports whether the values of a document were changed. For a nil x none were.
func (x *ChangedColumn) Has(doc uint32) bool { return x != nil && x.docs.Contains(doc) }

// Docs yields the documents whose values were changed, ascending.
func (x *ChangedColumn) Docs() iter.Seq[uint32] {
	if x == nil {
		return func(func(uint32) bool) {}
	}
	return x.docs.All()
}

// Or sets the bits of the documents whose values were changed in words, which have a bit for each document of the segment.
func (x *ChangedColumn) Or(words []uint64) {
	if x != nil {
		x.docs.Or(words, 0)
	}
}

// Blocks returns the numbers of the blocks, ascending.
func (x *ChangedColumn) Blocks() []int {
	if x == nil {
		return nil
	}
	numbers := make([]int, len(x.blocks))
	for i := range x.blocks {
		numbers[i] = x.blocks[i].number
	}
	return numbers
}

// Block returns what is known of the block with a number, and its bytes. ok is false if x, which may be nil, does not have it.
func (x *ChangedColumn) Block(number int) (bounds ColumnBounds, b []byte, ok bool) {
	if x == nil {
		return bounds, nil, false
	}
	i, ok := slices.BinarySearchFunc(x.blocks, number, func(b changedBlock, n int) int { return cmp.Compare(b.number, n) })
	if !ok {
		return bounds, nil, false
	}
	return boundsOf(&x.blocks[i].entry, int64(len(x.blocks[i].bytes))), x.blocks[i].bytes, true
}

// append appends the values of a document of a segment with so many, one that has changed ones: without the column, which may be damaged. ok
// is false if their block is malformed.
func (x *ChangedColumn) append(dst []int64, doc, docs uint32) (keys []int64, ok bool) {
	i, ok := slices.BinarySearchFunc(x.blocks, int(doc/ColumnBlock), func(b changedBlock, n int) int { return cmp.Compare(b.number, n) })
	var of colblock.Block
	if !ok || !of.Open(x.blocks[i].bytes, &x.blocks[i].entry, colblock.DocsIn(docs, x.blocks[i].number)) {
		return dst, false
	}
	return of.Append(dst, int(doc%ColumnBlock))
}

// overlay is what a segment has in the place of its own values.
type overlay struct {
	load     func(context.Context) (*Changes, error)
	got      atomic.Pointer[Changes]
	columns  []atomic.Pointer[columnTable] // by field, those that are changed
	attached attached
}

// WithChanges returns a view of s in which values are changed, instead of those that s has been given before. load gives the changes when they are first
// needed, or an error, which is then that of the call that needs them; it may be called several times, with the context of WithContext or nil. Views of s have
// their own Attached.
func (s *Segment) WithChanges(load func(context.Context) (*Changes, error)) *Segment {
	c := *s
	c.overlay = &overlay{load: load, columns: make([]atomic.Pointer[columnTable], len(s.fields))}
	return &c
}

// Original returns a view of s with the values that its file has.
func (s *Segment) Original() *Segment {
	if s.overlay == nil {
		return s
	}
	c := *s
	c.overlay = nil
	return &c
}

// Changes returns the changes of WithChanges, or nil if there are none.
func (s *Segment) Changes() (*Changes, error) {
	o := s.overlay
	if o == nil {
		return nil, nil
	}
	if c := o.got.Load(); c != nil {
		return c, nil
	}
	c, err := o.load(s.ctx)
	if err != nil || c == nil {
		return nil, err
	}
	o.got.CompareAndSwap(nil, c)
	return o.got.Load(), nil
}

// StoredChanges reports whether the stored values of a document are others than those in the file.
func (s *Segment) StoredChanges() (bool, error) {
	c, err := s.Changes()
	if err != nil || c == nil {
		return false, err
	}
	return slices.ContainsFunc(c.columns, func(x *ChangedColumn) bool { return s.fields[x.field].Stored }), nil
}

// changeRecord makes the record of doc, which dst has from from on, what the document has now.
func (s *Segment) changeRecord(dst []byte, from int, doc uint32) ([]byte, error) {
	if s.overlay == nil {
		return dst, nil
	}
	c, err := s.Changes()
	if err != nil {
		return dst[:from], err
	}
	if c == nil {
		return dst, nil
	}
	for _, x := range c.columns {
		if s.fields[x.field].Stored && x.Has(doc) {
			if dst, err = x.putIn(s, dst, from, doc); err != nil {
				return dst[:from], err
			}
		}
	}
	return dst, nil
}

// putIn is changeRecord for one field: the values of the column come in the place of those that are stored.
func (x *ChangedColumn) putIn(s *Segment, dst []byte, from int, doc uint32) ([]byte, error) {
	var room [8]int64
	keys, ok := x.append(room[:0], doc, s.meta.Docs)
	if !ok {
		return dst, s.corrupt(&s.stored, 0, "docID %d: the values of field %q that were changed are malformed", doc, s.fields[x.field].Name)
	}
	f := &s.fields[x.field]
	rec := slices.Clone(dst[from:])
	dst = dst[:from]
	put := func() {
		for _, key := range keys {
			dst = record.Append(dst, f.ID, schema.KeyValue(0, f.Kind, f.Unit, key))
		}
		keys = nil
	}
	for len(rec) > 0 {
		v, rest, err := record.Next(rec)
		if err != nil {
			return dst, s.corrupt(&s.stored, 0, "docID %d: %v", doc, err)
		}
		if v.ID == f.ID {
			put()
		} else {
			dst = append(dst, rec[:len(rec)-len(rest)]...)
		}
		rec = rest
	}
	put()
	return dst, nil
}
