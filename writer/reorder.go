package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/order"
	"github.com/pinion-index/pinion/segment"
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
	Merge    MergeStats // of joining the segments first
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
// In addition to the memory of Merge it takes 4 bytes for each posting and 48 for
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
	case o.Order == OrderBisection || o.Order == OrderRandom:
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
		if err := w.mergeGroups(ctx, MergeOptions{MaxSegments: 1}, &stats.Merge); err != nil {
			return err
		}
		if by.Field != 0 {
			return w.sortSegments(ctx, &stats)
		}
		for i, s := range w.segments {
			if s.info.Docs < 2 {
				continue
			}
			result, err := w.verified(ctx, []*liveSegment{s}, check.Lengths|check.Lists|check.IDs, w.opts.Threads, func(ctx context.Context) (*liveSegment, error) {
				return w.permute(ctx, s, o)
			})
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

// permute writes the documents of s in another order. None of them may be deleted.
func (w *Writer) permute(ctx context.Context, s *liveSegment, o ReorderOptions) (_ *liveSegment, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if n := s.deleted(); n > 0 {
		return nil, fmt.Errorf("writer: %s holds %d deleted documents, which reordering would bring back", s.seg.Name(), n)
	}
	to := order.Shuffle(s.info.Docs, o.Seed)
	if o.Order == OrderBisection {
		if to, err = w.bisect(ctx, s.seg); err != nil {
			return nil, err
		}
	}
	result, _, err := w.writeReordered(ctx, []*liveSegment{s}, reorder.Permuted(to), w.share(ctx), "reorder")
	return result, err
}

// bisect returns the order OrderBisection.
func (w *Writer) bisect(ctx context.Context, s *segment.Segment) (order.Permutation, error) {
	progress := w.opts.Progress
	report := func(done, total uint64) {}
	if progress != nil {
		report = func(done, total uint64) { progress(Progress{Stage: "order", Done: done, Total: total}) }
	}
	return order.Bisect(ctx, s.Meta().Docs, order.SegmentLists(s, order.DefaultMinDF),
		order.Options{Threads: w.opts.Threads, Progress: report})
}
