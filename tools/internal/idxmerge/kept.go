package idxmerge

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/salvage"
	"github.com/pinion-index/pinion/writer"
)

// kept is a field of a segment that its index has.
type kept struct {
	name   string // in the index
	number int    // in the segment
}

// keptOf returns the fields of s that the schema has, in bytewise order of their names there.
func keptOf(s *segment.Segment, of *schema.Schema) (all []kept) {
	for i, f := range s.Fields() {
		if now, ok := of.ByID(f.ID); ok {
			all = append(all, kept{now.Name, i})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.name, b.name) })
	return all
}

// fields returns what can be read of some fields of a segment.
func (r *Salvaged) fields(s *salvage.Source, fields []kept) writer.Inverted {
	in := writer.Inverted{Fields: make([]string, len(fields))}
	for i, f := range fields {
		in.Fields[i] = f.name
	}
	in.Docs = func(yield func(writer.InvertedDoc, error) bool) {
		var out writer.InvertedDoc
		for d := range s.Docs() {
			r.Docs++
			out.ID, out.Lens, out.Values = d.ID, out.Lens[:0], out.Values[:0]
			for _, f := range fields {
				out.Lens = append(out.Lens, d.Lens[f.number])
			}
			for _, v := range d.Values {
				if v.Field = slices.IndexFunc(fields, func(f kept) bool { return f.number == v.Field }); v.Field >= 0 {
					out.Values = append(out.Values, v)
				}
			}
			if !yield(out, nil) {
				return
			}
		}
	}
	in.Lists = func(yield func(writer.InvertedList, error) bool) {
		for i, f := range fields {
			for l, err := range r.lists(s.FieldLists(f.number), i) {
				if !yield(l, err) {
					return
				}
			}
		}
	}
	return in
}
