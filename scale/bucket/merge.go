package bucket

import (
	"context"
	"os"

	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// Merge commits the batch, and then, by a commit of its own, joins segments as o says. If another Writer commits meanwhile, what
// was made of the segments takes their place in its commit, without the documents that it has deleted; segments that it has
// added stay beside them. Merge starts again only if none of the segments is there any more. The statistics are
// those of the last merge.
func (w *Writer) Merge(ctx context.Context, o writer.MergeOptions) (stats writer.MergeStats, err error) {
	if err := w.Commit(ctx); err != nil {
		return stats, err
	}
	w.commit.Lock()
	defer w.commit.Unlock()
	if err := w.settle(ctx); err != nil {
		return stats, err
	}
	var made *merged // by the last merge
	defer func() { made.remove() }()
	adopted := false
	err = w.until(ctx, func() (bool, error) {
		return w.attempt(ctx, func(ctx context.Context, a *attempt) error {
			n, err := made.adopt(ctx, a)
			if adopted = n > 0 && err == nil; adopted || ctx.Err() != nil {
				return err
			}
			stats, err = a.w.Merge(ctx, o)
			return err
		}, func(a *attempt) {
			if !adopted {
				made.remove()
				made = w.keep(ctx, a)
			}
		})
	})
	return stats, err
}

// merged is what a merge has made of a commit, each in a local directory. Nil is none.
type merged struct{ before, after string }

// keep returns the merge of an attempt that has lost and whose directory is not used any more, or nil if that fails.
func (w *Writer) keep(ctx context.Context, a *attempt) *merged {
	if a.before == nil {
		return nil
	}
	if a.w != nil {
		a.w.Close()
	}
	m := &merged{w.folder("before", w.tries), w.folder("after", w.tries)}
	err := w.mirror.directory(ctx, a.before, m.before)
	if err == nil {
		err = os.Rename(a.dir, m.after)
	}
	if err != nil {
		m.remove()
		return nil
	}
	return m
}

// adopt puts what was made in the place of the segments of a of which it was made, and returns how many these are.
func (m *merged) adopt(ctx context.Context, a *attempt) (int, error) {
	if m == nil {
		return 0, nil
	}
	return a.w.Adopt(ctx, store.Dir(m.before), store.Dir(m.after))
}

func (m *merged) remove() {
	if m != nil {
		os.RemoveAll(m.before)
		os.RemoveAll(m.after)
	}
}

// follow commits what was merged for an attempt that has lost after what was first. It reports false if none of the segments
// that were merged is there any more.
func (w *Writer) follow(ctx context.Context, lost *attempt) (done bool, err error) {
	made, n := w.keep(ctx, lost), 0
	defer made.remove()
	err = w.until(ctx, func() (bool, error) {
		return w.attempt(ctx, func(ctx context.Context, a *attempt) (err error) {
			n, err = made.adopt(ctx, a)
			return err
		}, nil)
	})
	return n > 0, err
}
