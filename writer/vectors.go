package writer

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// spaces returns what the vectors of each field have in common with those in other segments: the centre of the first one that has one other than
// the origin, and the clusters that were trained last.
func (w flushing) spaces() invert.Spaces {
	var all invert.Spaces
	for i := range w.opts.Schema.Fields {
		if f := &w.opts.Schema.Fields[i]; f.Kind == schema.Vector {
			if all == nil {
				all = invert.Spaces{}
			}
			all[f.ID] = w.space(f)
		}
	}
	return all
}

// space is spaces of one field.
func (w flushing) space(f *schema.Field) *build.Space {
	s := &build.Space{Guard: indexdir.Guard}
	for _, own := range w.segments {
		i, ok := own.seg.FieldByID(f.ID)
		if !ok || own.seg.Fields()[i].Vectors.Count == 0 {
			continue
		}
		if v := own.seg.Fields()[i].Vectors; s.Centre == nil && slices.ContainsFunc(v.Centre, func(c float32) bool { return c != 0 }) {
			s.Centre = v.Centre
		}
		if f.Clusters {
			s.Segments = append(s.Segments, own.seg)
		}
	}
	return s
}

// invertedVector is a vector of a document of an Inverted collection.
type invertedVector struct {
	doc    uint32
	values []float32
}

// writeVectors adds the vectors of all fields of the schema to b.
func (f *invertedFields) writeVectors(ctx context.Context, b *build.Builder, spaces invert.Spaces, threads int) error {
	for rank, all := range f.vectors {
		if len(all) == 0 {
			continue
		}
		err := b.EncodeVectors(ctx, rank, spaces.Of(f.all[rank].ID), threads, len(all), func(i int) (uint32, []float32) { return all[i].doc, all[i].values })
		if err != nil {
			return err
		}
	}
	return nil
}
