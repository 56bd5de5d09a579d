package writer

import (
	"slices"

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
