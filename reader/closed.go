package reader

import (
	"fmt"
	"io/fs"
	"sync/atomic"
)

// ErrClosed is what calls on an Index, a Snapshot, a Cursor or anything else that
// came from them match once it is closed. It is fs.ErrClosed.
var ErrClosed = fs.ErrClosed

// life tells a Snapshot and all that came from it whether it is closed. It catches
// misuse, not races. A nil life does not end.
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
