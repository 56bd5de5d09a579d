package check

import (
	"slices"

	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/segment"
)

// Changes checks the values of s that were changed in place: that each block is the only one that its values can have in its form, and
// that documents whose values were not changed have those of the segment.
func Changes(s *segment.Segment) error {
	c, err := s.Changes()
	if err != nil || c == nil {
		return err
	}
	var enc colblock.Encoder
	var is, was colblock.Values
	for _, x := range c.Columns() {
		column, _, err := s.Field(x.Field()).Column()
		if err != nil {
			return err
		}
		before, _, err := s.Original().Field(x.Field()).Column()
		if err != nil {
			return err
		}
		for _, number := range x.Blocks() {
			e, b, _ := x.Block(number)
			var block colblock.Block
			entry := colblock.Entry{Min: e.Min, Max: e.Max, Gcd: e.Gcd, Values: e.Values, Docs: uint16(e.Docs), Form: colblock.Form(e.Form), Width: uint8(e.Width)}
			n := colblock.DocsIn(s.Meta().Docs, number)
			if !block.Open(b, &entry, n) || !block.Check(b, &enc, &is) {
				return column.Corrupt(number, "not the bytes that the block's %d values have as %v", e.Values, e.Form)
			}
			if err := before.Read(number, (*segment.ColumnValues)(&was)); err != nil {
				return err
			}
			if doc := differs(x, uint32(number)*colblock.Docs, n, &is, &was); doc >= 0 {
				return column.Corrupt(number, "document %d has other values than the segment, and was not changed", doc)
			}
		}
	}
	return nil
}

// differs returns the first of n documents from first on that has other values in a than in b and is not one that x changes, or -1.
func differs(x *segment.ChangedColumn, first uint32, n int, a, b *colblock.Values) int {
	for i := range n {
		if !slices.Equal(valuesOf(a, i), valuesOf(b, i)) && !x.Has(first+uint32(i)) {
			return int(first) + i
		}
	}
	return -1
}

// valuesOf returns the values of a document of a block.
func valuesOf(v *colblock.Values, i int) []int64 {
	switch {
	case v.Present[i/64]>>(i%64)&1 == 0:
		return nil
	case v.Ends == nil:
		return v.Numbers[i : i+1]
	case i == 0:
		return v.Numbers[:v.Ends[0]]
	}
	return v.Numbers[v.Ends[i-1]:v.Ends[i]]
}

// changes is Changes of what v was given.
func (v *verifier) changes() error {
	err := Changes(v.given)
	if err == nil {
		return nil
	}
	return v.report(err, Damage{})
}
