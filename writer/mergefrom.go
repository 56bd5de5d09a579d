package writer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/analysis"
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
		if stats, err = w.mergeInto(orBackground(ctx), dirs, m); err == nil {
			err = w.Commit(ctx)
		}
		return errors.Join(err, w.Close())
	})
	return stats, err
}

// mergeInto is MergeInto for an open Writer, without the commit.
func (w *Writer) mergeInto(ctx context.Context, sources []*indexdir.Dir, m MergeOptions) (stats MergeStats, err error) {
	by, err := m.check(w.now())
	if err != nil {
		return stats, err
	}
	err = w.mergeFrom(ctx, sources, func(all []*liveSegment) (merged *liveSegment, err error) {
		if m.ordered() {
			w.setOrderBy(by)
		}
		if m.Order.permutes() {
			merged, stats, err = w.permuted(ctx, all, m)
		} else {
			merged, stats, err = w.merge(ctx, all, w.share(ctx))
		}
		return merged, err
	})
	return stats, err
}

// takeFrom sets what o leaves to the indexes that MergeInto merges: what they have for a new index in directory out.
func (o *Options) takeFrom(out string, sources []*indexdir.Dir) error {
	for _, d := range sources { // before out is made
		if _, err := schemaOf(d); err != nil {
			return err
		}
	}
	fields, err := o.takeSchema(out, sources)
	if err != nil {
		return err
	}
	if asked := o.Analyzer; !fields && len(sources) > 0 && (asked == nil || hasDefaults(asked)) {
		if o.Analyzer, err = analyzerOf(sources[0]); err != nil {
			return err
		}
		if asked != nil && asked.Name() != o.Analyzer.Name() {
			o.Analyzer = asked
		}
	}
	if !o.Stored && !fields {
		if o.Stored, err = storedIn(sources); err != nil {
			return err
		}
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

// takeSchema sets Schema to that of the first of the indexes sources, if there is
// no index in directory out and nothing else is asked for, and sets what Schema leaves to the index to what that one has. It reports whether out or the sources
// have fields, so that analyzers and stored texts are those of fields.
func (o *Options) takeSchema(out string, sources []*indexdir.Dir) (fields bool, err error) {
	s, found, err := schemaAt(out)
	if err != nil {
		return false, err
	}
	if len(sources) == 0 || !s.IsImplicit() {
		return !s.IsImplicit() || o.Schema != nil, nil
	}
	if s, err = schemaOf(sources[0]); err != nil {
		return false, err
	}
	switch {
	case o.Schema != nil:
		if asked, canonicalErr := o.canonical(o.Schema); canonicalErr == nil && !found {
			if adopted, adoptErr := asked.Adopt(s); adoptErr == nil { // or the merge says what differs
				o.Schema = adopted
			}
		}
		return true, nil
	case !found && o.Analyzer == nil && !o.Stored && !s.IsImplicit():
		o.Schema = s
	}
	return !s.IsImplicit(), nil
}

// schemaAt returns the schema of the index in the directory at path, and whether there is an
// index: otherwise it is the implicit one.
func schemaAt(path string) (s *schema.Schema, found bool, err error) {
	dir, err := indexdir.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return schema.Implicit("", "", false), false, nil
	}
	if err == nil {
		defer dir.Close()
		s, err = schemaOf(dir)
	}
	if errors.Is(err, format.ErrNotAnIndex) {
		return schema.Implicit("", "", false), false, nil
	}
	return s, err == nil, err
}

// schemaOf returns the schema of an index.
func schemaOf(dir *indexdir.Dir) (*schema.Schema, error) {
	c, err := dir.Latest()
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	defer c.Release()
	return c.Schema.Clone(), nil
}

// analyzerOf returns the analyzer of an index.
func analyzerOf(dir *indexdir.Dir) (analysis.Analyzer, error) {
	c, err := dir.Latest()
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	defer c.Release()
	return analysis.New(c.Analyzer())
}

// storedIn reports whether the first of the indexes that has documents stores their contents.
func storedIn(dirs []*indexdir.Dir) (stored bool, err error) {
	for _, dir := range dirs {
		segments, stored, err := storedSegments(dir)
		if err != nil {
			return false, fmt.Errorf("opening %s: %w", dir, err)
		}
		if segments > 0 {
			return stored, nil
		}
	}
	return false, nil
}

// storedSegments returns how many segments an index has, and whether one of them stores contents.
func storedSegments(dir *indexdir.Dir) (n int, stored bool, err error) {
	c, err := dir.OpenLatest(func(c *indexdir.Commit) error {
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
func (w *Writer) MergeFrom(ctx context.Context, sources ...store.ReadFS) (stats MergeStats, err error) {
	if err := w.pipe.failure(); err != nil {
		return stats, err
	}
	err = openAll(sources, func(dirs []*indexdir.Dir) (err error) {
		stats, err = w.mergeInto(orBackground(ctx), dirs, MergeOptions{})
		return err
	})
	return stats, err
}

// mergeFrom replaces all segments by what join makes of them and of those of sources.
func (w *Writer) mergeFrom(ctx context.Context, sources []*indexdir.Dir, join func(all []*liveSegment) (*liveSegment, error)) error {
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
		if err := w.flush(ctx); err != nil {
			return err
		}
		return w.mergeAll(ctx, foreign, join)
	})
}

// openForeign opens all segments of a commit, or none.
func (w *Writer) openForeign(c *indexdir.Commit) (segments []*liveSegment, err error) {
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
		s := &liveSegment{info: c.Segments[i], data: data, seg: seg, foreign: c.Schema}
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
func (w *Writer) mergeAll(ctx context.Context, foreign []*liveSegment, join func(all []*liveSegment) (*liveSegment, error)) error {
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
