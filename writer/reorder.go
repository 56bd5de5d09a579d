package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/order"
	"github.com/pinion-index/pinion/segment/check"
	"github.com/pinion-index/pinion/store"
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

// ReorderOptions select the order for Reorder.
type ReorderOptions struct {
	Order Order  // "" means OrderInput; OrderField is one too
	Seed  uint64 // for OrderRandom
}

// ReorderStats are statistics of Reorder.
type ReorderStats struct {
	Merge    MergeStats // of joining the segments
	Segments int        // segments that were reordered
	Docs     uint64     // documents in these segments
	Postings uint64     // postings in these segments
}

// Reorder flushes, joins all segments into one, drops deleted documents and gives
// the others new docIDs; with OrderInput it does nothing. The next commit will hold
// the result. External ids, lengths, stored text and scores do not change: answers
// differ only in the order of documents with equal scores. Documents added later
// follow in the order of Add. If there are more documents than one segment can
// hold, they stay in several segments, each reordered by itself.
//
// With OrderField, documents added later are sorted too, within their segments, and merges
// keep them sorted; the index records it, and other orders end it.
//
// In addition to the memory of Merge it takes 4 bytes for each posting and 65 for
// each document, regardless of the memory budget.
func (w *Writer) Reorder(ctx context.Context, o ReorderOptions) (ReorderStats, error) {
	ctx = orBackground(ctx)
	var stats ReorderStats
	if err := w.pipe.failure(); err != nil {
		return stats, err
	}
	by := store.Order{}
	switch {
	case o.Order == "" || o.Order == OrderInput:
		return stats, nil
	case o.Order.permutes():
	case o.Order.isField():
		var err error
		if by, err = o.Order.ofField(w.opts.Schema); err != nil {
			return stats, err
		}
	default:
		return stats, fmt.Errorf("writer: unknown order %q", o.Order)
	}
	err := w.pipe.exclusive(ctx, func() (err error) {
		if err := w.flush(ctx); err != nil {
			return err
		}
		before := w.order
		w.setOrderBy(by) // merges sort by it
		defer func() {
			if err != nil && by != before {
				w.order = store.Order{} // some segments have been sorted, some not
			}
		}()
		if by.Field == 0 {
			return w.permuteGroups(ctx, o, &stats)
		}
		if err := w.mergeGroups(ctx, MergeOptions{MaxSegments: 1}, &stats.Merge); err != nil {
			return err
		}
		return w.sortSegments(ctx, &stats)
	})
	return stats, err
}

// permutes reports whether o is an order of one segment that a permutation makes.
func (o Order) permutes() bool { return o == OrderBisection || o == OrderRandom }

// permuteGroups joins the segments, as mergeGroups does, with their documents in another order.
func (w *Writer) permuteGroups(ctx context.Context, o ReorderOptions, stats *ReorderStats) error {
	for at, n := range groups(w.segments, 1) { // each before at is one segment by now
		segments := w.segments[at : at+n]
		whole := n == 1 && segments[0].deleted() == 0
		if whole && segments[0].info.Docs < 2 {
			continue
		}
		result, merged, err := w.permuted(ctx, segments, o, stats)
		if err != nil {
			return fmt.Errorf("ordering documents: %w", err)
		}
		if !whole {
			stats.Merge.add(merged)
		}
		w.replace(at, n, result)
	}
	return nil
}

// permuted returns a segment of the live documents of others in another order.
func (w *Writer) permuted(ctx context.Context, segments []*liveSegment, o ReorderOptions, stats *ReorderStats) (result *liveSegment, merged MergeStats, err error) {
	docs := 0
	for _, s := range segments {
		docs += int(s.info.Docs - s.deleted())
	}
	if docs < 2 {
		return w.merge(ctx, segments, w.share(ctx))
	}
	result, err = w.verified(ctx, segments, check.Lengths|check.Lists|check.IDs, w.opts.Threads, func(ctx context.Context) (s *liveSegment, err error) {
		s, merged, err = w.permute(ctx, segments, o)
		return s, err
	})
	if err == nil {
		stats.Segments++
		stats.Docs += uint64(result.info.Docs)
		stats.Postings += result.info.Postings
	}
	return result, merged, err
}

// permute writes the live documents of segments in another order.
func (w *Writer) permute(ctx context.Context, segments []*liveSegment, o ReorderOptions) (_ *liveSegment, _ MergeStats, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
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
func (w *Writer) bisect(ctx context.Context, docs uint32, lists order.Lists) (order.Permutation, error) {
	progress := w.opts.Progress
	report := func(done, total uint64) {}
	if progress != nil {
		report = func(done, total uint64) { progress(Progress{Stage: "order", Done: done, Total: total}) }
	}
	return order.Bisect(ctx, docs, lists, order.Options{Threads: w.opts.Threads, Progress: report})
}
