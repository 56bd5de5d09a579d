package reader

import (
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// AppendValues appends the values that a document has in the column of the field: in ascending
// order, equal ones once. It appends nothing if the field has no column. Field of the values is the
// number in the schema. On an error it returns dst unchanged.
func (f *SnapshotField) AppendValues(dst []schema.Value, doc uint32) (values []schema.Value, err error) {
	if !f.desc.Column {
		return dst, f.s.Err()
	}
	seg, local, err := locate(f.s, doc)
	if err != nil {
		return dst, err
	}
	return seg.fieldOf(&f.desc, true).appendValues(dst, local, f.s.view.commit.Schema.Number(f.desc.Name))
}

// appendValues is SnapshotField.AppendValues of a document of the segment. The values are of a
// field with this number.
func (f Field) appendValues(dst []schema.Value, doc uint32, number int) (values []schema.Value, err error) {
	values = dst // also after a fault
	if err := f.seg.life.acquire(); err != nil {
		return values, err
	}
	defer f.seg.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.number < 0 {
		return dst, nil
	}
	c, ok, err := f.seg.views.Field(f.number).Column()
	if err != nil || !ok {
		return dst, err
	}
	return appendColumn(dst, c, f.Info().Field, doc, number)
}

// appendColumn appends the values of a document in c, the column of f.
func appendColumn(dst []schema.Value, c *segment.Column, f schema.Field, doc uint32, number int) ([]schema.Value, error) {
	var room [8]int64
	keys, err := c.Append(room[:0], doc)
	if err != nil {
		return dst, err
	}
	values := dst
	for _, key := range keys {
		if f.Kind != schema.Keyword {
			values = append(values, schema.KeyValue(number, f.Kind, f.Unit, key))
			continue
		}
		b, err := c.Keyword(nil, key)
		if err != nil {
			return dst, err
		}
		values = append(values, schema.KeywordValue(number, b))
	}
	return values, nil
}
