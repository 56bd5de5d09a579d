package writer

import (
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer/internal/lists"
	"github.com/pinion-index/pinion/writer/internal/reorder"
)

// fieldPrefix begins the Orders by fields.
const fieldPrefix = "field:"

// OrderField returns the order by the values in a field with a column: by the least of a document
// in ascending order, or by the greatest in descending order. Documents without a value come last,
// and equal ones stay as they were. It is "field:" or "field:-" followed by the name.
func OrderField(name string, desc bool) Order {
	if desc {
		name = "-" + name
	}
	return Order(fieldPrefix + name)
}

// Check returns why documents with a schema cannot be in order o. The error matches ErrInvalid.
func (o Order) Check(s *schema.Schema) error {
	if !o.isField() {
		return nil
	}
	_, err := o.ofField(s)
	return err
}

// ofField returns the column that o names in s.
func (o Order) ofField(s *schema.Schema) (of indexdir.Order, err error) {
	name, desc := strings.CutPrefix(strings.TrimPrefix(string(o), fieldPrefix), "-")
	f, ok := s.Field(name)
	switch {
	case !ok:
		return of, fmt.Errorf("%w: order %q: the index has no field %q", ErrInvalid, o, name)
	case !f.Column:
		return of, fmt.Errorf("%w: order %q: the field %q has no column", ErrInvalid, o, name)
	}
	return indexdir.Order{Field: f.ID, Desc: desc}, nil
}

// setOrderBy changes the order of documents in segments that are written from now on.
func (w ordering) setOrderBy(o indexdir.Order) {
	w.changed = w.changed || o != w.order
	w.keepOrder(o)
}

// keepOrder makes o the order of documents.
func (w ordering) keepOrder(o indexdir.Order) {
	w.order = o
	w.orderBy.Store(o.Field)
}

// sortSegments sorts the segments by the order of the index, as far as they are not.
func (w ordering) sortSegments(ctx context.Context, stats *MergeStats) error {
	for i, s := range w.segments {
		inputs := []*liveSegment{s}
		at, err := inOrder(ctx, inputs, w.order)
		if err == nil && at != nil {
			var result *liveSegment
			var did MergeStats
			result, err = merging(w).verified(ctx, inputs, check.Lengths|check.Lists|check.IDs, w.share(ctx), func(ctx context.Context) (s *liveSegment, err error) {
				s, did, err = w.writeReordered(ctx, inputs, at, w.share(ctx), "reorder")
				return s, err
			})
			if err == nil {
				merging(w).replace(i, 1, result)
				stats.add(did)
			}
		}
		if err != nil {
			return fmt.Errorf("ordering documents: %w", err)
		}
	}
	return nil
}

// isField reports whether o is by a field.
func (o Order) isField() bool { return strings.HasPrefix(string(o), fieldPrefix) }

// setOrder determines the order of documents in the index whose newest commit is m.
func (w ordering) setOrder(m *indexdir.Manifest) error {
	if w.keepOrder(m.Order); w.order.Field != 0 {
		if _, ok := w.opts.Schema.ByID(w.order.Field); !ok { // dropped
			w.keepOrder(indexdir.Order{})
		}
	}
	if w.opts.Order == "" {
		return nil
	}
	if !w.opts.Order.isField() {
		return fmt.Errorf("%w: order %q: documents that are added are sorted by a field, or not at all", ErrInvalid, w.opts.Order)
	}
	of, err := w.opts.Order.ofField(w.opts.Schema)
	if err != nil {
		return err
	}
	if of != w.order && len(m.Segments) > 0 {
		return fmt.Errorf("%w: order %q: the index has documents in another order, which Merge changes", ErrInvalid, w.opts.Order)
	}
	w.keepOrder(of)
	return nil
}

// sorted returns s, which has just been written and has no deleted documents, with its documents
// in the order of the index. On an error it drops s.
func (w ordering) sorted(ctx context.Context, s *liveSegment) (_ *liveSegment, err error) {
	of := w.share(ctx)
	if of.order.Field == 0 {
		return s, nil
	}
	inputs := []*liveSegment{s}
	at, err := inOrder(ctx, inputs, of.order)
	if err != nil || at == nil {
		if err != nil {
			w.drop(s)
		}
		return s, err
	}
	result, _, err := w.writeReordered(ctx, inputs, at, of, "reorder")
	w.drop(s)
	if err == nil {
		result.moves = nil
	}
	return result, err
}

// inOrder returns the live documents of segments in an order, nil if they are in it already, one
// segment after the other.
func inOrder(ctx context.Context, segments []*liveSegment, o indexdir.Order) (at []reorder.Doc, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return reorder.Sorted(ctx, reorderSources(segments), o.Field, o.Desc)
}

// reorderSources returns segments as sources of a Reorderer.
func reorderSources(segments []*liveSegment) []reorder.Source {
	out := make([]reorder.Source, len(segments))
	for i, s := range segments {
		out[i] = reorder.Source{Segment: s.seg, Deletes: s.deletes, Schema: s.foreign}
	}
	return out
}

// writeReordered writes the documents at, the live ones of segments, as one segment. Its moves say
// where they went.
func (w ordering) writeReordered(ctx context.Context, segments []*liveSegment, at []reorder.Doc, of share, stage string) (_ *liveSegment, stats MergeStats, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := reorder.New(reorderSources(segments), of.schema, at)
	options, err := r.Options()
	if err != nil {
		return nil, stats, err
	}
	out, err := w.create(options, of)
	if err != nil {
		return nil, stats, err
	}
	defer out.discardUnlessDone()
	postings, docs := uint64(0), uint64(0)
	for _, s := range segments {
		postings += s.info.Postings
		docs += uint64(s.info.Docs)
	}
	progress := w.progress(stage, postings)
	counts, err := r.Write(ctx, out.builder, lists.Options{Threads: of.opts.Threads, Ahead: 2*of.opts.Threads + 2, Progress: progress.advance})
	progress.done()
	if err != nil {
		return nil, stats, err
	}
	s, err := out.finish()
	if err != nil {
		return nil, stats, err
	}
	s.moves = r.Moves()
	return s, MergeStats{
		Sources: len(segments), Outputs: 1, Docs: uint64(s.info.Docs), Purged: docs - uint64(s.info.Docs), Postings: s.info.Postings,
		Copied: counts.Copied, Encoded: counts.Encoded, Reordered: uint64(s.info.Docs),
	}, nil
}
