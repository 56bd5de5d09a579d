package writer

import (
	"context"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/writer/internal/invert"
	"github.com/pinion-index/pinion/writer/internal/merge"
)

// manyIDs is how many ids are looked up before the pages that were read for them are given back.
const manyIDs = 256

// looks counts look-ups of n ids in all segments. It returns whether the pages of a segment that
// were read for them are to be given back after them.
func (w flushing) looks(n int) (forget bool) {
	if w.looked += n; w.looked < manyIDs {
		return false
	}
	w.looked = 0
	return true
}

// deleteOlder deletes the ids in a.Deleted from all segments.
func (w flushing) deleteOlder(ctx context.Context, a *invert.Accumulator) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	forget := w.looks(a.Deletions())
	for _, s := range w.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		for id := range a.Deleted() {
			doc, ok, err := s.seg.Documents().FindID(id)
			if err != nil {
				return err
			}
			if ok {
				s.delete(doc)
			}
		}
		if forget {
			indexdir.Forget(s.data)
		}
	}
	return nil
}

// push appends s to the segments. Its live documents replace those with the same ids. On
// an error it drops s and replaces nothing.
func (w flushing) push(ctx context.Context, s *liveSegment) (err error) {
	defer func() {
		if err != nil {
			w.drop(s)
		}
	}()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	forget := w.looks(int(s.info.Docs))
	replaced := make([][]uint32, len(w.segments))
	for i, old := range w.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := merge.EachShared(old.seg, s.seg, func(doc uint32) { replaced[i] = append(replaced[i], doc) })
		if forget {
			indexdir.Forget(old.data)
		}
		if err == nil {
			replaced[i], err = s.keepShadowed(old.seg, replaced[i])
		}
		if err != nil {
			return err
		}
	}
	for i, old := range w.segments {
		for _, doc := range replaced[i] {
			old.delete(doc)
		}
	}
	w.segments = append(w.segments, s)
	if forget {
		indexdir.Forget(s.data)
	}
	return nil
}
