package writer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/merge"
)

// MergeInto merges everything into one segment of the index in directory out, which
// it creates if necessary: out's own documents, followed by those of the indexes sources, of which store.Dir is one in a directory.
// The order of documents is that of m, as Merge has it, and m.MaxSegments above 1 is an error. Of documents with the same id only the last is kept. If
// the indexes were not made with the same analyzer, the error matches ErrAnalyzer; if
// some store the contents of documents and others do not, ErrStored. A new index takes
// both from the sources, or the schema. With a schema, the index must have each field that a
// source has, under the same name and id and with the same properties, or the error names the
// field and matches schema.ErrInvalid. MergeInto commits the result.
func MergeInto(ctx context.Context, out string, sources []store.ReadFS, o Options, m MergeOptions) (stats MergeStats, err error) {
	if m.MaxSegments > 1 {
		return stats, fmt.Errorf("%w: one segment is made, not %d", ErrInvalid, m.MaxSegments)
	}
	err = openAll(sources, func(dirs []*indexdir.Dir) (err error) {
		if err := o.takeFrom(out, dirs); err != nil {
			return err
		}
		w, err := Open(ctx, out, o)
		if err != nil {
			return err
		}
		if stats, err = (merging{w}).mergeInto(orBackground(ctx), dirs, m); err == nil {
			err = w.Commit(ctx)
		}
		return errors.Join(err, w.Close())
	})
	return stats, err
}

// mergeInto is MergeInto for an open Writer, without the commit.
func (w merging) mergeInto(ctx context.Context, sources []*indexdir.Dir, m MergeOptions) (stats MergeStats, err error) {
	by, err := m.check(w.now())
	if err != nil {
		return stats, err
	}
	err = w.mergeFrom(ctx, sources, func(all []*liveSegment) (merged *liveSegment, err error) {
		if m.ordered() {
			ordering(w).setOrderBy(by)
		}
		if m.Order.permutes() {
			merged, stats, err = ordering(w).permuted(ctx, all, m)
		} else {
			merged, stats, err = w.merge(ctx, all, w.share(ctx))
		}
		return merged, err
	})
	return stats, err
}

// takeFrom sets what o leaves to the indexes that MergeInto merges: what they have for a new index in directory out.
func (o *Options) takeFrom(out string, sources []*indexdir.Dir) error {
	s, err := schemaOfAll(sources) // before out is made
	if err != nil {
		return err
	}
	has, docs, err := schemaAt(out)
	if err != nil {
		return err
	}
	if s != nil && !docs && has.IsImplicit() {
		o.takeSchema(s)
	}
	if o.Perm == 0 {
		for i, d := range sources {
			if i == 0 {
				o.Perm = d.Perm()
			}
			o.Perm &= d.Perm()
		}
	}
	return nil
}

// takeSchema sets Schema to s, or what it leaves to the index to what s has.
func (o *Options) takeSchema(s *schema.Schema) {
	if o.Schema == nil {
		o.Schema = s
		return
	}
	asked, err := canonical(o.Schema)
	if err != nil { // Open says it
		return
	}
	if asked, err = asked.Adopt(s); err != nil { // the merge says what differs
		return
	}
	if o.Schema = asked; asked.IsImplicit() && s.Fields[0].Stored {
		asked.Fields[0].Stored = true
	}
}

// schemaOfAll returns the schema of the first of the indexes sources, or nil if there is none. Whether texts of the implicit one are
// stored, the first says that has documents.
func schemaOfAll(sources []*indexdir.Dir) (first *schema.Schema, err error) {
	known := false
	for _, d := range sources {
		s, docs, err := schemaOf(d)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = s
		}
		if docs && !known {
			known = true
			if first.IsImplicit() {
				first.Fields[0].Stored = s.Fields[0].Stored
			}
		}
	}
	return first, nil
}

// schemaAt returns the schema of the index in the directory at path, and whether it has documents. It is the implicit one if there is
// no index.
func schemaAt(path string) (s *schema.Schema, docs bool, err error) {
	none := schema.Implicit("", "", false)
	dir, err := indexdir.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, false, nil
	}
	if err == nil {
		defer dir.Close()
		s, docs, err = schemaOf(dir)
	}
	if errors.Is(err, format.ErrNotAnIndex) {
		return none, false, nil
	}
	return s, docs, err
}

// schemaOf returns the schema of an index, and whether it has documents. If texts of the implicit one are stored, the segments say it.
func schemaOf(dir *indexdir.Dir) (s *schema.Schema, docs bool, err error) {
	c, err := dir.OpenLatest(func(c *indexdir.Commit) error {
		s, docs = c.Schema.Clone(), len(c.Segments) > 0
		if !docs || !s.IsImplicit() {
			return nil
		}
		s.Fields[0].Stored = false
		for i := range c.Segments {
			of, data, err := c.OpenSegment(i)
			if err != nil {
				return err
			}
			s.Fields[0].Stored = s.Fields[0].Stored || of.Meta().Stored
			data.Close()
		}
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("opening %s: %w", dir, err)
	}
	c.Release()
	return s, docs, nil
}

// MergeFrom is MergeInto for an open Writer, whose schema stays. The
// next commit will hold the result.
func (w *Writer) MergeFrom(ctx context.Context, sources ...store.ReadFS) (stats MergeStats, err error) {
	if err := w.pipe.failure(); err != nil {
		return stats, err
	}
	err = openAll(sources, func(dirs []*indexdir.Dir) (err error) {
		stats, err = merging{w}.mergeInto(orBackground(ctx), dirs, MergeOptions{})
		return err
	})
	return stats, err
}

// mergeFrom replaces all segments by what join makes of them and of those of sources.
func (w merging) mergeFrom(ctx context.Context, sources []*indexdir.Dir, join func(all []*liveSegment) (*liveSegment, error)) error {
	if err := w.pipe.failure(); err != nil {
		return err
	}
	var foreign []*liveSegment
	defer func() {
		for _, s := range foreign {
			s.data.Close()
		}
	}()
	for _, d := range sources {
		if d == nil {
			return fmt.Errorf("%w: a source is nil", ErrInvalid)
		}
		if d.Same(w.dir) {
			return fmt.Errorf("writer: %s is both source and output of a merge", d)
		}
		c, err := d.OpenLatest(func(c *indexdir.Commit) error {
			segments, err := w.openForeign(c)
			foreign = append(foreign, segments...)
			return err
		})
		if err != nil {
			return fmt.Errorf("opening %s: %w", d, err)
		}
		defer c.Release()
	}
	return w.pipe.exclusive(ctx, func() error {
		if err := flushing(w).flush(ctx); err != nil {
			return err
		}
		return w.mergeAll(ctx, foreign, join)
	})
}

// openForeign opens all segments of a commit, or none.
func (w merging) openForeign(c *indexdir.Commit) (segments []*liveSegment, err error) {
	defer func() {
		if err != nil {
			for _, s := range segments {
				s.data.Close()
			}
			segments = nil
		}
	}()
	implicit := w.opts.Schema.IsImplicit() && c.Schema.IsImplicit()
	if implicit {
		name, options := c.Analyzer()
		wantName, wantOptions := analyzerIn(w.opts.Schema)
		err = sameAnalyzer("the index", name, options, wantName, wantOptions)
	} else {
		err = w.opts.Schema.Extends(c.Schema)
	}
	if err != nil {
		return nil, err
	}
	for i := range c.Segments {
		seg, data, err := c.OpenSegment(i)
		if err != nil {
			return segments, err
		}
		s := &liveSegment{info: c.Segments[i], data: data, seg: seg, saved: seg, foreign: c.Schema}
		segments = append(segments, s)
		if implicit && seg.Meta().Stored != w.Stored() {
			return segments, fmt.Errorf("%w: %s has stored %t, the output %t", ErrStored, seg.Name(), seg.Meta().Stored, w.Stored())
		}
		if s.deletes, err = c.Deletes(i); err != nil {
			return segments, err
		}
	}
	return segments, nil
}

// mergeAll joins all segments, followed by the foreign ones, into one.
func (w merging) mergeAll(ctx context.Context, foreign []*liveSegment, join func(all []*liveSegment) (*liveSegment, error)) error {
	var all []*liveSegment
	for _, s := range w.segments {
		c := *s // the original's deletes change only if the merge succeeds
		c.deletes = c.deletes.Clone()
		all = append(all, &c)
	}
	all = append(all, foreign...)
	if len(all) == 0 {
		return nil
	}
	err := merge.DropShared(ctx, sources(all), func(source int, doc uint32) { all[source].delete(doc) })
	if err != nil {
		return err
	}
	merged, err := join(all)
	if err != nil {
		return fmt.Errorf("merging segments, %d of them: %w", len(all), err)
	}
	w.replace(0, len(w.segments), merged)
	return nil
}
