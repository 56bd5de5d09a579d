package indexdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/store"
)

// Dir is an index directory, open. All Dirs of a directory in a process know of each
// other, so that a writer does not remove files that a reader still uses. It is safe
// for concurrent use. After Close its methods fail with an error that matches
// fs.ErrClosed. The zero Dir is closed.
type Dir struct {
	*folder
	closed atomic.Bool
}

// folder is what the Dirs of a directory share.
type folder struct {
	fs      store.ReadFS
	commits register
	id      any
	users   int // guarded by registry

	mu      sync.Mutex          // held while files are read or removed
	pins    map[string]int      // file name -> commits that refer to it
	writer  *Lock               // the open one; nil if there is none
	last    CommitID            // of the newest commit when the last one was closed
	garbage map[string]struct{} // files that the last Lock would have removed, were they not pinned

	published *Commit // by the Lock, since the newest commit; nil if there is none
	sequence  uint64  // Commit.Published of the last one
}

// registry holds the folder of every directory in use.
var registry struct {
	sync.Mutex
	folders map[any]*folder
}

// Open returns the Dir of a local directory, which must exist. It neither reads
// nor writes files. The caller closes the Dir.
func Open(path string) (*Dir, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return OpenFS(store.Dir(path))
}

// Create is Open, but creates the directory and its parents if necessary.
func Create(path string) (*Dir, error) { return create(path, 0o777) }

// makeDir makes a directory with the permissions perm, and its parents if necessary.
func makeDir(path string, perm fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(path)), 0o777); err != nil {
		return err
	}
	return os.Mkdir(path, perm)
}

func create(path string, perm fs.FileMode) (*Dir, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeDir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		// This makes the new entry durable in its parent only; entries further up are
		// not worth a walk to the root.
		if err := osdir.SyncPath(filepath.Dir(filepath.Clean(path))); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return Open(path)
}

// OpenFS returns the Dir of any file system. It can be locked and written only if
// fsys is also an FS. The caller closes the Dir.
func OpenFS(fsys store.ReadFS) (*Dir, error) {
	if fsys == nil {
		return nil, fmt.Errorf("%w: no file system", store.ErrInvalid)
	}
	id := fsys.ID()
	registry.Lock()
	defer registry.Unlock()
	f := registry.folders[id]
	if f == nil {
		f = &folder{fs: fsys, commits: dirRegister{fsys}, id: id, pins: make(map[string]int), garbage: make(map[string]struct{})}
	}
	return f.use(), nil
}

// Close ends the use of the directory by this Dir. Commits and Locks that are still
// held remain valid.
func (d *Dir) Close() error {
	if d.closed.Swap(true) || d.folder == nil {
		return d.closedError("close")
	}
	registry.Lock()
	defer registry.Unlock()
	if d.users--; d.users == 0 {
		delete(registry.folders, d.id)
	}
	return nil
}

// use returns a new Dir. The caller holds registry.
func (f *folder) use() *Dir {
	if f.users++; f.users == 1 {
		if registry.folders == nil {
			registry.folders = make(map[any]*folder)
		}
		registry.folders[f.id] = f
	}
	return &Dir{folder: f}
}

// hold returns a new Dir for something that may outlive the caller's.
func (f *folder) hold() *Dir {
	registry.Lock()
	defer registry.Unlock()
	return f.use()
}

// err returns an error after Close.
func (d *Dir) err(op string) error {
	if d.closed.Load() || d.folder == nil {
		return d.closedError(op)
	}
	return nil
}

func (d *Dir) closedError(op string) error {
	return &fs.PathError{Op: op, Path: d.String(), Err: fs.ErrClosed}
}

// FS returns the file system that d is in.
func (d *Dir) FS() store.ReadFS {
	if d.folder == nil {
		return nil
	}
	return d.fs
}

// Same reports whether d and other are the same directory.
func (d *Dir) Same(other *Dir) bool { return other != nil && d.folder == other.folder }

// String returns the directory's name.
func (f *folder) String() string {
	if f == nil {
		return ""
	}
	return f.fs.String()
}

// Name returns a name that does not depend on how the directory was opened: of a local one
// its absolute path, with symbolic links resolved, and otherwise what String returns.
func (f *folder) Name() string {
	if f == nil {
		return ""
	}
	if path, ok := f.id.(osdir.ID); ok {
		return string(path)
	}
	return f.String()
}

// OpenFile opens a file of the directory. A segment or deletes file is found also
// under the temporary name that it has until after its commit. The caller closes it.
func (d *Dir) OpenFile(name string) (store.Data, error) {
	if err := d.err("open"); err != nil {
		return nil, err
	}
	return openFile(d.fs, name)
}

func openFile(fsys store.ReadFS, name string) (store.Data, error) {
	data, err := fsys.Open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if data, err := fsys.Open(name + tempSuffix); !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	return fsys.Open(name) // it may just have been renamed
}

// Generation returns the number of the newest commit without reading its manifest, or 0 if
// there is none.
func (d *Dir) Generation() (uint64, error) {
	if err := d.err("read"); err != nil {
		return 0, err
	}
	l, err := list(d.fs)
	if err != nil {
		return 0, err
	}
	return l.newest, nil
}

// Latest returns the newest commit. The caller releases it; until then its files
// remain. Of the two files of its manifest one suffices. For a directory without a
// trace of an index the error is of kind format.ErrNotAnIndex. If both files of the
// newest manifest are damaged, missing or too new, that is an error; Latest does not
// fall back to an older one.
func (d *Dir) Latest() (*Commit, error) {
	if err := d.err("open"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m, id, err := d.commits.Load()
	if err != nil {
		return nil, err
	}
	c := d.pin(m)
	c.id = id
	return c, nil
}

// pin returns the commit of m. The caller holds d.mu.
func (d *folder) pin(m *Manifest) *Commit {
	c := &Commit{Manifest: m, dir: d.hold(), files: m.Files()}
	for _, f := range c.files {
		d.pins[f]++
	}
	return c
}

// At returns the commit of a number that Lock still keeps
// (LockOptions.KeepCommits). The caller releases it. If there is none, the error
// matches fs.ErrNotExist.
func (d *Dir) At(generation uint64) (*Commit, error) {
	if err := d.err("open"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m, id, err := dirRegister{d.fs}.read(generation)
	if err != nil {
		return nil, err
	}
	if l, err := list(d.fs); err != nil {
		return nil, err
	} else if generation < l.newest && isTorn(d.fs, m) {
		return nil, fmt.Errorf("commit %d is removed, its manifest remained: %w", generation, fs.ErrNotExist)
	}
	c := d.pin(m)
	c.id = id
	return c, nil
}

// OpenLatest is Latest followed by open, which opens the commit's files. If a
// writer in another process removes a file in between, OpenLatest starts again
// from the newer commit. If open fails, it releases the commit.
func (d *Dir) OpenLatest(open func(*Commit) error) (*Commit, error) {
	if open == nil {
		return nil, fmt.Errorf("%w: no function opens the commit", store.ErrInvalid)
	}
	for attempt := 1; ; attempt++ {
		c, err := d.Latest()
		if err != nil {
			return nil, err
		}
		if err = open(c); err == nil {
			return c, nil
		}
		c.Release()
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		now, e := d.Newest()
		if e != nil {
			return nil, e
		}
		if now == c.id {
			return nil, missingFile(c.Generation, err)
		}
		if attempt == retries {
			return nil, fmt.Errorf("%s: commits follow too fast: %w", d, err)
		}
	}
}

// missingFile returns the error for a commit of which a file does not exist.
func missingFile(gen uint64, err error) error {
	e := format.Corrupt("a file that the manifest names is missing")
	e.File, e.Err = ManifestName(gen), err
	return e
}
