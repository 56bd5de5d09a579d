package inspect

import (
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// ColumnSummary is what an index has of a column, deleted documents included.
type ColumnSummary struct {
	Field     string `json:"field"`
	Kind      string `json:"kind"`
	Unit      string `json:"unit,omitempty"` // of times
	Documents uint64 `json:"documents"`      // with a value
	Values    uint64 `json:"values"`
	Several   bool   `json:"several"`  // some document has more than one value
	Min       string `json:"min"`      // the least value, "" without values
	Max       string `json:"max"`      // the greatest
	Keywords  uint64 `json:"keywords"` // different ones, of each segment
	Bytes     uint64 `json:"bytes"`
}

// ColumnsOf returns what the index has of each column of its schema.
func ColumnsOf(m *indexdir.Manifest, segs []*segment.Segment) ([]ColumnSummary, error) {
	out := []ColumnSummary{}
	for _, f := range Fields(m, segs) {
		if !f.Column {
			continue
		}
		sum := ColumnSummary{Field: f.Name, Kind: f.Kind.String()}
		if kind.Units(uint8(f.Kind)) {
			sum.Unit = f.Unit.String()
		}
		var least, most schema.Value
		for _, s := range segs {
			c, err := ColumnOf(s, f.ID)
			if err != nil {
				return nil, err
			}
			if c == nil {
				continue
			}
			info := c.Info()
			sum.Bytes += info.Bytes
			if info.Docs == 0 {
				continue
			}
			lo, err := ColumnValue(c, &f, info.Min)
			if err != nil {
				return nil, err
			}
			hi, err := ColumnValue(c, &f, info.Max)
			if err != nil {
				return nil, err
			}
			if sum.Documents == 0 || below(lo, least) {
				least, sum.Min = lo, lo.String()
			}
			if sum.Documents == 0 || below(most, hi) {
				most, sum.Max = hi, hi.String()
			}
			sum.Documents += info.Docs
			sum.Values += info.Values
			sum.Keywords += uint64(info.Keywords)
			sum.Several = sum.Several || info.Several
		}
		out = append(out, sum)
	}
	return out, nil
}

// ColumnOf returns the column of the field with an id in s, nil if s does not have it.
func ColumnOf(s *segment.Segment, id uint32) (c *segment.Column, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	number, ok := s.FieldByID(id)
	if !ok {
		return nil, nil
	}
	c, ok, err = s.Field(number).Column()
	if !ok {
		c = nil
	}
	return c, err
}

// ColumnValue returns the value of f with a number in c.
func ColumnValue(c *segment.Column, f *schema.Field, key int64) (v schema.Value, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.Kind != schema.Keyword {
		return schema.KeyValue(0, f.Kind, f.Unit, key), nil
	}
	b, err := c.Keyword(nil, key)
	return schema.KeywordValue(0, b), err
}

// below reports whether a is below b, a value of the same field.
func below(a, b schema.Value) bool {
	if a.Kind == schema.Keyword {
		return string(a.Bytes()) < string(b.Bytes())
	}
	return a.Key(schema.UnitNanosecond) < b.Key(schema.UnitNanosecond)
}
