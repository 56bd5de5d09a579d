package writer

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// centres returns the centre that the vectors of each field have in the first segment whose is not the origin.
func (w flushing) centres() invert.Centres {
	var all invert.Centres
	for _, s := range w.segments {
		for i := range s.seg.Fields() {
			f := &s.seg.Fields()[i]
			if f.Kind != schema.Vector || f.Vectors.Count == 0 || all[f.ID] != nil {
				continue
			}
			if slices.ContainsFunc(f.Vectors.Centre, func(c float32) bool { return c != 0 }) {
				if all == nil {
					all = invert.Centres{}
				}
				all[f.ID] = f.Vectors.Centre
			}
		}
	}
	return all
}

// invertedVector is a vector of a document of an Inverted collection.
type invertedVector struct {
	doc    uint32
	values []float32
}

// writeVectors adds the vectors of all fields of the schema to b.
func (f *invertedFields) writeVectors(ctx context.Context, b *build.Builder, centres invert.Centres, threads int) error {
	for rank, all := range f.vectors {
		if len(all) == 0 {
			continue
		}
		err := b.EncodeVectors(ctx, rank, centres[f.all[rank].ID], threads, len(all), func(i int) (uint32, []float32) { return all[i].doc, all[i].values })
		if err != nil {
			return err
		}
	}
	return nil
}
