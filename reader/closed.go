package reader

import (
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/invariants"
)

// ErrClosed is matched by the errors of calls on an Index, a Snapshot, a Cursor
// or anything else obtained from them after it is closed. It is fs.ErrClosed.
var ErrClosed = fs.ErrClosed

// life counts the uses of a Snapshot: calls under way, Cursors, and what Acquire
// holds. The last use after the end releases the view. The zero life has ended; a nil
// life never ends.
type life struct {
	view *view
	_    [64]byte // every query changes uses
	uses atomic.Int64
	done atomic.Bool // the view is released
	_    [64]byte
}

// living is part of life.uses until the Snapshot is closed.
const living = 1 << 62

// open begins the life.
func (l *life) open(v *view) {
	l.view = v
	l.uses.Store(living)
}

// acquire adds a use, or fails after the end. A failed one may let the count of an
// ended life rise for a moment, but nothing is read under it.
func (l *life) acquire() error {
	if l == nil || l.uses.Add(1)&living != 0 {
		return nil
	}
	l.release()
	return l.err()
}

// release ends a use.
func (l *life) release() {
	if l == nil {
		return
	}
	n := l.uses.Add(-1)
	invariants.Check(n >= 0 && n != living-1, "a snapshot was released more often than acquired")
	if n == 0 {
		_ = l.last() // the error of a Close that had to wait is lost
	}
}

// close ends the life.
func (l *life) close() error {
	if l.uses.And(^living) != living { // closed already, or the last use releases the view
		return nil
	}
	return l.last()
}

// last releases the view, once: after the end, failed calls of acquire can bring
// the count to zero again.
func (l *life) last() error {
	if l.done.Swap(true) || l.view == nil {
		return nil
	}
	invariants.Closed(l)
	return l.view.release()
}

// err returns an error that matches ErrClosed after the end.
func (l *life) err() error {
	if l == nil || l.uses.Load()&living != 0 {
		return nil
	}
	if l.view == nil {
		return fmt.Errorf("snapshot: %w", ErrClosed)
	}
	return fmt.Errorf("snapshot of %s: %w", l.view.index, ErrClosed)
}
