package indexdir

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/schema"
)

// refuseFields returns why a segment cannot enter because of its fields, or "". Fields that no
// readable manifest tells of are taken from segments, of which the newest come first: a field has
// the name that it has there.
func (r *Recovery) refuseFields(f *FileState) string {
	m := r.Manifest
	for i := range f.fields {
		x := &f.fields[i]
		if is, ok := m.Schema.ByID(x.ID); ok && !sameField(x, is) {
			return fmt.Sprintf("its field %q, with id %d, is not as in the index", x.Name, x.ID)
		}
	}
	for _, x := range f.fields {
		if _, ok := m.Schema.ByID(x.ID); ok || x.ID < r.toldFields {
			continue // known, or dropped
		}
		m.Schema.NextID = max(m.Schema.NextID, x.ID+1)
		if m.Schema.Number(x.Name) >= 0 {
			continue // dropped before another field got its name
		}
		m.Schema.Fields = append(m.Schema.Fields, x)
		if x.Indexing() != schema.IndexNone {
			lost := "k1, b and weight of field %q are lost; the defaults take their place"
			if x.Kind == schema.Text && !x.Stored {
				lost = "k1, b and weight of field %q are lost, and whether it has the values of another field; the defaults take their place"
			}
			if x.Kind == schema.Impacts {
				lost = "the scale of field %q is lost; 1 takes its place"
			}
			r.Notes = append(r.Notes, Dropped{f.Name, fmt.Sprintf(lost, x.Name)})
		}
	}
	told := 0 // fields of the manifest, whose order stays
	for told < len(m.Schema.Fields) && m.Schema.Fields[told].ID < r.toldFields {
		told++
	}
	slices.SortFunc(m.Schema.Fields[told:], func(a, b schema.Field) int { return cmp.Compare(a.ID, b.ID) })
	return ""
}
