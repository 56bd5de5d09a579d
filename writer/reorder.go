package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/order"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/store"
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
// later come behind. More documents than a segment can hold stay in several, each
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
	m, err := newMerger(w, []*liveSegment{s})
	if err != nil {
		return nil, err
	}
	if err := s.checkSums(ctx); err != nil {
		return nil, err
	}
	to := order.Shuffle(m.docs, o.Seed)
	if o.Order == OrderBisection {
		if to, err = w.bisect(ctx, s.seg); err != nil {
			return nil, err
		}
	}
	lens, err := s.seg.DocLens()
	if err != nil {
		return nil, err
	}
	r := &reorderer{w: w, seg: s.seg, to: to, at: to.Inverse()}
	lengths := make([]uint32, m.docs)
	for doc, old := range r.at {
		lengths[doc] = lens.Get(old)
	}
	out, err := w.create(build.Options{
		Docs: m.docs, Lengths: []segment.LengthTable{segment.NewLengthTable(lengths)}, Stored: m.stored, ForeignLengths: m.foreign,
	})
	if err != nil {
		return nil, err
	}
	defer out.discardUnlessDone()
	if err := r.documents(ctx, out.builder); err != nil {
		return nil, err
	}
	if err := r.lists(ctx, m, out.builder); err != nil {
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

// reorderer writes a segment under a permutation.
type reorderer struct {
	w   *Writer
	seg *segment.Segment
	to  order.Permutation // by old docID
	at  order.Permutation // by new docID
}

// docRange is a number of documents: their ids and text back to back.
type docRange struct {
	from, to uint32 // new docIDs
	buf      []byte
	ends     []int // of id and text in turn
}

// What one job fetches: at most so many documents, and fewer if they are long.
const (
	documentsPerJob = 256
	textPerJob      = 256 << 10
)

// perJob returns how many documents a job fetches.
func (r *reorderer) perJob() int {
	var bytes int64
	for _, sec := range r.seg.Header().Sections {
		if sec.ID == format.SectionStored {
			bytes = sec.Length
		}
	}
	return max(1, min(documentsPerJob, int(textPerJob/(1+bytes/int64(len(r.at))))))
}

// documents adds all documents. Each is fetched from where it was, which is random
// access, so several goroutines do it.
func (r *reorderer) documents(ctx context.Context, b *build.Builder) error {
	threads, n := r.w.opts.Threads, r.perJob()
	return ordered(ctx, threads, 2*threads+2,
		func(_ context.Context, yield func(docRange) bool) error {
			for from := 0; from < len(r.at); from += n {
				to := min(from+n, len(r.at))
				if !yield(docRange{from: uint32(from), to: uint32(to)}) {
					break
				}
			}
			return nil
		},
		func() func(context.Context, docRange) (docRange, error) {
			var id, text []byte
			return func(_ context.Context, d docRange) (_ docRange, err error) {
				defer store.CatchFault(store.ArmFault(), &err)
				for _, old := range r.at[d.from:d.to] {
					if id, err = r.seg.ID(old, id); err != nil {
						return d, err
					}
					if text, err = r.seg.Stored(old, text); err != nil {
						return d, err
					}
					d.buf = append(d.buf, id...)
					d.ends = append(d.ends, len(d.buf))
					d.buf = append(d.buf, text...)
					d.ends = append(d.ends, len(d.buf))
				}
				return d, nil
			}
		},
		func(d docRange) error {
			at := 0
			for i := 0; i < len(d.ends); i += 2 {
				mid, end := d.ends[i], d.ends[i+1]
				if err := b.AddDoc(d.buf[at:mid], d.buf[mid:end]); err != nil {
					return err
				}
				at = end
			}
			return nil
		})
}

// lists writes all lists anew.
func (r *reorderer) lists(ctx context.Context, m *merger, b *build.Builder) error {
	threads := r.w.opts.Threads
	ahead := 2*threads + 2
	free := make(chan *mergeJob, ahead+2)
	progress := r.w.progress("reorder", m.total)
	err := ordered(ctx, threads, ahead,
		func(_ context.Context, yield func(*mergeJob) bool) error { return m.terms(free, yield) },
		func() func(context.Context, *mergeJob) (*mergeJob, error) {
			lw := reorderWorker{seg: r.seg, to: r.to, enc: b.NewListEncoder()}
			return lw.job
		},
		func(j *mergeJob) error {
			if err := j.appendTo(b); err != nil {
				return err
			}
			progress.add(j.postings)
			select {
			case free <- j:
			default:
			}
			return nil
		})
	progress.done()
	return err
}
