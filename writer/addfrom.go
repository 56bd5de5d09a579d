package writer

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// AddFrom adds the documents of other indexes, in these file systems, as MergeFrom does, but copies their segments as they are, with the ids that they have, instead of
// merging everything into one. The live documents of a source replace those with the same ids that were
// added before. The next commit will hold the result. After an error it may hold some of the segments;
// calling AddFrom again replaces their documents by themselves.
func (w *Writer) AddFrom(ctx context.Context, sources ...store.ReadFS) error {
	ctx = orBackground(ctx)
	if err := w.pipe.failure(); err != nil {
		return err
	}
	return openAll(sources, func(dirs []*indexdir.Dir) error {
		for _, d := range dirs {
			if d.Same(w.dir) {
				return fmt.Errorf("writer: %s is both source and output", d)
			}
			if err := (importing{w}).addFrom(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// openAll calls f with the directories of file systems.
func openAll(sources []store.ReadFS, f func([]*indexdir.Dir) error) error {
	dirs := make([]*indexdir.Dir, 0, len(sources))
	defer func() {
		for _, d := range dirs {
			d.Close()
		}
	}()
	for _, fsys := range sources {
		if fsys == nil {
			return fmt.Errorf("%w: a source is nil", ErrInvalid)
		}
		d, err := indexdir.OpenFS(fsys)
		if err != nil {
			return err
		}
		dirs = append(dirs, d)
	}
	return f(dirs)
}

// addFrom is AddFrom of one source.
func (w importing) addFrom(ctx context.Context, d *indexdir.Dir) error {
	var foreign []*liveSegment
	c, err := d.OpenLatest(func(c *indexdir.Commit) (err error) {
		foreign, err = merging(w).openForeign(c)
		return err
	})
	if err != nil {
		return fmt.Errorf("opening %s: %w", d, err)
	}
	defer c.Release()
	defer func() {
		for _, s := range foreign {
			s.data.Close()
		}
	}()
	var bad error
	err = w.pipe.exclusive(ctx, func() error {
		if w.order != c.Order && w.order != (indexdir.Order{}) {
			bad = fmt.Errorf("%w: %s has its documents in another order", ErrInvalid, d)
			return nil
		}
		if err := flushing(w).flush(ctx); err != nil {
			return err
		}
		for _, f := range foreign {
			if f.deleted() == f.info.Docs {
				continue
			}
			s, err := w.copySegment(ctx, f)
			if err != nil {
				return fmt.Errorf("copying %s from %s: %w", f.seg.Name(), d, err)
			}
			if err := flushing(w).push(ctx, s); err != nil {
				return err
			}
			w.changed = true
		}
		return nil
	})
	return errors.Join(bad, err)
}

// copyBytes is how many bytes of a segment are copied at a time.
const copyBytes = 1 << 20

// copySegment copies a segment of another index, with its deleted documents and the values that were changed in place.
func (w importing) copySegment(ctx context.Context, f *liveSegment) (s *liveSegment, err error) {
	num, file, err := w.lock.CreateSegment()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
			w.lock.Discard(num) // best effort: the next writer sweeps
		}
	}()
	if err := copyData(w.share(ctx).wait, file, f.data); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	m := w.lock.Manifest()
	m.Schema, m.StoredUnknown, m.Segments = w.opts.Schema, false, []indexdir.SegmentInfo{f.info}
	info := &m.Segments[0]
	info.ForgetDeletes()
	info.ForgetValues()
	info.File, info.FileLen, info.Tail = num, f.seg.Header().FileLen, f.seg.Header().Tail()
	if s, err = openSegment(w.lock, m, 0); err != nil {
		return nil, err
	}
	s.ours = true
	content, err := contentOf(f.seg)
	if err == nil {
		s.seg, err = changedTo(s.seg, content)
	}
	if err != nil {
		s.data.Close()
		return nil, err
	}
	if f.deletes != nil {
		s.deletes, s.dirty = f.deletes.Clone(), true
	}
	return s, nil
}

// copyData copies the content of a file, and calls wait before each write.
func copyData(wait func(int) error, to store.File, from store.Data) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for off := int64(0); off < from.Size(); off += copyBytes {
		b, err := from.Range(off, min(copyBytes, from.Size()-off))
		if err == nil {
			err = wait(len(b))
		}
		if err == nil {
			_, err = to.WriteAt(b, off)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepShadowed returns docs, documents of old, without those whose ids s has for a deleted document. It overwrites docs.
func (s *liveSegment) keepShadowed(old *segment.Segment, docs []uint32) ([]uint32, error) {
	if s.deletes == nil {
		return docs, nil
	}
	kept := docs[:0]
	var id []byte
	for _, doc := range docs {
		var err error
		if id, err = old.Documents().AppendID(id[:0], doc); err != nil {
			return nil, err
		}
		newer, ok, err := s.seg.Documents().FindID(id)
		if err != nil {
			return nil, err
		}
		if !ok || !s.deletes.Contains(newer) {
			kept = append(kept, doc)
		}
	}
	return kept, nil
}
