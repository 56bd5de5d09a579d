package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
)

// ErrUncertain is matched by the error of a commit that failed so late that,
// after a crash, it may or may not be the newest one. The Lock can then only be
// closed; the next Lock continues from whichever commit is there.
var ErrUncertain = errors.New("the outcome of the commit is uncertain")

// Lock is the exclusive right to change a directory. All writes go through it. It
// is safe for concurrent use.
type Lock struct {
	dir    *Dir
	fs     FS
	closer io.Closer

	commit sync.Mutex // held by Commit

	mu      sync.Mutex
	cur     *Manifest
	next    uint64             // next file number
	pending map[string]*output // files of this lock that no commit names yet
	failed  error              // set once the lock can only be closed
}

// output is a file being written through a Lock.
type output struct {
	File
	lock   *Lock
	mu     sync.Mutex
	dirty  bool // written to since the last Sync
	closed bool
}

// Lock acquires the write lock of the directory or fails with ErrLocked. It finds
// the newest commit, if there is one, and removes files that crashed writers
// left. The caller closes the Lock.
func (d *Dir) Lock() (*Lock, error) {
	w, ok := d.fs.(FS)
	if !ok {
		return nil, fmt.Errorf("%s: %w", d, ErrReadOnly)
	}
	closer, err := w.Lock(LockName)
	if err != nil {
		return nil, err
	}
	l := &Lock{dir: d, fs: w, closer: closer, cur: &Manifest{NextFile: 1}, pending: make(map[string]*output)}
	if err := l.start(); err != nil {
		closer.Close()
		return nil, err
	}
	d.use()
	return l, nil
}

// start reads the newest commit and sets the next file number above all existing
// ones.
func (l *Lock) start() error {
	c, err := l.dir.Latest()
	switch {
	case err == nil:
		defer c.Release()
		l.cur = c.Manifest.Clone()
	case !errors.Is(err, format.ErrNotAnIndex):
		return err
	}
	names, err := l.fs.List()
	if err != nil {
		return err
	}
	l.next = l.cur.NextFile
	for _, s := range names {
		if p, num, ok := parseName(s); ok && p != manifestPrefix {
			l.next = max(l.next, num+1)
		}
	}
	for _, s := range names {
		if isTemp(s) {
			l.fs.Remove(s) // best effort: a leftover file does no harm
		}
	}
	return l.Clean()
}

// Manifest returns a copy of the newest commit's manifest. Before the first
// commit it has generation 0 and no segments.
func (l *Lock) Manifest() *Manifest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cur.Clone()
}

// Dir returns the locked directory.
func (l *Lock) Dir() *Dir { return l.dir }

// usable returns why the lock can no longer be used, or nil. The caller holds
// l.mu.
func (l *Lock) usable() error {
	if l.failed != nil {
		return fmt.Errorf("%s: %w", l.dir, l.failed)
	}
	return nil
}

// create creates a file with a new number.
func (l *Lock) create(name func(uint64) string) (uint64, *output, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return 0, nil, err
	}
	num := l.next
	f, err := l.fs.Create(name(num))
	l.next++ // also after a failure, which may have left the file
	if err != nil {
		return 0, nil, err
	}
	o := &output{File: f, lock: l, dirty: true}
	l.pending[name(num)] = o
	return num, o, nil
}

// CreateSegment creates an empty segment file and returns its number. Write it
// with format.NewFileWriter, then Sync and Close it. The file belongs to the lock
// until a commit names it or Discard removes it.
func (l *Lock) CreateSegment() (num uint64, f File, err error) {
	num, o, err := l.create(SegmentName)
	if err != nil {
		return 0, nil, err
	}
	return num, o, nil
}

// WriteDeletes writes and syncs a deletes file for a segment and returns its
// number. docs are local docIDs; there must be at least one.
func (l *Lock) WriteDeletes(segment format.ID, docs *roaring.Bitmap) (num uint64, err error) {
	if docs.IsEmpty() {
		return 0, errors.New("store: no documents to delete")
	}
	content, err := appendDeletes(nil, docs)
	if err != nil {
		return 0, err
	}
	num, f, err := l.create(DeletesName)
	if err != nil {
		return 0, err
	}
	err = writeSection(f, format.KindDeletes, segment, format.SectionDeletes, content)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		l.discard(DeletesName(num))
		return 0, err
	}
	return num, nil
}

// CreateTemp creates a scratch file in the directory.
func (l *Lock) CreateTemp() (Temp, error) { return l.fs.CreateTemp() }

// Discard removes file num, complete or not. This lock must have created it, and
// no commit may name it.
func (l *Lock) Discard(num uint64) error {
	if err := l.discard(SegmentName(num)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return l.discard(DeletesName(num))
}

func (l *Lock) discard(name string) error {
	l.mu.Lock()
	o := l.pending[name]
	delete(l.pending, name)
	err := l.usable()
	l.mu.Unlock()
	if err != nil {
		return err // a commit of uncertain outcome may name the file
	}
	if o == nil {
		return &fs.PathError{Op: "discard", Path: name, Err: fs.ErrNotExist}
	}
	o.Close()
	return l.removeUnused(name)
}

// Commit makes m the newest commit. It sets m.Generation and m.NextFile. The
// files that m names must belong to the newest commit, or be synced and closed
// files of this lock. Commit also discards what was published and m does not name.
// After an error that does not match ErrUncertain, the old
// commit remains and the lock is usable.
func (l *Lock) Commit(m *Manifest) error { return l.CommitAndPublish(m, nil) }

// CommitAndPublish is Commit, followed by Publish of published unless that is nil.
func (l *Lock) CommitAndPublish(m, published *Manifest) error {
	l.commit.Lock()
	defer l.commit.Unlock()
	name, content, err := l.prepare(m)
	if err == nil && published != nil {
		l.mu.Lock()
		published.Generation, published.NextFile = m.Generation, m.NextFile
		err = l.checkFiles(published)
		l.mu.Unlock()
	}
	if err != nil {
		return err
	}
	temp := name + tempSuffix
	if err := l.writeManifest(temp, content); err != nil {
		l.fs.Remove(temp)
		return fmt.Errorf("commit %d: %w", m.Generation, err)
	}
	err = l.fs.Rename(temp, name)
	if err == nil {
		err = l.fs.Sync()
	}
	l.mu.Lock()
	if err != nil {
		l.failed = ErrUncertain
		l.mu.Unlock()
		return fmt.Errorf("commit %d: %w: %w", m.Generation, ErrUncertain, err)
	}
	l.cur = m.Clone()
	for _, f := range m.Files() {
		delete(l.pending, f)
	}
	l.mu.Unlock()
	l.replacePublished(published)
	l.sweep() // best effort: a later sweep tries again
	return nil
}

// prepare numbers and checks a manifest.
func (l *Lock) prepare(m *Manifest) (name string, content []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return "", nil, err
	}
	m.Generation, m.NextFile = l.cur.Generation+1, l.next
	if err := l.checkFiles(m); err != nil {
		return "", nil, fmt.Errorf("commit %d: %w", m.Generation, err)
	}
	return ManifestName(m.Generation), AppendManifest(nil, m), nil
}

// checkFiles checks a manifest and that its files are there and complete. The caller
// holds l.mu.
func (l *Lock) checkFiles(m *Manifest) error {
	if err := m.check(); err != nil {
		return err
	}
	old := make(map[string]bool)
	for _, f := range l.cur.Files() {
		old[f] = true
	}
	for _, f := range m.Files() {
		if o := l.pending[f]; o == nil && !old[f] {
			return fmt.Errorf("%s is no file of this writer", f)
		} else if o != nil && !o.finished() {
			return fmt.Errorf("%s was not synced and closed", f)
		}
	}
	return nil
}

// writeManifest writes a manifest under a temporary name and makes it durable,
// together with the directory entries of the files that it names.
func (l *Lock) writeManifest(temp string, content []byte) error {
	f, err := l.fs.Create(temp)
	if err != nil {
		return err
	}
	err = writeSection(f, format.KindManifest, NewID(), format.SectionManifest, content)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return l.fs.Sync()
}

// Clean removes files that the newest commit does not name and that nothing in
// this process uses. Dir.Lock and Commit do so too.
func (l *Lock) Clean() error {
	if err := l.fs.Sync(); err != nil { // the newest commit must be durable before the old one is removed
		return err
	}
	return l.sweep()
}

func (l *Lock) sweep() error {
	d := l.dir
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	names, err := l.fs.List()
	if err != nil {
		return err
	}
	keep := make(map[string]bool)
	for _, f := range l.cur.Files() {
		keep[f] = true
	}
	for f := range l.pending {
		keep[f] = true
	}
	for _, f := range names {
		p, num, ours := parseName(f)
		switch {
		case !ours || keep[f]:
		case p == manifestPrefix && num >= l.cur.Generation:
		case d.pins[f] > 0:
			d.garbage[f] = struct{}{}
		default:
			d.remove(f)
		}
	}
	return nil
}

// Close releases the lock. Files that were never committed are removed unless the
// outcome of a commit is uncertain. Further calls do nothing.
func (l *Lock) Close() error {
	l.commit.Lock()
	defer l.commit.Unlock()
	l.mu.Lock()
	if errors.Is(l.failed, fs.ErrClosed) {
		l.mu.Unlock()
		return nil
	}
	pending, keep := l.pending, l.failed != nil
	l.pending, l.failed = nil, fs.ErrClosed
	l.mu.Unlock()
	l.replacePublished(nil)
	for f, o := range pending {
		o.Close()
		if !keep {
			l.removeUnused(f)
		}
	}
	err := l.closer.Close()
	l.dir.unuse()
	return err
}

func (o *output) WriteAt(p []byte, off int64) (int, error) {
	o.mu.Lock()
	o.dirty = true
	o.mu.Unlock()
	return o.File.WriteAt(p, off)
}

func (o *output) Sync() error {
	err := o.File.Sync()
	o.mu.Lock()
	o.dirty = err != nil
	o.mu.Unlock()
	return err
}

// Close closes the file. Further calls return nil.
func (o *output) Close() error {
	o.mu.Lock()
	closed := o.closed
	o.closed = true
	o.mu.Unlock()
	if closed {
		return nil
	}
	return o.File.Close()
}

func (o *output) finished() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed && !o.dirty
}
