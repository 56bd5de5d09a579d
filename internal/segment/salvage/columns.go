package salvage

import (
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// columnReader reads the values of documents in one column, in docID order.
type columnReader struct {
	x      *Source
	field  int
	c      *segment.Column
	block  int // in vals, -1 before the first
	damage bool
	vals   segment.ColumnValues
}

// columns returns a reader for each column that can be read.
func (x *Source) columns() (all []*columnReader) {
	for i := range x.s.Fields() {
		c, ok, err := x.s.Field(i).Column()
		if err != nil {
			x.loseOf(i, "columns", "all", uint64(x.s.Meta().Docs), err)
		}
		if ok {
			all = append(all, &columnReader{x: x, field: i, c: c, block: -1})
		}
	}
	return all
}

// append appends the values of a document. Those of a block that is damaged, or whose keyword is, are
// lost.
func (r *columnReader) append(dst []schema.Value, doc uint32) []schema.Value {
	f := &r.x.s.Fields()[r.field]
	block, i := int(doc/segment.ColumnBlock), int(doc%segment.ColumnBlock)
	if block != r.block {
		r.block = block
		err := r.c.Read(block, &r.vals)
		if r.damage = err != nil; r.damage {
			first := uint32(block) * segment.ColumnBlock
			end := min(first+segment.ColumnBlock, r.x.s.Meta().Docs)
			r.x.loseOf(r.field, "columns", docsOf(first, end), uint64(r.c.Bounds(block).Docs), err)
		}
	}
	if r.damage || r.vals.Present[i/64]>>(i%64)&1 == 0 {
		return dst
	}
	from, to := uint32(i), uint32(i)+1
	if r.vals.Ends != nil {
		from, to = 0, r.vals.Ends[i]
		if i > 0 {
			from = r.vals.Ends[i-1]
		}
	}
	n := len(dst)
	for _, key := range r.vals.Numbers[from:to] {
		if f.Kind != schema.Keyword {
			dst = append(dst, schema.KeyValue(r.field, f.Kind, f.Unit, key))
			continue
		}
		b, err := r.c.Keyword(nil, key)
		if err != nil {
			r.x.loseOf(r.field, "columns", docsOf(doc, doc+1), 1, err)
			return dst[:n]
		}
		dst = append(dst, schema.KeywordValue(r.field, b))
	}
	return dst
}
