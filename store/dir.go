package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
)

// Dir is an index directory. All users of a directory in a process share one Dir,
// so that a writer does not remove files that a reader still uses. It is safe for
// concurrent use.
type Dir struct {
	fs    ReadFS
	id    any
	users int // guarded by registry

	mu      sync.Mutex          // held while files are read or removed
	pins    map[string]int      // file name -> commits that refer to it
	garbage map[string]struct{} // superseded files that are pinned
}

// registry holds the Dir of every directory in use.
var registry struct {
	sync.Mutex
	dirs map[any]*Dir
}

// Open returns the Dir of a local directory, which must exist. It neither reads
// nor writes files. The caller closes the Dir.
func Open(path string) (*Dir, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return OpenFS(OSDir(path))
}

// Create is Open, but creates the directory and its parents if necessary.
func Create(path string) (*Dir, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
		// This makes the new entry durable in its parent only; entries further up are
		// not worth a walk to the root.
		if err := syncDir(filepath.Dir(filepath.Clean(path))); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return Open(path)
}

// OpenFS returns the Dir of any file system. It can be locked and written only if
// fsys is also an FS. The caller closes the Dir.
func OpenFS(fsys ReadFS) (*Dir, error) {
	id := fsys.ID()
	registry.Lock()
	defer registry.Unlock()
	d := registry.dirs[id]
	if d == nil {
		d = &Dir{fs: fsys, id: id, pins: make(map[string]int), garbage: make(map[string]struct{})}
		if registry.dirs == nil {
			registry.dirs = make(map[any]*Dir)
		}
		registry.dirs[id] = d
	}
	d.users++
	return d, nil
}

// Close ends one use of the Dir. Commits that are still held remain valid. It
// must be called once for each Open, Create or OpenFS.
func (d *Dir) Close() error {
	registry.Lock()
	defer registry.Unlock()
	return d.close()
}

// close ends one use. A Dir without users leaves the registry. The caller holds
// registry.
func (d *Dir) close() error {
	if d.users == 0 {
		return &fs.PathError{Op: "close", Path: d.String(), Err: fs.ErrClosed}
	}
	if d.users--; d.users == 0 {
		delete(registry.dirs, d.id)
	}
	return nil
}

// use adds a use for something that may outlive the caller's use.
func (d *Dir) use() {
	registry.Lock()
	if d.users++; d.users == 1 {
		registry.dirs[d.id] = d
	}
	registry.Unlock()
}

func (d *Dir) unuse() {
	registry.Lock()
	d.close()
	registry.Unlock()
}

// String returns the directory's name.
func (d *Dir) String() string { return d.fs.String() }

// OpenFile opens any file of the directory. The caller closes it.
func (d *Dir) OpenFile(name string) (Data, error) { return d.fs.Open(name) }

// Generation returns the newest generation without reading its manifest, or 0 if
// there is none.
func (d *Dir) Generation() (uint64, error) {
	names, err := d.fs.List()
	if err != nil {
		return 0, err
	}
	var newest uint64
	for _, s := range names {
		if p, num, ok := parseName(s); ok && p == manifestPrefix {
			newest = max(newest, num)
		}
	}
	return newest, nil
}

// retries bounds how often a reader starts again because files were removed while
// it opened them. A writer would have to commit faster than a reader opens that
// many times in a row.
const retries = 64

// Latest returns the newest commit. The caller releases it; until then its files
// remain. For a directory without a commit the error is of kind
// format.ErrNotAnIndex. If the newest manifest is damaged or too new, that is an
// error; Latest does not fall back to an older one.
func (d *Dir) Latest() (*Commit, error) {
	for attempt := 1; ; attempt++ {
		c, err := d.latest()
		// A listing is not atomic: it can miss both the new manifest and the old
		// one, or show one that is gone when it is opened.
		gone := errors.Is(err, fs.ErrNotExist) && attempt < retries
		none := errors.Is(err, format.ErrNotAnIndex) && attempt < 3
		if !gone && !none {
			return c, err
		}
	}
}

func (d *Dir) latest() (*Commit, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gen, err := d.Generation()
	if err != nil {
		return nil, err
	}
	if gen == 0 {
		return nil, &format.Error{Kind: format.ErrNotAnIndex, File: d.String(), Block: format.NoBlock, Offset: -1,
			Msg: "the directory has no manifest"}
	}
	m, err := d.readManifest(gen)
	if err != nil {
		return nil, err
	}
	c := &Commit{Manifest: m, dir: d, files: m.Files()}
	for _, f := range c.files {
		d.pins[f]++
	}
	d.use()
	return c, nil
}

func (d *Dir) readManifest(gen uint64) (m *Manifest, err error) {
	defer CatchFault(ArmFault(), &err)
	name := ManifestName(gen)
	data, err := d.fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	if m, err = ReadManifest(name, data); err != nil {
		return nil, err
	}
	if m.Generation != gen {
		return nil, format.Locate(format.Corrupt("the file holds generation %d", m.Generation),
			format.Place{File: name, Section: format.SectionManifest.String(), Block: format.NoBlock})
	}
	return m, nil
}

// OpenLatest is Latest followed by open, which opens the commit's files. If a
// writer in another process removes a file in between, OpenLatest starts again
// from the newer commit. If open fails, it releases the commit.
func (d *Dir) OpenLatest(open func(*Commit) error) (*Commit, error) {
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
		gen, e := d.Generation()
		if e != nil {
			return nil, e
		}
		if gen == c.Generation {
			e := format.Corrupt("a file that the manifest names is missing")
			e.File, e.Err = ManifestName(gen), err
			return nil, e
		}
		if attempt == retries {
			return nil, fmt.Errorf("%s: commits follow too fast: %w", d, err)
		}
	}
}

// Commit is one commit whose files are kept: until Release, no writer of this
// process removes them. It is safe for concurrent use. The Manifest must not be
// modified.
type Commit struct {
	*Manifest
	dir      *Dir
	files    []string
	released atomic.Bool
}

// Deletes reads the deleted docIDs of segment i. It returns nil if there are
// none. The caller owns the bitmap.
func (c *Commit) Deletes(i int) (bm *roaring.Bitmap, err error) {
	defer CatchFault(ArmFault(), &err)
	if err := c.err(); err != nil {
		return nil, err
	}
	s := &c.Segments[i]
	if s.DeletesFile == 0 {
		return nil, nil
	}
	name := DeletesName(s.DeletesFile)
	data, err := c.dir.fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return ReadDeletes(name, data, s)
}

// Retain returns a second Commit for the same files, to be released separately. If c
// is released, so is the result.
func (c *Commit) Retain() *Commit {
	d := c.dir
	d.mu.Lock()
	if c.released.Load() { // its files may be gone
		d.mu.Unlock()
		r := &Commit{Manifest: c.Manifest, dir: d}
		r.released.Store(true)
		return r
	}
	for _, f := range c.files {
		d.pins[f]++
	}
	d.mu.Unlock()
	d.use()
	return &Commit{Manifest: c.Manifest, dir: d, files: c.files}
}

// Release ends the use of the commit. Files that a newer commit superseded and
// nothing else uses are removed. Further calls do nothing; other methods then fail
// with an error that matches fs.ErrClosed. Files that were opened before stay open.
func (c *Commit) Release() {
	if !c.released.Swap(true) {
		c.release()
	}
}

// err returns an error after Release.
func (c *Commit) err() error {
	if c.released.Load() {
		return &fs.PathError{Op: "open", Path: c.dir.String(), Err: fs.ErrClosed}
	}
	return nil
}

func (c *Commit) release() {
	d := c.dir
	d.mu.Lock()
	for _, f := range c.files {
		if d.pins[f]--; d.pins[f] > 0 {
			continue
		}
		delete(d.pins, f)
		if _, ok := d.garbage[f]; ok {
			d.remove(f)
		}
	}
	d.mu.Unlock()
	d.unuse()
}

// remove removes a superseded file. If that fails, the next sweep tries again.
// The caller holds d.mu.
func (d *Dir) remove(name string) {
	delete(d.garbage, name)
	if w, ok := d.fs.(FS); ok {
		w.Remove(name)
	}
}
