package store

import (
	"errors"
	"io"
)

// ErrLocked says that another writer, in this process or another, holds the lock
// of the directory.
var ErrLocked = errors.New("the index is locked by another writer")

// ErrReadOnly says that a directory cannot be written: it is reached through a
// ReadFS that is no FS, or the platform has no file locks.
var ErrReadOnly = errors.New("the index directory is read-only")

// Data is the content of one open file. Any number of goroutines may use it;
// the bytes that Range gave are valid until Close. A Data whose content lies in
// memory also has Mapped() []byte, which returns all of it, 64-byte aligned.
type Data interface {
	// Size is the length of the file in bytes.
	Size() int64
	// Range returns n bytes at offset off. They must not be written to. Their
	// capacity shows further bytes that can be read: all that follow in a file that
	// is mapped, at least format.ReadablePadding elsewhere.
	Range(off, n int64) ([]byte, error)
	// Close gives the file back. Further calls return nil.
	Close() error
}

// File is a file being written.
type File interface {
	io.WriterAt
	// Sync makes the content durable. The file's name is durable only after
	// FS.Sync.
	Sync() error
	Close() error
}

// Temp is a scratch file without a name that matters; it is gone after Close, or
// after a crash when the next writer locks the directory.
type Temp interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
	io.Closer
}

// ReadFS is what reading an index needs: one flat directory of files. Names have
// no separators. Errors for a missing file match fs.ErrNotExist. Implementations
// are safe for concurrent use.
type ReadFS interface {
	// ID is a comparable value that two ReadFS of the same directory share.
	ID() any
	// String names the directory in messages.
	String() string
	// List returns the names of all files, in any order.
	List() ([]string, error)
	// Open opens a file for reading.
	Open(name string) (Data, error)
}

// FS adds what writing needs.
type FS interface {
	ReadFS
	// Create makes a new file; one of that name must not exist.
	Create(name string) (File, error)
	// CreateTemp makes a scratch file.
	CreateTemp() (Temp, error)
	// Rename gives a file another name, atomically.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Sync makes the directory's entries durable: creations, renames and removals.
	Sync() error
	// Lock takes the advisory lock of the file named name, which it makes if
	// missing, or fails with ErrLocked. Close gives it back, the death of the
	// process too.
	Lock(name string) (io.Closer, error)
}
