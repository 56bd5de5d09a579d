package idxbuild

import (
	"context"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// changes is where the documents of a run go.
type changes interface {
	Add(ctx context.Context, d writer.Doc) error
	AddInverted(ctx context.Context, in writer.Inverted) error
	Delete(ctx context.Context, id []byte) error
	DeleteWhere(ctx context.Context, n query.Node) (uint64, error)
}

// counter counts what a Writer would do.
type counter struct {
	o        writer.Options
	index    *reader.Snapshot // nil: there is no index
	deleted  docset.Bits      // or replaced, documents of index
	seen     map[uint64]struct{}
	replaced int64
}

// dryRun counts what the run would do to the newest commit. It writes nothing and does not
// wait for a writer.
func (b *build) dryRun(ctx context.Context, dir string, o writer.Options, d *deletions, ins []input) error {
	b.report.DryRun = true
	c := &counter{o: o, seen: map[uint64]struct{}{}}
	b.w = c
	if isIndex(dir) {
		index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
		if err != nil {
			return cli.Opening(err)
		}
		defer index.Close()
		if c.index, err = index.Snapshot(); err != nil {
			return cli.Opening(err)
		}
		defer c.index.Close()
		if s := o.Schema; s != nil && s.IsImplicit() {
			if _, err := s.Adopt(c.index.Schema()); err != nil {
				has, asked := &c.index.Schema().Fields[0], &s.Fields[0]
				return fmt.Errorf("%w: the index was made with %s(%s), not %s(%s)", writer.ErrAnalyzer, has.Analyzer, has.Options, asked.Analyzer, asked.Options)
			}
		}
	}
	if err := b.change(ctx, dir, d, ins); err != nil {
		return err
	}
	b.read.Store(true)
	if c.index != nil { // the index as it is
		if err := b.after(dir, 0); err != nil {
			return err
		}
	} else if o.Schema != nil {
		b.report.analyze(o.Schema)
	} else {
		b.report.analyze(schema.Implicit("", "", false))
	}
	b.report.Replaced = c.replaced
	b.report.Live += b.report.Added - b.report.Deleted - c.replaced
	return nil
}

// Add implements changes.
func (c *counter) Add(_ context.Context, d writer.Doc) error {
	if err := c.o.CheckDoc(d); err != nil {
		return err
	}
	return c.count(d.ID)
}

// count counts what a document with the id replaces. Ids are told apart by 64 bits of hash.
func (c *counter) count(id []byte) error {
	h := xxhash.Sum64(id)
	if _, ok := c.seen[h]; ok {
		c.replaced++
		return nil
	}
	c.seen[h] = struct{}{}
	if c.index == nil {
		return nil
	}
	doc, ok, err := c.index.FindID(id)
	if ok && !c.deleted.Contains(doc) {
		c.replaced++
	}
	return err
}

// AddInverted implements changes. It looks at the documents only.
func (c *counter) AddInverted(ctx context.Context, in writer.Inverted) error {
	for d, err := range in.Docs {
		if err == nil {
			err = c.count(d.ID)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Delete implements changes.
func (c *counter) Delete(_ context.Context, id []byte) error {
	doc, ok, err := c.index.FindID(id)
	if ok {
		c.deleted.Add(doc)
	}
	return err
}

// DeleteWhere implements changes.
func (c *counter) DeleteWhere(ctx context.Context, node query.Node) (n uint64, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	f, err := where.Filter(c.index.Schema(), node)
	if err != nil {
		return 0, err
	}
	x, err := filter.Compile(c.index.Schema(), f)
	if err != nil {
		return 0, err
	}
	for _, seg := range c.index.Segments() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		deleted, err := seg.Deletes()
		if err != nil {
			return 0, err
		}
		set, err := x.Eval(seg.Views())
		if err != nil {
			return 0, err
		}
		for doc := set.Next(0); doc != docset.End; doc = set.Next(doc + 1) {
			if !deleted.Has(doc) && c.deleted.Add(seg.Base()+doc) {
				n++
			}
		}
	}
	return n, nil
}
