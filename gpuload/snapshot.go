package gpuload

import (
	"context"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// segmentsOf returns a snapshot's segments.
func segmentsOf(s *reader.Snapshot) ([]residency.Segment, error) {
	var segs []residency.Segment
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		segs = append(segs, residency.Segment{Seg: seg.Views(trusted.Caller{}), Base: seg.Base(), Deletes: d})
	}
	return segs, nil
}

// scorerFor returns the scorer of cpu, or the default scorer for a snapshot.
func scorerFor(s *reader.Snapshot, cpu query.Executor) (*query.Scorer, error) {
	if c, ok := cpu.(interface{ Scorer() *query.Scorer }); ok {
		return c.Scorer(), nil
	}
	return query.NewScorer(query.DefaultParams(), query.StatsOf(s))
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
	epoch := x.nextEpoch()
	missing, bare := x.lists.Find(wants, epoch)
	if err := x.lists.Mark(bare); err != nil {
		return err
	}
	return x.lists.Load(ctx, missing, x.oldest(epoch), epoch)
}
