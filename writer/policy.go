package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/segment"
)

// MergeOptions select the segments that Merge joins. The zero value joins all of
// them and drops deleted documents.
type MergeOptions struct {
	// MaxSegments is how many segments may be left; 0 means 1. Only neighbors are
	// joined, the smallest first, so that documents keep their order.
	MaxSegments int
	// Purge also rewrites segments that are not joined but hold deleted documents.
	// MaxSegments 1 implies it.
	Purge bool
	// Recode also rewrites segments that are not joined, so that every list has the
	// codecs set in the Writer's options.
	Recode bool
}

// Merge flushes, then joins segments. The next commit will hold the result. A merge
// changes no answer.
func (w *Writer) Merge(ctx context.Context, o MergeOptions) (MergeStats, error) {
	var stats MergeStats
	err := w.pipe.exclusive(ctx, func() error {
		if err := w.flush(ctx); err != nil {
			return err
		}
		return w.mergeGroups(ctx, o, &stats)
	})
	return stats, err
}

func (w *Writer) mergeGroups(ctx context.Context, o MergeOptions, stats *MergeStats) error {
	most := max(o.MaxSegments, 1)
	at := 0
	for _, n := range w.groups(most) {
		group := w.segments[at : at+n]
		purge := (o.Purge || most == 1) && group[0].deleted() > 0
		if n == 1 && !purge && !o.Recode {
			at++
			continue
		}
		merged, s, err := w.merge(ctx, group)
		if err != nil {
			return fmt.Errorf("merging %d segments: %w", n, err)
		}
		stats.add(s)
		w.replace(at, n, merged)
		at++
	}
	return nil
}

// replace replaces the n segments from index at on with s.
func (w *Writer) replace(at, n int, s *liveSegment) {
	for _, old := range w.segments[at : at+n] {
		w.drop(old)
	}
	rest := append([]*liveSegment{s}, w.segments[at+n:]...)
	w.segments = append(w.segments[:at:at], rest...)
	w.changed = true
}

// groups partitions the segments into at most `most` runs of neighbors and returns
// their lengths. It joins the two neighbors with the fewest postings together until
// few enough are left. Segments without live documents can always be joined.
func (w *Writer) groups(most int) []int {
	type group struct {
		n        int
		docs     uint64
		postings uint64
	}
	var gs []group
	for _, s := range w.segments {
		gs = append(gs, group{1, uint64(s.info.Docs - s.deleted()), s.info.Postings})
	}
	for len(gs) > most {
		best := -1
		for i := range len(gs) - 1 {
			if gs[i].docs+gs[i+1].docs <= segment.MaxDocs &&
				(best < 0 || gs[i].postings+gs[i+1].postings < gs[best].postings+gs[best+1].postings) {
				best = i
			}
		}
		if best < 0 {
			break // no two fit one segment
		}
		gs[best] = group{gs[best].n + gs[best+1].n, gs[best].docs + gs[best+1].docs, gs[best].postings + gs[best+1].postings}
		gs = append(gs[:best+1], gs[best+2:]...)
	}
	lens := make([]int, len(gs))
	for i, g := range gs {
		lens[i] = g.n
	}
	return lens
}
