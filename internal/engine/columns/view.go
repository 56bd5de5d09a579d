package columns

import "github.com/pinion-index/pinion/segment"

// Column is what the documents of a segment have in a field, as segment.Column says it.
type Column interface {
	Info() segment.ColumnInfo
	Blocks() int
	Bounds(block int) segment.ColumnBounds
	Read(block int, dst *segment.ColumnValues) error
	Range(block int, lo, hi int64, dst *[64]uint64) error
	Append(dst []int64, doc uint32) ([]int64, error)
	Keyword(dst []byte, ordinal int64) ([]byte, error)
	Outside(block int) error
	Ordinal(keyword []byte) (ordinal int64, found bool, err error)
}

// view reads a column: nil is one in which no document has a value.
type view struct {
	Column
	block  int // that is in values; -1 if none is
	values segment.ColumnValues
	one    []int64
}

func (v *view) set(c Column) { v.Column, v.block = c, -1 }

// load reads a block.
func (v *view) load(block int) error {
	if v.Column == nil || v.block == block {
		return nil
	}
	v.block = -1
	if err := v.Read(block, &v.values); err != nil {
		return err
	}
	v.block = block
	return nil
}

// bounds returns the bounds of a block.
func (v *view) bounds(block int) segment.ColumnBounds {
	if v.Column == nil {
		return segment.ColumnBounds{}
	}
	return v.Bounds(block)
}

// of returns the values of a document, in ascending order. They are valid until the next call.
func (v *view) of(doc uint32) (values []int64, err error) {
	if v.Column == nil {
		return nil, nil
	}
	if int(doc/segment.ColumnBlock) != v.block {
		v.one, err = v.Append(v.one[:0], doc)
		return v.one, err
	}
	i, x := doc%segment.ColumnBlock, &v.values
	switch {
	case x.Present[i/64]>>(i%64)&1 == 0:
		return nil, nil
	case x.Ends == nil:
		return x.Numbers[i : i+1], nil
	case i == 0:
		return x.Numbers[:x.Ends[0]], nil
	}
	return x.Numbers[x.Ends[i-1]:x.Ends[i]], nil
}
