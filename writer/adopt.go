package writer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Adopt takes over merges and reorderings that were made of a copy of this index: before is the copy as it was, an older commit
// of this index, and after the same documents in other segments, each in a file system. Where this index still has the
// segments that were merged, one after the other, those that were made of them take their place, and what
// was deleted since is deleted there, and values that were changed since are changed there; other segments stay as they are. The next commit will hold the result. Adopt returns
// how many segments it has replaced.
func (w *Writer) Adopt(ctx context.Context, before, after store.ReadFS) (replaced int, err error) {
	ctx = orBackground(ctx)
	if err := w.pipe.failure(); err != nil {
		return 0, err
	}
	err = openAll([]store.ReadFS{before, after}, func(dirs []*indexdir.Dir) error {
		replaced, err = importing{w}.adoptFrom(ctx, dirs[0], dirs[1])
		return err
	})
	return replaced, err
}

// adoptFrom is Adopt of directories.
func (w importing) adoptFrom(ctx context.Context, before, after *indexdir.Dir) (replaced int, err error) {
	old, _, endOld, err := w.openSegments(before)
	if err != nil {
		return 0, err
	}
	defer endOld()
	made, order, endMade, err := w.openSegments(after)
	if err != nil {
		return 0, err
	}
	defer endMade()
	var bad error
	err = w.pipe.exclusive(ctx, func() error {
		if err := flushing(w).flush(ctx); err != nil {
			return err
		}
		if w.order != order {
			bad = fmt.Errorf("%w: %s has its documents in another order", ErrInvalid, after)
			return nil
		}
		for _, r := range changedRuns(old, made) {
			done, err := w.adopt(ctx, r)
			if err != nil {
				return fmt.Errorf("adopting merges of %s: %w", after, err)
			}
			if done {
				replaced += len(r.old)
			}
		}
		return nil
	})
	return replaced, errors.Join(bad, err)
}

// openSegments opens the segments of the newest commit of another index, and returns what closes them.
func (w importing) openSegments(d *indexdir.Dir) (segments []*liveSegment, order indexdir.Order, end func(), err error) {
	c, err := d.OpenLatest(func(c *indexdir.Commit) (err error) {
		segments, err = merging(w).openForeign(c)
		return err
	})
	if err != nil {
		return nil, order, nil, fmt.Errorf("opening %s: %w", d, err)
	}
	end = func() {
		for _, s := range segments {
			s.data.Close()
		}
		c.Release()
	}
	return segments, c.Order, end, nil
}

// run is some neighboring segments and what was made of them.
type run struct{ old, made []*liveSegment }

// changedRuns returns what differs between the segments of an index and those that merges have made of them: the longest
// runs of neighbors of which none is left. Runs with other numbers of documents are left out.
func changedRuns(before, after []*liveSegment) (runs []run) {
	for len(before) > 0 && len(after) > 0 {
		i, j := nextCommon(before, after)
		r := run{before[:i], after[:j]}
		before, after = before[min(i+1, len(before)):], after[min(j+1, len(after)):]
		if i > 0 && j > 0 && live(r.old) == live(r.made) {
			runs = append(runs, r)
		}
	}
	return runs
}

// nextCommon returns where the first segment of after lies that before has too, in both, or their lengths.
func nextCommon(before, after []*liveSegment) (i, j int) {
	for j, s := range after {
		if i := indexID(before, s.info.ID); i >= 0 {
			return i, j
		}
	}
	return len(before), len(after)
}

func indexID(segments []*liveSegment, id format.ID) int {
	return slices.IndexFunc(segments, func(s *liveSegment) bool { return s.info.ID == id })
}

// live returns the number of documents that are not deleted.
func live(segments []*liveSegment) (n uint64) {
	for _, s := range segments {
		n += uint64(s.info.Docs - s.deleted())
	}
	return n
}

// adopt puts copies of the segments of r that were made in the place of the old ones, if these are here and have the documents
// that they had.
func (w importing) adopt(ctx context.Context, r run) (done bool, err error) {
	at := indexID(w.segments, r.old[0].info.ID)
	if at < 0 || len(w.segments)-at < len(r.old) {
		return false, nil
	}
	now := w.segments[at : at+len(r.old)]
	for i, s := range now {
		if old := r.old[i]; s.info.ID != old.info.ID || !s.deletes.HasAll(old.deletes) {
			return false, nil
		}
	}
	var copies []*liveSegment
	defer func() {
		if err != nil {
			for _, s := range copies {
				w.drop(s)
			}
		}
	}()
	for _, s := range r.made {
		c, err := w.copySegment(ctx, s)
		if err != nil {
			return false, err
		}
		copies = append(copies, c)
	}
	for i, s := range now {
		if err := deleteSince(ctx, s, r.old[i].deletes, copies); err != nil {
			return false, err
		}
	}
	if err := changeSince(ctx, now, r.old, copies); err != nil {
		return false, err
	}
	merging(w).replace(at, len(r.old), copies...)
	return true, nil
}

// changeSince gives documents of from the values that they have in now and did not have in old, the same segments before.
func changeSince(ctx context.Context, now, old, from []*liveSegment) error {
	to := make([]*segment.Segment, len(from))
	for i, s := range from {
		to[i] = s.seg
	}
	carried := make([][]build.Change, len(from))
	for i, s := range now {
		more, err := changesSince(old[i].seg, s.seg, s.deletes)
		if err == nil {
			err = carry(ctx, s.seg, more, to, carried)
		}
		if err != nil {
			return err
		}
	}
	for i, s := range from {
		if len(carried[i]) == 0 {
			continue
		}
		changed, err := withChanges(s.seg, carried[i])
		if err != nil {
			return err
		}
		s.seg = changed
	}
	return nil
}

// deleteSince deletes documents from segments that hold those of s without before: the ones that were deleted in s since.
func deleteSince(ctx context.Context, s *liveSegment, before *docset.Bits, from []*liveSegment) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	var id []byte
	for doc := range s.deletes.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if before.Contains(doc) {
			continue
		}
		if id, err = s.seg.Documents().AppendID(id[:0], doc); err != nil {
			return err
		}
		found := false
		for _, to := range from {
			doc, ok, err := to.seg.Documents().FindID(id)
			if err != nil {
				return err
			}
			if found = ok; ok {
				to.delete(doc)
				break
			}
		}
		if !found {
			return errors.New("a document of the merged segments is missing")
		}
	}
	return nil
}
