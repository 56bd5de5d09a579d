package writer

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/store"
)

// DeleteWhere deletes the documents that pass a filter, those added before this call
// included, and returns how many: all of them or, with an error, none. It flushes. A segment
// whose documents all pass, as it can tell from the bounds of its columns, leaves the index with the next
// commit, and only its bounds are read. The error for a filter that does not fit the index
// matches filter.ErrInvalid, and the Writer remains usable.
func (w *Writer) DeleteWhere(ctx context.Context, f filter.Filter) (uint64, error) {
	return w.where(orBackground(ctx), f, true)
}

// CountWhere returns how many documents DeleteWhere would delete. It flushes too.
func (w *Writer) CountWhere(ctx context.Context, f filter.Filter) (uint64, error) {
	return w.where(orBackground(ctx), f, false)
}

// where counts the documents that pass f, and deletes them.
func (w *Writer) where(ctx context.Context, f filter.Filter, del bool) (n uint64, err error) {
	var bad error
	err = w.pipe.exclusive(ctx, func() error {
		var c *filter.Compiled
		if c, bad = filter.Compile(trusted.Caller{}, w.opts.Schema, f); bad != nil {
			return nil
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
		doomed := make([]*roaring.Bitmap, len(w.segments))
		for i, s := range w.segments {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if doomed[i], err = s.where(c); err != nil {
				return fmt.Errorf("looking for documents to delete: %w", err)
			}
			n += doomed[i].GetCardinality()
		}
		if !del {
			return nil
		}
		for i, s := range w.segments {
			s.deleteAll(doomed[i])
		}
		return nil
	})
	if err = errors.Join(bad, err); err != nil {
		return 0, err
	}
	return n, nil
}

// where returns the documents of s that pass c and are not deleted.
func (s *liveSegment) where(c *filter.Compiled) (docs *roaring.Bitmap, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	set, err := c.Eval(trusted.Caller{}, s.seg)
	if err != nil {
		return nil, err
	}
	docs = bitmapOf(set, s.info.Docs)
	if s.deletes != nil {
		docs.AndNot(s.deletes)
	}
	return docs, nil
}

// bitmapOf returns a set of documents of a segment of that many as a bitmap.
func bitmapOf(set *docset.Set, docs uint32) *roaring.Bitmap {
	if lo, hi := set.Bounds(); set.Whole(lo, hi) {
		b := roaring.New()
		b.AddRange(uint64(lo), uint64(hi))
		return b
	}
	words := make([]uint64, (uint64(docs)+63)/64)
	set.Or(words, 0)
	return roaring.FromDense(words, true)
}

// deleteAll deletes documents that are not deleted yet.
func (s *liveSegment) deleteAll(docs *roaring.Bitmap) {
	switch {
	case docs.IsEmpty():
		return
	case s.deletes == nil:
		s.deletes = docs
	default:
		s.deletes.Or(docs)
	}
	s.dirty = true
}
