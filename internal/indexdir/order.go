package indexdir

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// CheckOrder returns an error of kind format.ErrCorrupt unless the documents of s, a segment of m,
// are in m.Order. It reads all of the column.
func (m *Manifest) CheckOrder(s *segment.Segment) (err error) {
	defer CatchFault(ArmFault(), &err)
	number, ok := s.FieldByID(m.Order.Field)
	if m.Order.Field == 0 || !ok { // no document of s has a value
		return nil
	}
	c, ok, err := s.Field(number).Column()
	if err != nil || !ok {
		return err
	}
	var vals segment.ColumnValues
	var last int64
	begun, ended := false, false // documents with and without a value
	for doc := range s.Meta().Docs {
		i := doc % segment.ColumnBlock
		if i == 0 {
			if err := c.Read(int(doc/segment.ColumnBlock), &vals); err != nil {
				return err
			}
		}
		if vals.Present[i/64]>>(i%64)&1 == 0 {
			ended = true
			continue
		}
		key := orderKey(&vals, i, m.Order.Desc)
		if ended || begun && (m.Order.Desc && key > last || !m.Order.Desc && key < last) {
			return s.Raw().Corrupt(format.SectionColumns, 0, "document %d is out of the order by field %q that the manifest says", doc, s.Fields()[number].Name)
		}
		last, begun = key, true
	}
	return nil
}

// orderKey returns by what document i of a block is sorted: its least value, or the greatest.
func orderKey(vals *segment.ColumnValues, i uint32, desc bool) int64 {
	switch {
	case vals.Ends == nil:
		return vals.Numbers[i]
	case desc:
		return vals.Numbers[vals.Ends[i]-1]
	case i == 0:
		return vals.Numbers[0]
	}
	return vals.Numbers[vals.Ends[i-1]]
}
