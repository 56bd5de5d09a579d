package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
)

// Dir is an index directory. All users of one directory in a process share one
// Dir, so that a writer does not remove what a reader beside it still uses. Safe
// for concurrent use.
type Dir struct {
	fs    ReadFS
	id    any
	users int // guarded by registry

	mu      sync.Mutex          // held while reading or removing files
	pins    map[string]int      // file name -> commits that refer to it
	garbage map[string]struct{} // superseded files that are pinned
}

// registry holds the Dir of every directory in use.
var registry struct {
	sync.Mutex
	dirs map[any]*Dir
}

// Open returns the Dir of a local directory, which must exist. It reads no file
// and writes none. The caller closes it.
func Open(path string) (*Dir, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return OpenFS(OSDir(path))
}

// Create is Open that makes the directory, and those above it, if missing.
func Create(path string) (*Dir, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
		// The new entry is durable as far as its parent goes; higher ones are not
		// worth a walk to the root.
		if err := syncDir(filepath.Dir(filepath.Clean(path))); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return Open(path)
}

// OpenFS returns the Dir of any file system. Only one that is also an FS can be
// locked and written.
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

// Close ends one use of the Dir. Commits that are still held stay valid.
func (d *Dir) Close() error {
	registry.Lock()
	defer registry.Unlock()
	return d.close()
}

// close ends one use; a Dir without users is forgotten. Callers hold registry.
func (d *Dir) close() error {
	if d.users == 0 {
		return &fs.PathError{Op: "close", Path: d.String(), Err: fs.ErrClosed}
	}
	if d.users--; d.users == 0 {
		delete(registry.dirs, d.id)
	}
	return nil
}

// use adds a use for something that outlives the caller's.
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

// String names the directory.
func (d *Dir) String() string { return d.fs.String() }

// OpenFile opens any file of the directory.
func (d *Dir) OpenFile(name string) (Data, error) { return d.fs.Open(name) }

// Generation returns the newest generation without reading its manifest, 0 if
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

// retries bounds how often a reader starts again because files went away under
// it. A writer that commits faster than a reader opens would have to win this
// often in a row.
const retries = 64

// Latest returns the newest commit. Its files stay until Release. The error of a
// directory without a commit is of kind format.ErrNotAnIndex; a newest manifest
// that is damaged or too new is an error, not a reason to take an older one.
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

// OpenLatest is Latest followed by open, which opens the commit's files. When a
// writer in another process removed a file in between, it starts again from the
// newer commit. If open fails the commit is released.
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

// Commit is one commit whose files are kept: as long as it is held, no writer of
// this process removes them. Safe for concurrent use; nothing in the Manifest may
// be modified.
type Commit struct {
	*Manifest
	dir   *Dir
	files []string
	once  sync.Once
}

// Deletes reads the deleted docIDs of segment i; nil if there are none. The bitmap
// is the caller's own.
func (c *Commit) Deletes(i int) (bm *roaring.Bitmap, err error) {
	defer CatchFault(ArmFault(), &err)
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

// Retain returns a second hold on the same commit.
func (c *Commit) Retain() *Commit {
	d := c.dir
	d.mu.Lock()
	for _, f := range c.files {
		d.pins[f]++
	}
	d.mu.Unlock()
	d.use()
	return &Commit{Manifest: c.Manifest, dir: d, files: c.files}
}

// Release gives the commit up; files that nothing else keeps and a newer commit
// superseded are removed. Further calls do nothing.
func (c *Commit) Release() { c.once.Do(c.release) }

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

// remove removes a superseded file. One that cannot be removed now is found
// again by the next sweep. Callers hold d.mu.
func (d *Dir) remove(name string) {
	delete(d.garbage, name)
	if w, ok := d.fs.(FS); ok {
		w.Remove(name)
	}
}
