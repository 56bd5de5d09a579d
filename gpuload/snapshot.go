package gpuload

import (
	"context"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// segmentsOf returns a snapshot's segments, with what they have of fields unless the index has no schema.
func segmentsOf(s *reader.Snapshot, fields ...field) ([]residency.Segment, error) {
	var segs []residency.Segment
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		own := residency.Segment{Seg: seg.Views(trusted.Caller{}), Base: seg.Base(), Deletes: d}
		for _, f := range fields {
			if n, ok := own.Seg.FieldByID(f.id); !ok {
				own.Fields = append(own.Fields, -1)
			} else if f.name != "" {
				own.Fields = append(own.Fields, n)
			}
		}
		segs = append(segs, own)
	}
	return segs, nil
}

// LoadAll makes lists resident, in file order, until no more fit. It is optional: an
// Executor loads the lists that its queries need.
func (x *Executor) LoadAll(ctx context.Context) (err error) {
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	ctx = orBackground(ctx)
	if err := x.await(ctx); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	var wants []*residency.Want
	for i := range x.views {
		err := x.views[i].EachTerm(func(parts []residency.ListPart, n uint32) {
			if w, ok := x.views[i].WantOf(parts, n); ok {
				wants = append(wants, &w)
			}
		})
		if err != nil {
			return err
		}
	}
	if err := x.loadImpacts(ctx); err != nil {
		return err
	}
	epoch := x.nextEpoch()
	missing, bare := x.lists.Find(wants, epoch)
	if err := x.lists.Mark(bare); err != nil {
		return err
	}
	return x.lists.Load(ctx, missing, x.oldest(epoch), epoch)
}
