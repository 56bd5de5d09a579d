package gpuload

import (
	"context"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// SegmentsOf returns a snapshot's segments for New, and its statistics for
// query.NewScorer. The snapshot must stay open as long as they are used.
func SegmentsOf(s *reader.Snapshot) ([]Segment, query.Stats, error) {
	var out []Segment
	st := query.StatsOf(s)
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		if err != nil {
			return nil, st, err
		}
		v := Segment{Segment: seg.Segment, Base: seg.Base}
		if d.Count() > 0 {
			v.Deletes = d.Bits()
		}
		out = append(out, v)
	}
	return out, st, nil
}

// LoadAll makes all lists resident, in the order of the files, as far as they fit.
func (x *Executor) LoadAll(ctx context.Context) error {
	var wants []*want
	for i := range x.segments {
		it := x.segments[i].Segment.Terms()
		for it.Next() {
			if e := it.Entry(); e.Kind == segment.KindExtent {
				wants = append(wants, &want{key: Key{i, e.Offset}, entry: e})
			}
		}
		if err := it.Err(); err != nil {
			return err
		}
	}
	x.mu.Lock()
	x.epoch++
	epoch := x.epoch
	x.mu.Unlock()
	missing, bare := x.lists.find(wants, epoch)
	if err := x.lists.mark(bare); err != nil {
		return err
	}
	return x.lists.load(ctx, missing, x.oldest(epoch), epoch)
}
