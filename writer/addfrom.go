package writer

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// AddFrom adds the documents of other indexes, in open directories that the caller closes, as
// MergeFromDirs does, but copies their segments as they are, with the ids that they have, instead of
// merging everything into one. The live documents of a source replace those with the same ids that were
// added before. The next commit will hold the result. After an error it may hold some of the segments;
// calling AddFrom again replaces their documents by themselves.
func (w *Writer) AddFrom(ctx context.Context, sources ...*store.Dir) error {
	ctx = orBackground(ctx)
	if err := w.pipe.failure(); err != nil {
		return err
	}
	for _, d := range sources {
		if d == nil {
			return fmt.Errorf("%w: a source is nil", ErrInvalid)
		}
		if d.Same(w.dir) {
			return fmt.Errorf("writer: %s is both source and output", d)
		}
		if err := w.addFrom(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// addFrom is AddFrom of one source.
func (w *Writer) addFrom(ctx context.Context, d *store.Dir) error {
	var foreign []*liveSegment
	c, err := d.OpenLatest(func(c *store.Commit) (err error) {
		foreign, err = w.openForeign(c)
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
		if w.order != c.Order && w.order != (store.Order{}) {
			bad = fmt.Errorf("%w: %s has its documents in another order", ErrInvalid, d)
			return nil
		}
		if err := w.flush(ctx); err != nil {
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
			if err := w.push(ctx, s); err != nil {
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

// copySegment copies a segment of another index, with its deleted documents.
func (w *Writer) copySegment(ctx context.Context, f *liveSegment) (s *liveSegment, err error) {
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
	m.Analyzer, m.AnalyzerOptions = w.analyzer()
	m.Schema, m.Segments = w.opts.Schema, []store.SegmentInfo{f.info}
	info := &m.Segments[0]
	info.ForgetDeletes()
	info.File, info.FileLen, info.Tail = num, f.seg.Header().FileLen, f.seg.Header().Tail()
	if s, err = openSegment(w.lock, m, 0); err != nil {
		return nil, err
	}
	s.ours = true
	if f.deletes != nil {
		s.deletes, s.dirty = f.deletes.Clone(), true
	}
	return s, nil
}

// copyData copies the content of a file, and calls wait before each write.
func copyData(wait func(int) error, to store.File, from store.Data) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
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

// keepShadowed removes from docs, documents of old, those whose ids s has for a deleted document.
func (s *liveSegment) keepShadowed(old *segment.Segment, docs *roaring.Bitmap) error {
	if s.deletes == nil {
		return nil
	}
	var id []byte
	for _, doc := range docs.ToArray() {
		var err error
		if id, err = old.AppendID(id[:0], doc); err != nil {
			return err
		}
		newer, ok, err := s.seg.FindID(id)
		if err != nil {
			return err
		}
		if ok && s.deletes.Contains(newer) {
			docs.Remove(doc)
		}
	}
	return nil
}
