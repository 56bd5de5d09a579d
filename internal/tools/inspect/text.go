package inspect

import (
	"slices"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Text returns the stored text of a document of s to show it: in an index with a schema, its
// values by the names of their fields in the manifest, or, without a manifest, in s; those only in
// columns last.
func Text(s *segment.Segment, m *indexdir.Manifest, doc uint32, stored []byte) ([]byte, error) {
	if s.Meta().Fields == 0 {
		return stored, nil
	}
	rec, err := s.Documents().AppendColumns(slices.Clip(stored), doc)
	if err != nil {
		return nil, err
	}
	return record.AppendLines(nil, rec, fieldsOf(s, m))
}

// fieldsOf returns a function that knows the fields of s.
func fieldsOf(s *segment.Segment, m *indexdir.Manifest) func(id uint32) (*schema.Field, bool) {
	if m != nil {
		return m.Schema.ByID
	}
	return func(id uint32) (*schema.Field, bool) {
		i, ok := s.FieldByID(id)
		if !ok {
			return nil, false
		}
		return &s.Fields()[i].Field, true
	}
}

// FieldValue is a value of a document.
type FieldValue struct {
	Field *schema.Field
	Value schema.Value
}

// Values returns what is stored of a document of s, in the order in which it was added, and then
// what is only in columns: its values, or, without a schema, its text, as that of a field without a
// name.
func Values(s *segment.Segment, m *indexdir.Manifest, doc uint32, stored []byte) (all []FieldValue, err error) {
	if s.Meta().Fields == 0 {
		return []FieldValue{{&s.Fields()[0].Field, schema.TextValue(0, stored)}}, nil
	}
	if stored, err = s.Documents().AppendColumns(slices.Clip(stored), doc); err != nil {
		return nil, err
	}
	field := fieldsOf(s, m)
	for len(stored) > 0 {
		var v record.Stored
		if v, stored, err = record.Next(stored); err != nil {
			return nil, err
		}
		f, ok := field(v.ID)
		if !ok {
			continue // dropped
		}
		x, err := v.Value(0, f.Kind)
		if err != nil {
			return nil, err
		}
		all = append(all, FieldValue{f, x})
	}
	return all, nil
}
