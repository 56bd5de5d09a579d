package store

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/internal/osdir"
)

// ErrInvalid is matched by every error, of any package, for an argument, a text or a request that cannot be used.
var ErrInvalid = errs.ErrInvalid

// ErrClosed is matched by every error, of any package, of a call on what is closed. It is fs.ErrClosed.
var ErrClosed = fs.ErrClosed

// ErrLocked is matched by the error when another writer, in this process or
// another, holds the lock of the directory.
var ErrLocked = osdir.ErrLocked

// ErrLockLost is matched by the error of a commit when the lock file was removed or
// replaced while its lock was held: another writer may be at work. Nothing is
// committed; the Lock can only be closed.
var ErrLockLost = osdir.ErrLockLost

// ErrReadOnly is matched by the error when a directory cannot be written: its
// ReadFS is not an FS, or the platform has no file locks.
var ErrReadOnly = osdir.ErrReadOnly

// ErrUncertain is matched by the error of a commit that failed so late that,
// after a crash, it may or may not be the newest one. The writer can then only be
// closed; the next one continues from whichever commit is there.
var ErrUncertain = errors.New("the outcome of the commit is uncertain")

// ErrUncommitted is matched by the error for an index in which no writer has committed yet.
var ErrUncommitted = errors.New("nothing has been committed yet: its first build is at work, or ended early")

// PanicError is a fault of the program, in this module or in a function that it was given:
// a runtime error such as a nil pointer or an index out of range, in place of the answer.
// It says nothing about files and does not match format.ErrCorrupt. Please report one of
// this module with its Stack.
type PanicError struct {
	Value any    // what the program panicked with
	Stack []byte // of the goroutine that panicked, as debug.Stack formats it
	Place string // the function, file and line, or ""
}

// Error returns the value and the place in the source, without the stack.
func (e *PanicError) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("fault of the program: %v", e.Value)
	}
	return fmt.Sprintf("fault of the program: %v, at %s", e.Value, e.Place)
}

// Unwrap returns Value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
