package writer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/merge"
)

// MergeInto merges everything into one segment of the index in directory out, which
// it creates if necessary: out's own documents, followed by those of the indexes in
// the directories sources. Of documents with the same id only the last is kept. If
// the indexes were not made with the same analyzer, the error matches ErrAnalyzer; if
// some store the contents of documents and others do not, ErrStored. A new index takes
// both from the sources, or the schema. With a schema, the index must have each field that a
// source has, under the same name and id and with the same properties, or the error names the
// field and matches schema.ErrInvalid. MergeInto commits the result.
func MergeInto(ctx context.Context, out string, sources []string, o Options) (MergeStats, error) {
	stats, _, err := MergeIntoOrdered(ctx, out, sources, o, ReorderOptions{})
	return stats, err
}

// MergeIntoOrdered is MergeInto followed, before the commit, by Reorder.
func MergeIntoOrdered(ctx context.Context, out string, sources []string, o Options, r ReorderOptions) (stats MergeStats, ordered ReorderStats, err error) {
	fields, err := o.takeSchema(out, sources)
	if err != nil {
		return stats, ordered, err
	}
	if asked := o.Analyzer; !fields && len(sources) > 0 && (asked == nil || hasDefaults(asked)) {
		if o.Analyzer, err = analyzerOf(sources[0]); err != nil {
			return stats, ordered, err
		}
		if asked != nil && asked.Name() != o.Analyzer.Name() {
			o.Analyzer = asked
		}
	}
	if !o.Stored && !fields {
		if o.Stored, err = storedIn(sources); err != nil {
			return stats, ordered, err
		}
	}
	if o.Perm == 0 {
		if o.Perm, err = permOf(sources); err != nil {
			return stats, ordered, err
		}
	}
	w, err := Open(ctx, out, o)
	if err != nil {
		return stats, ordered, err
	}
	if r.Order.permutes() {
		stats, err = w.mergePermuted(ctx, sources, r, &ordered)
	} else if stats, err = w.MergeFrom(ctx, sources...); err == nil {
		ordered, err = w.Reorder(ctx, r)
	}
	if err == nil {
		err = w.Commit(ctx)
	}
	return stats, ordered, errors.Join(err, w.Close())
}

// takeSchema sets Schema to that of the first of the indexes in directories sources, if there is
// no index in directory out and nothing else is asked for. It reports whether out or the sources
// have fields, so that analyzers and stored texts are those of fields.
func (o *Options) takeSchema(out string, sources []string) (fields bool, err error) {
	if o.Schema != nil {
		return true, nil
	}
	s, found, err := schemaOf(out)
	if err != nil || len(sources) == 0 || s != nil {
		return s != nil, err
	}
	s, _, err = schemaOf(sources[0])
	if !found && o.Analyzer == nil && !o.Stored {
		o.Schema = s
	}
	return s != nil, err
}

// schemaOf returns the schema of the index in directory path, or nil, and whether there is an
// index.
func schemaOf(path string) (s *schema.Schema, found bool, err error) {
	dir, err := store.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, format.ErrNotAnIndex) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	c, err := dir.Latest()
	if errors.Is(err, format.ErrNotAnIndex) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("opening %s: %w", path, err)
	}
	defer c.Release()
	return c.Schema.Clone(), true, nil
}

// permOf returns the permissions that all of the indexes in directories paths grant, 0
// without any.
func permOf(paths []string) (perm fs.FileMode, err error) {
	for i, path := range paths {
		dir, err := store.Open(path)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			perm = dir.Perm()
		}
		perm &= dir.Perm()
		dir.Close()
	}
	return perm, nil
}

// analyzerOf returns the analyzer of the index in directory path.
func analyzerOf(path string) (analysis.Analyzer, error) {
	dir, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	c, err := dir.Latest()
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	defer c.Release()
	return analysis.New(c.Analyzer, c.AnalyzerOptions)
}

// storedIn reports whether the first of the indexes in directories paths that has documents
// stores their contents.
func storedIn(paths []string) (stored bool, err error) {
	for _, path := range paths {
		segments, stored, err := storedSegments(path)
		if err != nil {
			return false, fmt.Errorf("opening %s: %w", path, err)
		}
		if segments > 0 {
			return stored, nil
		}
	}
	return false, nil
}

// storedSegments returns how many segments the index in directory path has, and whether one
// of them stores contents.
func storedSegments(path string) (n int, stored bool, err error) {
	dir, err := store.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer dir.Close()
	c, err := dir.OpenLatest(func(c *store.Commit) error {
		n, stored = len(c.Segments), false
		for i := range c.Segments {
			s, data, err := c.OpenSegment(i)
			if err != nil {
				return err
			}
			stored = stored || s.Meta().Stored
			data.Close()
		}
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	c.Release()
	return n, stored, nil
}

// MergeFrom is MergeInto for an open Writer: analyzer and Stored are the Writer's. The
// next commit will hold the result.
func (w *Writer) MergeFrom(ctx context.Context, sources ...string) (stats MergeStats, err error) {
	err = w.openSources(sources, func(dirs []*store.Dir) (err error) {
		stats, err = w.MergeFromDirs(ctx, dirs...)
		return err
	})
	return stats, err
}

// mergePermuted is MergeFrom with the documents in another order.
func (w *Writer) mergePermuted(ctx context.Context, sources []string, o ReorderOptions, ordered *ReorderStats) (stats MergeStats, err error) {
	err = w.openSources(sources, func(dirs []*store.Dir) error {
		return w.mergeFrom(orBackground(ctx), dirs, func(all []*liveSegment) (merged *liveSegment, err error) {
			w.setOrderBy(store.Order{})
			merged, stats, err = w.permuted(ctx, all, o, ordered)
			return merged, err
		})
	})
	return stats, err
}

// openSources calls f with the directories at paths.
func (w *Writer) openSources(paths []string, f func([]*store.Dir) error) error {
	if err := w.pipe.failure(); err != nil {
		return err
	}
	var dirs []*store.Dir
	defer func() {
		for _, d := range dirs {
			d.Close()
		}
	}()
	for _, path := range paths {
		d, err := store.Open(path)
		if err != nil {
			return err
		}
		dirs = append(dirs, d)
	}
	return f(dirs)
}

// MergeFromDirs is MergeFrom for open directories, which the caller closes.
func (w *Writer) MergeFromDirs(ctx context.Context, sources ...*store.Dir) (stats MergeStats, err error) {
	ctx = orBackground(ctx)
	err = w.mergeFrom(ctx, sources, func(all []*liveSegment) (merged *liveSegment, err error) {
		merged, stats, err = w.merge(ctx, all, w.share(ctx))
		return merged, err
	})
	return stats, err
}

// mergeFrom replaces all segments by what join makes of them and of those of sources.
func (w *Writer) mergeFrom(ctx context.Context, sources []*store.Dir, join func(all []*liveSegment) (*liveSegment, error)) error {
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
		c, err := d.OpenLatest(func(c *store.Commit) error {
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
		if err := w.flush(ctx); err != nil {
			return err
		}
		return w.mergeAll(ctx, foreign, join)
	})
}

// openForeign opens all segments of a commit, or none.
func (w *Writer) openForeign(c *store.Commit) (segments []*liveSegment, err error) {
	defer func() {
		if err != nil {
			for _, s := range segments {
				s.data.Close()
			}
			segments = nil
		}
	}()
	if w.opts.Schema != nil || c.Schema != nil {
		if err := w.opts.Schema.Extends(c.Schema); err != nil {
			return nil, err
		}
	} else if err := sameAnalyzer("the index", c.Analyzer, c.AnalyzerOptions, w.opts.Analyzer); err != nil {
		return nil, err
	}
	for i := range c.Segments {
		seg, data, err := c.OpenSegment(i)
		if err != nil {
			return segments, err
		}
		s := &liveSegment{info: c.Segments[i], data: data, seg: seg, foreign: c.Schema}
		segments = append(segments, s)
		if w.opts.Schema == nil && seg.Meta().Stored != w.opts.Stored {
			return segments, fmt.Errorf("%w: %s has stored %t, the output %t", ErrStored, seg.Name(), seg.Meta().Stored, w.opts.Stored)
		}
		if s.deletes, err = c.Deletes(i); err != nil {
			return segments, err
		}
	}
	return segments, nil
}

// mergeAll joins all segments, followed by the foreign ones, into one.
func (w *Writer) mergeAll(ctx context.Context, foreign []*liveSegment, join func(all []*liveSegment) (*liveSegment, error)) error {
	var all []*liveSegment
	for _, s := range w.segments {
		c := *s // the original's deletes change only if the merge succeeds
		if c.deletes != nil {
			c.deletes = c.deletes.Clone()
		}
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
