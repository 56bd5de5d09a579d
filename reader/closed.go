package reader

import (
	"fmt"
	"io/fs"
	"sync/atomic"
)

// ErrClosed is matched by the errors of calls on an Index, a Snapshot, a Cursor
// or anything else obtained from them after it is closed. It is fs.ErrClosed.
var ErrClosed = fs.ErrClosed

// life tells a Snapshot and everything obtained from it whether it is closed. It
// catches misuse, not races. A nil life never ends.
type life struct {
	closed atomic.Bool
	index  *Index
}

// err returns an error that matches ErrClosed after the end.
func (l *life) err() error {
	if l == nil || !l.closed.Load() {
		return nil
	}
	return fmt.Errorf("snapshot of %s: %w", l.index, ErrClosed)
}
