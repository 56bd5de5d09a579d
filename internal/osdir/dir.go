// Package osdir is directories of the local file system, of which package store makes file systems: their files, mapped or read
// into memory, how many of them are synced at once, and locks.
//
// Inside:
//
//	dir*.go                Dir: files that are made, renamed and locked
//	file*.go, sync*.go     how files are written, and many synced at once
//	mapping.go, map*.go    files mapped or read into memory
//	pages*.go              in which way
//	maplimit.go            how many can be mapped
package osdir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/pinion-index/pinion/format"
)

// Dir is a directory of the local file system, which need not exist.
type Dir struct {
	path string      // absolute: the process may change its working directory
	name string      // the path as it was given, for messages
	perm fs.FileMode // of files that Create makes; 0 means 0o666
}

// ID distinguishes the directories from each other, and from any other file system.
type ID string

// Errors of Lock, which package store gives to its users.
var (
	ErrLocked   = errors.New("the index is locked by another writer")
	ErrLockLost = errors.New("the lock file was removed or replaced while a writer held it")
	ErrReadOnly = errors.New("the index directory is read-only")
)

// Quarantine is the name of the folder into which Dir.Quarantine moves files.
const Quarantine = "quarantine"

const (
	tempSuffix             = ".tmp" // of scratch files, and of files until they are committed
	anyFile    fs.FileMode = 0o666
)

// New returns the directory at path. A relative path is one of the working directory at the time of the call.
func New(path string) *Dir { return &Dir{path: absolute(path), name: path} }

// Creating returns d, whose files are made with permissions perm, 0o666 if that is 0.
func (d *Dir) Creating(perm fs.FileMode) *Dir { return &Dir{d.path, d.name, perm} }

// Path returns the absolute path.
func (d *Dir) Path() string { return d.path }

// absolute returns path as an absolute one, or as it is if there is no working directory.
func absolute(path string) string {
	if p, err := filepath.Abs(path); err == nil {
		return p
	}
	return path
}

// String returns the path that New was called with.
func (d *Dir) String() string { return d.name }

// ID returns the absolute path with symbolic links resolved, as far as the path
// exists.
func (d *Dir) ID() any {
	p := d.path
	if q, err := filepath.EvalSymlinks(p); err == nil {
		p = q
	}
	return ID(p)
}

// File returns the path of a file of the directory.
func (d *Dir) File(name string) string { return filepath.Join(d.path, name) }

// List returns the names of the files.
func (d *Dir) List() ([]string, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, &format.Error{Kind: format.ErrNotAnIndex, File: d.name, Block: format.NoBlock, Offset: -1,
			Msg: "an index is a directory, this is a file"}
	}
	return f.Readdirnames(-1)
}

// Open maps or reads a file.
func (d *Dir) Open(name string, a Access) (*Mapping, error) { return mapFile(d.File(name), name, a) }

// Create creates a file that does not exist.
func (d *Dir) Create(name string) (*File, error) {
	f, err := os.OpenFile(d.File(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, cmp.Or(d.perm, anyFile))
	if err != nil {
		return nil, err
	}
	return &File{File: f}, nil
}

// File is a file being written, mostly sequentially.
type File struct {
	*os.File
	from, to int64 // range written since the last writeBehind
}

// behindBytes is how many bytes are written between calls of writeBehind.
const behindBytes = 4 << 20

// WriteAt writes p at off. It is called by one goroutine at a time.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	if off != f.to {
		f.from = off
	}
	f.to = off + int64(n)
	if f.to-f.from >= behindBytes {
		writeBehind(f.File, f.from, f.to-f.from)
		f.from = f.to
	}
	return n, err
}

// Rename renames a file, replacing one of that name.
func (d *Dir) Rename(from, to string) error { return renameFile(d.File(from), d.File(to)) }

// Remove removes a file.
func (d *Dir) Remove(name string) error { return os.Remove(d.File(name)) }

// Quarantine moves a file to the folder named Quarantine, and makes that durable there.
func (d *Dir) Quarantine(name string) error {
	folder := d.File(Quarantine)
	if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	to := filepath.Join(folder, name)
	for n := 1; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		to = filepath.Join(folder, fmt.Sprintf("%s.%d", name, n))
	}
	if err := renameFile(d.File(name), to); err != nil {
		return err
	}
	return syncDir(folder)
}

// Sync syncs files and directory at the same time, which on journaling file systems
// costs little more than one of them.
func (d *Dir) Sync(files ...Syncer) error { return syncAll(d.path, files) }

// Syncer is a file that can be synced: a *File, a Wrapper of one, or any other, which is synced by its Sync.
type Syncer interface{ Sync() error }

// Wrapper is a Syncer around another file, which may be a *File.
type Wrapper interface {
	Syncer
	// Wrapped returns that file, or why it cannot be synced any more.
	Wrapped() (file any, err error)
	// Ended is called with what became of a sync of the file that was not by Sync.
	Ended(err error)
}

// SyncPath syncs the entries of the directory at path.
func SyncPath(path string) error { return syncDir(path) }

// syncThreads is syncAll with a thread for each file.
func syncThreads(dir string, files []Syncer) error {
	errs := make([]error, len(files)+1)
	var wg sync.WaitGroup
	for i, f := range files {
		wg.Go(func() { errs[i] = f.Sync() })
	}
	errs[len(files)] = syncDir(dir)
	wg.Wait()
	return errors.Join(errs...)
}

// lockTries bounds how often Lock starts again because the file that it locked was
// removed in the meantime.
const lockTries = 100

// Lock locks a file, which it creates if necessary.
func (d *Dir) Lock(name string) (*Lock, error) {
	if !fileLocks {
		return nil, fmt.Errorf("%s: %s has no file locks: %w", d.name, runtime.GOOS, ErrReadOnly)
	}
	for range lockTries {
		f, err := os.OpenFile(d.File(name), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		l := &Lock{File: f, path: d.File(name)}
		if l.Held() == nil {
			return l, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s: %w", d.File(name), ErrLockLost)
}

// Lock is a locked file. Closing it releases the lock.
type Lock struct {
	*os.File
	path string
}

// Held returns an error that matches ErrLockLost if the file is no longer the one of its name.
func (l *Lock) Held() error {
	mine, err := l.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(l.path); err != nil || !os.SameFile(mine, there) {
		return fmt.Errorf("%s: %w", l.path, ErrLockLost)
	}
	return nil
}

// Temp is a scratch file. On platforms that can remove open files it has no
// name.
type Temp struct {
	*os.File
	named bool
}

// CreateTemp creates a scratch file.
func (d *Dir) CreateTemp() (*Temp, error) {
	f, err := os.CreateTemp(d.path, "spool-*"+tempSuffix)
	if err != nil {
		return nil, err
	}
	return &Temp{File: f, named: os.Remove(f.Name()) != nil}, nil
}

// Close closes and removes the file.
func (t *Temp) Close() error {
	err := t.File.Close()
	if t.named {
		if e := os.Remove(t.Name()); err == nil {
			err = e
		}
	}
	return err
}
