package segment

import (
	"slices"
	"sort"

	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
)

// Fields returns the fields in bytewise order of their names. That of the implicit schema has no name and the ID 0.
// The slice must not be modified.
func (s *Segment) Fields() []Field { return s.fields }

// Schema returns the schema of the fields as the segment has them: the implicit one if it records none.
func (s *Segment) Schema() *schema.Schema {
	x := &schema.Schema{Fields: make([]schema.Field, len(s.fields))}
	for i := range s.fields {
		x.Fields[i] = s.fields[i].Field
		if id := x.Fields[i].ID; id != 0 {
			x.NextID = max(x.NextID, id+1)
		}
	}
	return x
}

// FieldByID returns the number in Fields of the field with an id, and false if the segment does
// not have it.
func (s *Segment) FieldByID(id uint32) (int, bool) {
	i := slices.IndexFunc(s.fields, func(f Field) bool { return f.ID == id })
	return max(i, 0), i >= 0
}

// FieldOf returns the number in Fields of the field of e, an entry of s.
func (s *Segment) FieldOf(e Entry) int { return s.fieldOfBlock(int(e.Ordinal / layout.TermsPerBlock)) }

// fieldOfBlock returns the number of the field that has a block of the dictionary, the last one
// for blocks that do not exist.
func (s *Segment) fieldOfBlock(block int) int {
	if len(s.fields) == 1 {
		return 0
	}
	i := sort.Search(len(s.fields), func(i int) bool { return s.fields[i].FirstBlock+s.fields[i].Blocks > block })
	return min(i, len(s.fields)-1)
}

// FieldView is a view of what a segment has of one field.
type FieldView struct {
	s *Segment
	f int
}

// Field returns the view of field f of Fields, which must exist.
func (s *Segment) Field(f int) FieldView { return FieldView{s, f} }

// Info describes the field. It must not be modified.
func (v FieldView) Info() *Field { return &v.s.fields[v.f] }

// Segment returns the segment.
func (v FieldView) Segment() *Segment { return v.s }

// Number returns the field's number in Fields.
func (v FieldView) Number() int { return v.f }
