package gpuload

import (
	"context"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// viewsOf returns a snapshot's segments.
func viewsOf(s *reader.Snapshot) ([]view, error) {
	var views []view
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, err
		}
		views = append(views, view{seg: seg.Views, base: seg.Base, deletes: d})
	}
	return views, nil
}

// scorerFor returns the scorer of cpu, or the default scorer for a snapshot.
func scorerFor(s *reader.Snapshot, cpu query.Executor) (*query.Scorer, error) {
	if c, ok := cpu.(interface{ Scorer() *query.Scorer }); ok {
		return c.Scorer(), nil
	}
	return query.NewScorer(query.DefaultParams, query.StatsOf(s))
}

// LoadAll makes lists resident, in file order, until no more fit. It is optional: an
// Executor loads the lists that its queries need.
func (x *Executor) LoadAll(ctx context.Context) (err error) {
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	if err := x.await(ctx); err != nil {
		return err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	var wants []*want
	for i := range x.views {
		it := x.views[i].seg.Terms()
		for it.Next() {
			if e := it.Entry(); e.Kind == segment.KindExtent {
				wants = append(wants, &want{key: Key{i, e.Offset}, entry: e})
			}
		}
		if err := it.Err(); err != nil {
			return err
		}
	}
	epoch := x.nextEpoch()
	missing, bare := x.lists.find(wants, epoch)
	if err := x.lists.mark(bare); err != nil {
		return err
	}
	return x.lists.load(ctx, missing, x.oldest(epoch), epoch)
}
