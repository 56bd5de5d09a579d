package writer

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// DeleteWhere deletes the documents that match a node, which says nothing but what columns and ids know, those added before this call
// included, and returns how many: all of them or, with an error, none. It flushes. A segment
// whose documents all pass, as it can tell from the bounds of its columns, leaves the index with the next
// commit, and only its bounds are read. The error for a node that does not fit the index
// matches store.ErrInvalid, and the Writer remains usable.
func (w *Writer) DeleteWhere(ctx context.Context, n query.Node) (uint64, error) {
	return changing{w}.whereNode(orBackground(ctx), n, true)
}

// CountWhere returns how many documents DeleteWhere would delete. It flushes too.
func (w *Writer) CountWhere(ctx context.Context, n query.Node) (uint64, error) {
	return changing{w}.whereNode(orBackground(ctx), n, false)
}

// CheckWhere returns why DeleteWhere and CountWhere of an index with a schema do not take a node, with an error that matches
// store.ErrInvalid, or nil if they do: for programs that delete later.
func CheckWhere(s *schema.Schema, n query.Node) error {
	_, err := where.Filter(s, n)
	return err
}

func (w changing) whereNode(ctx context.Context, n query.Node, del bool) (uint64, error) {
	return w.where(ctx, func(s *schema.Schema) (*filter.Compiled, error) {
		f, err := where.Filter(s, n)
		if err != nil {
			return nil, err
		}
		return filter.Compile(s, f)
	}, del)
}

// where counts the documents that pass what compile returns for the schema, and deletes them.
func (w changing) where(ctx context.Context, compile func(*schema.Schema) (*filter.Compiled, error), del bool) (n uint64, err error) {
	var bad error
	err = w.pipe.exclusive(ctx, func() error {
		var c *filter.Compiled
		if c, bad = compile(w.opts.Schema); bad != nil {
			return nil
		}
		if err := flushing(w).flush(ctx); err != nil {
			return err
		}
		doomed := make([]*docset.Bits, len(w.segments))
		for i, s := range w.segments {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if doomed[i], err = s.where(c); err != nil {
				return fmt.Errorf("looking for documents to delete: %w", err)
			}
			n += uint64(doomed[i].Len())
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
func (s *liveSegment) where(c *filter.Compiled) (docs *docset.Bits, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	set, err := c.Eval(s.seg)
	if err != nil {
		return nil, err
	}
	docs = docset.NewBits(set)
	docs.RemoveBits(s.deletes)
	return docs, nil
}

// deleteAll deletes documents that are not deleted yet. It keeps docs.
func (s *liveSegment) deleteAll(docs *docset.Bits) {
	switch {
	case docs.Len() == 0:
		return
	case s.deletes == nil:
		s.deletes = docs
	default:
		s.deletes.AddBits(docs)
	}
	s.dirty = true
}
