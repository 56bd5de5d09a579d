package store

import (
	"io"

	"github.com/pinion-index/pinion/internal/osdir"
)

// QuarantineName is the name of the folder for files that no commit accounts for, beside an index's own.
const QuarantineName = osdir.Quarantine

// Data is the content of one open file. It is safe for concurrent use; the bytes
// that Range returns are valid until Close. A Data that is held in memory also
// has a method Mapped() []byte, which returns all of it, 64-byte aligned.
type Data interface {
	// Size returns the length of the file in bytes.
	Size() int64
	// Range returns n bytes at offset off. They must not be written to. Further bytes
	// up to their capacity can be read: all that follow in a mapped file, at least
	// format.ReadablePadding otherwise.
	Range(off, n int64) ([]byte, error)
	// Close releases the file. Further calls return nil.
	Close() error
}

// File is a file being written.
type File interface {
	io.WriterAt
	// Sync makes the content durable. The file's name becomes durable by FS.Sync.
	Sync() error
	Close() error
}

// Temp is a scratch file. It is removed by Close or, after a crash, when the next
// writer locks the directory.
type Temp interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
	io.Closer
}

// ReadFS is the file system that reading an index needs: one flat directory.
// Names have no separators. The error for a missing file matches fs.ErrNotExist.
// Implementations are safe for concurrent use.
type ReadFS interface {
	// ID returns a comparable value, equal for all ReadFS of the same directory.
	ID() any
	// String returns the directory's name, for messages.
	String() string
	// List returns the names of all files, in any order.
	List() ([]string, error)
	// Open opens a file for reading.
	Open(name string) (Data, error)
}

// FS is the file system that writing an index needs.
type FS interface {
	ReadFS
	// Create creates a file. It is an error if the name exists.
	Create(name string) (File, error)
	// CreateTemp creates a scratch file.
	CreateTemp() (Temp, error)
	// Rename renames a file atomically.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Quarantine moves a file into the folder named QuarantineName, which it creates if
	// necessary. It replaces no file there: if the name is taken, a number is added.
	Quarantine(name string) error
	// Sync makes the directory's entries durable: creations, renames and removals. It
	// also syncs the content of files, which Create of this FS returned.
	Sync(files ...File) error
	// Lock acquires the advisory lock of the file named name, which it creates if
	// necessary, or fails with ErrLocked. Close releases it, and so does the end of
	// the process.
	Lock(name string) (FileLock, error)
}

// FileLock is a lock that FS.Lock acquired.
type FileLock interface {
	io.Closer
	// Held returns an error that matches ErrLockLost if the file was removed or
	// replaced, so that others can lock the new one.
	Held() error
}
