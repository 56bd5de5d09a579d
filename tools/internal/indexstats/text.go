package indexstats

import (
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Text returns the stored text of a document of s to show it: in an index with a schema, its
// values by the names of their fields in the manifest, or, without a manifest, in s.
func Text(s *segment.Segment, m *store.Manifest, stored []byte) ([]byte, error) {
	if s.Meta().Fields == 0 {
		return stored, nil
	}
	return record.AppendLines(nil, stored, func(id uint32) (*schema.Field, bool) {
		if m != nil {
			return m.Schema.ByID(id)
		}
		i, ok := s.FieldByID(id)
		if !ok {
			return nil, false
		}
		return &s.Fields()[i].Field, true
	})
}
