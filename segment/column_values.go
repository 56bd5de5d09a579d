package segment

import (
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
)

// AppendColumns appends to rec, what is stored of a document, the values that it has only in
// columns, in the form of stored ones: field by field in the order of Fields.
func (ds Documents) AppendColumns(rec []byte, doc uint32) ([]byte, error) {
	var room [8]int64
	for i := range ds.s.fields {
		f := &ds.s.fields[i]
		if f.Stored || !f.Column {
			continue
		}
		c, ok, err := ds.s.Field(i).Column()
		if err != nil {
			return rec, err
		}
		if !ok {
			continue
		}
		keys, err := c.Append(room[:0], doc)
		if err != nil {
			return rec, err
		}
		for _, key := range keys {
			v := schema.KeyValue(0, f.Kind, f.Unit, key)
			if f.Kind == schema.Keyword {
				b, err := c.Keyword(nil, key)
				if err != nil {
					return rec, err
				}
				v = schema.KeywordValue(0, b)
			}
			rec = record.Append(rec, f.ID, v)
		}
	}
	return rec, nil
}
