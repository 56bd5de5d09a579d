package writer

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/segment"
)

// MergeOptions select the segments that Merge joins. The zero value joins all of
// them and drops deleted documents.
type MergeOptions struct {
	// MaxSegments is how many segments may be left; 0 means 1. Only neighbors are
	// joined, the smallest first, so that documents keep their order. With more than 1,
	// which are joined depends on how far merges in the background have come.
	MaxSegments int
	// Purge also rewrites segments that are not joined but hold deleted documents.
	// MaxSegments 1 implies it.
	Purge bool
	// Recode also rewrites segments that are not joined, so that every list has the
	// codecs set in the Writer's options.
	Recode bool
}

// Merge flushes, then joins segments. The next commit will hold the result. A merge
// changes no answer. Merges in the background of the same segments are given up.
func (w *Writer) Merge(ctx context.Context, o MergeOptions) (MergeStats, error) {
	ctx = orBackground(ctx)
	var stats MergeStats
	err := w.pipe.exclusive(ctx, func() error {
		if err := w.flush(ctx); err != nil {
			return err
		}
		return w.mergeGroups(ctx, o, &stats)
	})
	return stats, err
}

// mergeGroups merges the segments as they are, whatever is planned for the background: a
// plan may be paused, and what it leaves out is still there. replace gives up the plans of
// what it replaces.
func (w *Writer) mergeGroups(ctx context.Context, o MergeOptions, stats *MergeStats) error {
	most := max(o.MaxSegments, 1)
	for at, n := range groups(w.segments, most) { // each before at is one segment by now
		segments := w.segments[at : at+n]
		purge := (o.Purge || most == 1) && segments[0].deleted() > 0
		if n == 1 && !purge && !o.Recode {
			continue
		}
		merged, s, err := w.merge(ctx, segments, w.share(ctx))
		if err != nil {
			return fmt.Errorf("merging segments, %d of them: %w", n, err)
		}
		stats.add(s)
		w.replace(at, n, merged)
	}
	return nil
}

// replace replaces the n segments from index at on with others, which the next commit will
// hold.
func (w *Writer) replace(at, n int, with ...*liveSegment) {
	old := slices.Clone(w.segments[at : at+n])
	w.cancelPlans(old)
	w.segments = slices.Replace(w.segments, at, at+n, with...)
	for _, s := range with {
		s.moves = nil
	}
	for _, s := range old {
		w.drop(s)
	}
	w.changed = true
}

// groups partitions segments into at most `most` runs of neighbors and returns their
// lengths. It joins the two neighbors with the fewest tokens together until few enough
// are left. Segments without live documents can always be joined.
func groups(segments []*liveSegment, most int) []int {
	type group struct {
		n            int
		docs, tokens uint64
	}
	var gs []group
	for _, s := range segments {
		gs = append(gs, group{1, uint64(s.info.Docs - s.deleted()), s.info.Tokens})
	}
	for len(gs) > most {
		best := -1
		for i := range len(gs) - 1 {
			if gs[i].docs+gs[i+1].docs <= segment.MaxDocs &&
				(best < 0 || gs[i].tokens+gs[i+1].tokens < gs[best].tokens+gs[best+1].tokens) {
				best = i
			}
		}
		if best < 0 {
			break // no two fit one segment
		}
		gs[best] = group{gs[best].n + gs[best+1].n, gs[best].docs + gs[best+1].docs, gs[best].tokens + gs[best+1].tokens}
		gs = append(gs[:best+1], gs[best+2:]...)
	}
	lens := make([]int, len(gs))
	for i, g := range gs {
		lens[i] = g.n
	}
	return lens
}
