package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/writer/internal/reorder"
)

// Order is a way to order the documents of a segment.
type Order string

// Orders of documents.
const (
	OrderInput     Order = "input"  // as they were added
	OrderBisection Order = "bp"     // documents that share terms next to each other, by recursive graph bisection
	OrderRandom    Order = "random" // shuffled
)

// mergeOrdered joins all segments with their documents in the order that o asks for, and by is what it sorts by.
func (w ordering) mergeOrdered(ctx context.Context, o MergeOptions, by indexdir.Order, stats *MergeStats) (err error) {
	before := w.order
	w.setOrderBy(by) // merges sort by it
	defer func() {
		if err != nil && by != before {
			w.keepOrder(indexdir.Order{}) // some segments have been sorted, some not
		}
	}()
	if by.Field == 0 {
		return w.permuteGroups(ctx, o, stats)
	}
	if err := merging(w).mergeGroups(ctx, o, stats); err != nil {
		return err
	}
	return w.sortSegments(ctx, stats)
}

// permutes reports whether o is an order of one segment that a permutation makes.
func (o Order) permutes() bool { return o == OrderBisection || o == OrderRandom }

// permuteGroups joins the segments, as mergeGroups does, with their documents in another order.
func (w ordering) permuteGroups(ctx context.Context, o MergeOptions, stats *MergeStats) error {
	for at, n := range groups(w.segments, 1) { // each before at is one segment by now
		segments := w.segments[at : at+n]
		whole := n == 1 && segments[0].deleted() == 0
		if whole && segments[0].info.Docs < 2 {
			continue
		}
		result, merged, err := w.permuted(ctx, segments, o)
		if err != nil {
			return fmt.Errorf("ordering documents: %w", err)
		}
		stats.add(merged)
		merging(w).replace(at, n, result)
	}
	return nil
}

// permuted returns a segment of the live documents of others in another order.
func (w ordering) permuted(ctx context.Context, segments []*liveSegment, o MergeOptions) (result *liveSegment, merged MergeStats, err error) {
	docs := 0
	for _, s := range segments {
		docs += int(s.info.Docs - s.deleted())
	}
	if docs < 2 {
		return merging(w).merge(ctx, segments, w.share(ctx))
	}
	result, err = merging(w).verified(ctx, segments, check.Lengths|check.Lists|check.IDs, w.share(ctx), func(ctx context.Context) (s *liveSegment, err error) {
		s, merged, err = w.permute(ctx, segments, o)
		return s, err
	})
	return result, merged, err
}

// permute writes the live documents of segments in another order.
func (w ordering) permute(ctx context.Context, segments []*liveSegment, o MergeOptions) (_ *liveSegment, _ MergeStats, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	sources := reorderSources(segments)
	at := reorder.Live(sources)
	to := order.Shuffle(uint32(len(at)), o.Seed)
	if o.Order == OrderBisection {
		if to, err = w.bisect(ctx, uint32(len(at)), reorder.New(sources, w.opts.Schema, at).Lists(order.DefaultMinDF)); err != nil {
			return nil, MergeStats{}, err
		}
	}
	return w.writeReordered(ctx, segments, reorder.Permuted(at, to), w.share(ctx), "reorder")
}

// bisect returns the order OrderBisection.
func (w ordering) bisect(ctx context.Context, docs uint32, lists order.Lists) (order.Permutation, error) {
	progress := w.opts.Progress
	report := func(done, total uint64) {}
	if progress != nil {
		report = func(done, total uint64) { progress(Progress{Stage: "order", Done: done, Total: total}) }
	}
	return order.Bisect(ctx, docs, lists, order.Options{Threads: w.opts.Threads, Progress: report})
}
