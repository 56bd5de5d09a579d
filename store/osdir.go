package store

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

// osDir is a directory of the local file system.
type osDir struct {
	path string
	perm fs.FileMode // of files that Create makes; 0 means 0o666
}

// osID distinguishes the ID of an osDir from that of any other ReadFS.
type osID string

// OSDir returns the FS of a local directory, which need not exist yet. Open maps
// files into memory, but for small ones (see Access). On js and wasip1 it reads them whole,
// and Lock fails with ErrReadOnly.
func OSDir(path string) FS { return osDir{path: path} }

func (d osDir) String() string { return d.path }

// ID returns the absolute path with symbolic links resolved, as far as the path
// exists.
func (d osDir) ID() any {
	p, err := filepath.Abs(d.path)
	if err != nil {
		p = d.path
	}
	if q, err := filepath.EvalSymlinks(p); err == nil {
		p = q
	}
	return osID(p)
}

func (d osDir) file(name string) string { return filepath.Join(d.path, name) }

func (d osDir) List() ([]string, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, &format.Error{Kind: format.ErrNotAnIndex, File: d.path, Block: format.NoBlock, Offset: -1,
			Msg: "an index is a directory, this is a file"}
	}
	return f.Readdirnames(-1)
}

func (d osDir) Open(name string) (Data, error) { return mapFile(d.file(name), name, Access{}) }

func (d osDir) Create(name string) (File, error) {
	f, err := os.OpenFile(d.file(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, cmp.Or(d.perm, anyFile))
	if err != nil {
		return nil, err // not f, which would be a non-nil File
	}
	return &osFile{File: f}, nil
}

// osFile is a file being written, mostly sequentially.
type osFile struct {
	*os.File
	from, to int64 // range written since the last writeBehind
}

// behindBytes is how many bytes are written between calls of writeBehind.
const behindBytes = 4 << 20

// WriteAt writes p at off. It is called by one goroutine at a time.
func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
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

func (d osDir) Rename(from, to string) error { return renameFile(d.file(from), d.file(to)) }

func (d osDir) Remove(name string) error { return os.Remove(d.file(name)) }

// Quarantine also makes the move durable in the folder.
func (d osDir) Quarantine(name string) error {
	folder := d.file(QuarantineName)
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
	if err := renameFile(d.file(name), to); err != nil {
		return err
	}
	return syncDir(folder)
}

// Sync syncs files and directory at the same time, which on journaling file systems
// costs little more than one of them.
func (d osDir) Sync(files ...File) error { return syncAll(d.path, files) }

// syncThreads is syncAll with a thread for each file.
func syncThreads(dir string, files []File) error {
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

func (d osDir) Lock(name string) (FileLock, error) {
	if !fileLocks {
		return nil, fmt.Errorf("%s: %s has no file locks: %w", d.path, runtime.GOOS, ErrReadOnly)
	}
	for range lockTries {
		f, err := os.OpenFile(d.file(name), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", d.path, err)
		}
		l := &osLock{File: f, path: d.file(name)}
		if l.Held() == nil {
			return l, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s: %w", d.file(name), ErrLockLost)
}

// osLock is a locked file. Closing it releases the lock.
type osLock struct {
	*os.File
	path string
}

func (l *osLock) Held() error {
	mine, err := l.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(l.path); err != nil || !os.SameFile(mine, there) {
		return fmt.Errorf("%s: %w", l.path, ErrLockLost)
	}
	return nil
}

// osTemp is a scratch file. On platforms that can remove open files it has no
// name.
type osTemp struct {
	*os.File
	named bool
}

func (d osDir) CreateTemp() (Temp, error) {
	f, err := os.CreateTemp(d.path, "spool-*"+tempSuffix)
	if err != nil {
		return nil, err
	}
	return &osTemp{File: f, named: os.Remove(f.Name()) != nil}, nil
}

func (t *osTemp) Close() error {
	err := t.File.Close()
	if t.named {
		if e := os.Remove(t.Name()); err == nil {
			err = e
		}
	}
	return err
}
