package writer

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// MergeOptions say which segments a merge joins, and in which order the documents are then. The zero value joins all of
// them and drops deleted documents.
type MergeOptions struct {
	// Order is the order of the documents in what is merged. "" and OrderInput leave it as it is: documents follow in the order
	// of Add, or in that of Options.Order. With any other, all segments are joined, and MaxSegments above 1 is an error.
	Order Order
	// Seed selects one of the orders OrderRandom.
	Seed uint64
	// MaxSegments is how many segments may be left; 0 means 1. Only neighbors are
	// joined, the smallest first, so that documents keep their order. With more than 1,
	// which are joined depends on how far merges in the background have come.
	MaxSegments int
	// Purge also rewrites segments that are not joined but hold deleted documents, or values that were changed in place.
	// MaxSegments 1 implies it.
	Purge bool
	// Recode also rewrites segments that are not joined, so that every list has the
	// codecs set in the Writer's options.
	Recode bool
}

// Merge flushes, then joins segments. The next commit will hold the result. Merges in the background of the same segments are
// given up. If there are more documents than one segment can hold, they stay in several.
//
// A merge changes no answer, but for the order of documents with equal scores if it changes that of documents: external ids,
// lengths, stored text and scores stay. Documents that are added later follow in the order of Add. After a merge with an
// OrderField, they are sorted too, within their segments, and merges keep them sorted; the index records it, and a merge with
// OrderBisection or OrderRandom ends it. These take, in addition to the memory budget, 4 bytes for each posting and 65 for each
// document.
func (w *Writer) Merge(ctx context.Context, o MergeOptions) (stats MergeStats, err error) {
	ctx = orBackground(ctx)
	if err := w.pipe.failure(); err != nil {
		return stats, err
	}
	by, err := o.check(w.now())
	if err != nil {
		return stats, err
	}
	err = w.pipe.exclusive(ctx, func() error {
		if err := (flushing{w}).flush(ctx); err != nil {
			return err
		}
		if o.ordered() {
			return ordering{w}.mergeOrdered(ctx, o, by, &stats)
		}
		return merging{w}.mergeGroups(ctx, o, &stats)
	})
	return stats, err
}

// ordered reports whether o asks for another order of documents.
func (o *MergeOptions) ordered() bool { return o.Order != "" && o.Order != OrderInput }

// check returns the column that o sorts by in an index with schema s, if it does.
func (o *MergeOptions) check(s *schema.Schema) (by indexdir.Order, err error) {
	switch {
	case !o.ordered():
		return by, nil
	case o.MaxSegments > 1:
		return by, fmt.Errorf("%w: order %q makes one segment, not %d", ErrInvalid, o.Order, o.MaxSegments)
	case o.Order.permutes():
		return by, nil
	case o.Order.isField():
		return o.Order.ofField(s)
	}
	return by, fmt.Errorf("%w: unknown order %q", ErrInvalid, o.Order)
}

// mergeGroups merges the segments as they are, whatever is planned for the background: a
// plan may be paused, and what it leaves out is still there. replace gives up the plans of
// what it replaces.
func (w merging) mergeGroups(ctx context.Context, o MergeOptions, stats *MergeStats) error {
	most := max(o.MaxSegments, 1)
	for at, n := range groups(w.segments, most) { // each before at is one segment by now
		segments := w.segments[at : at+n]
		purge := o.Purge || most == 1
		if n == 1 && !o.Recode {
			if whole, err := segments[0].isWhole(); err != nil {
				return err
			} else if whole || !purge {
				continue
			}
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
func (w merging) replace(at, n int, with ...*liveSegment) {
	old := slices.Clone(w.segments[at : at+n])
	scheduling(w).cancelPlans(old)
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
