package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/order"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/merge"
	"github.com/pinion-index/pinion/writer/internal/reorder"
)

// Order is an order of the documents of a segment.
type Order string

// Orders of documents.
const (
	OrderInput     Order = "input"  // as they were added
	OrderBisection Order = "bp"     // documents that share terms together, by recursive graph bisection
	OrderRandom    Order = "random" // shuffled
)

// ReorderOptions say how Reorder numbers documents.
type ReorderOptions struct {
	Order Order  // "" means OrderInput
	Seed  uint64 // of OrderRandom
}

// ReorderStats says what Reorder did.
type ReorderStats struct {
	Merge    MergeStats // of joining the segments first
	Segments int        // that were written in another order
	Docs     uint64     // in them
	Postings uint64     // in them
}

// Reorder flushes, joins all segments into one, drops deleted documents and gives
// the others new docIDs; with OrderInput it does nothing. The next commit will hold
// the result. External ids, lengths, stored text and scores stay as they are: answers
// change only in the order of documents of equal score. Documents that are added
// later follow. More documents than a segment can hold stay in several, each
// ordered by itself.
//
// Besides what Merge holds it takes 4 bytes for each posting and 48 for each document,
// whatever the memory budget.
func (w *Writer) Reorder(ctx context.Context, o ReorderOptions) (ReorderStats, error) {
	var stats ReorderStats
	switch o.Order {
	case "", OrderInput:
		return stats, nil
	case OrderBisection, OrderRandom:
	default:
		return stats, fmt.Errorf("writer: unknown order %q", o.Order)
	}
	err := w.pipe.exclusive(ctx, func() error {
		if err := w.flush(ctx); err != nil {
			return err
		}
		if err := w.mergeGroups(ctx, MergeOptions{MaxSegments: 1}, &stats.Merge); err != nil {
			return err
		}
		for i, s := range w.segments {
			if s.info.Docs < 2 {
				continue
			}
			result, err := w.reorder(ctx, s, o)
			if err != nil {
				return fmt.Errorf("ordering documents: %w", err)
			}
			w.replace(i, 1, result)
			stats.Segments++
			stats.Docs += uint64(result.info.Docs)
			stats.Postings += result.info.Postings
		}
		return nil
	})
	return stats, err
}

// reorder writes the documents of s, none of which is deleted, in another order.
func (w *Writer) reorder(ctx context.Context, s *liveSegment, o ReorderOptions) (_ *liveSegment, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if err := w.checkAnalyzer(s); err != nil {
		return nil, err
	}
	if err := merge.CheckSums(ctx, s.seg); err != nil {
		return nil, err
	}
	to := order.Shuffle(s.info.Docs, o.Seed)
	if o.Order == OrderBisection {
		if to, err = w.bisect(ctx, s.seg); err != nil {
			return nil, err
		}
	}
	r := reorder.New(s.seg, to)
	options, err := r.Options()
	if err != nil {
		return nil, err
	}
	out, err := w.create(options)
	if err != nil {
		return nil, err
	}
	defer out.discardUnlessDone()
	progress := w.progress("reorder", s.info.Postings)
	err = r.Write(ctx, out.builder, w.opts.Threads, progress.add)
	progress.done()
	if err != nil {
		return nil, err
	}
	return out.finish()
}

// bisect finds the order that OrderBisection is.
func (w *Writer) bisect(ctx context.Context, s *segment.Segment) (order.Permutation, error) {
	progress := w.opts.Progress
	report := func(done, total uint64) {}
	if progress != nil {
		report = func(done, total uint64) { progress(Progress{Stage: "order", Done: done, Total: total}) }
	}
	return order.Bisect(ctx, s.Meta().Docs, order.SegmentLists(s, order.DefaultMinDF),
		order.Options{Threads: w.opts.Threads, Progress: report})
}
