package indexdir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Lock is the exclusive right to change a directory. All writes go through it. It
// is safe for concurrent use.
type Lock struct {
	dir     *Dir
	fs      store.FS
	commits register
	held    store.FileLock
	keep    int    // how many commits are kept, at least 1 once start has run
	record  int    // what commits say of it, unless 0
	session uint64 // that its commits are of

	commit sync.Mutex // held by Commit

	mu      sync.Mutex
	cur     *Manifest
	id      CommitID           // of cur
	stored  bool               // cur is a commit on disk
	old     []*oldCommit       // superseded commits on disk, oldest first
	next    uint64             // next file number
	pending map[string]*output // files of this lock that no commit names yet, by their final names
	late    atomic.Int32       // closed files that Commit is to sync
	failed  error              // set once the lock can only be closed
}

// LockOptions configure LockWith. The zero value means the defaults.
type LockOptions struct {
	// KeepCommits is how many commits are kept with all their files, the newest
	// included. Each commit records it, and 0 means what the newest one says: of a new index 1,
	// and of one of version 0.2, which says nothing, as many as there are. Dir.At opens the others.
	KeepCommits int
	// Schema is that of the empty commit that makes a new index. Nil means the implicit schema, without an analyzer.
	Schema *schema.Schema
	// Perm is the permissions of the files of a new index in a local directory, as far as
	// the umask leaves them; 0 means 0o666. A new file of an index that is there has the
	// permissions that all its files have.
	Perm fs.FileMode
}

// keepAll is more than there can be: as many as there are.
const keepAll = math.MaxInt

// Lock is LockWith with the default options.
func (d *Dir) Lock() (*Lock, error) { return d.LockWith(LockOptions{}) }

// LockWith acquires the write lock of the directory or fails with ErrLocked. In a
// directory without a trace of an index it commits an empty manifest, commit 1.
// Otherwise it finds the newest commit, restores a damaged file of its manifest from
// the other one, and removes what crashed writers left. If files that the newest
// commit names are missing or are others, that is an error, and nothing is removed.
// The caller closes the Lock.
func (d *Dir) LockWith(o LockOptions) (*Lock, error) {
	l, err := d.acquire(o)
	if err != nil {
		return nil, err
	}
	if err := l.start(o); err != nil {
		l.failed = err // Close must not clean up
		l.Close()
		return nil, err
	}
	return l, nil
}

// acquire acquires the lock and reads nothing.
func (d *Dir) acquire(o LockOptions) (*Lock, error) {
	if err := d.err("lock"); err != nil {
		return nil, err
	}
	w, ok := d.fs.(store.FS)
	if !ok {
		return nil, fmt.Errorf("%s: %w", d, store.ErrReadOnly)
	}
	d.mu.Lock() // Release may have the lock for a moment
	defer d.mu.Unlock()
	held, err := w.Lock(LockName)
	if err != nil {
		return nil, err
	}
	w = creating(w, o.Perm)
	commits := d.commits
	if _, ok := commits.(dirRegister); ok {
		commits = dirRegister{w}
	}
	l := &Lock{
		dir: d.hold(), fs: w, commits: commits, held: held, keep: min(max(o.KeepCommits, 0), MaxKeepCommits),
		session: rand.Uint64(), cur: empty(nil), next: 1, pending: make(map[string]*output),
	}
	d.writer = l
	clear(d.garbage) // other writers may have changed what the names stand for
	return l, nil
}

// Manifest returns a copy of the newest commit's manifest. That of a new index has
// number 1 and no segments.
func (l *Lock) Manifest() *Manifest {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil { // the zero Lock
		return empty(nil)
	}
	return l.cur.Clone()
}

// KeepCommits returns how many commits are kept, at least 1.
func (l *Lock) KeepCommits() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keep
}

// Dir returns the locked directory, open until l is closed. The caller does not close it.
func (l *Lock) Dir() *Dir { return l.dir }

// isClosed is usable for callers that do not hold l.mu.
func (l *Lock) isClosed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usable()
}

// usable returns why the lock can no longer be used, or nil. The caller holds
// l.mu.
func (l *Lock) usable() error {
	if l.dir == nil { // the zero Lock
		return fmt.Errorf("store: %w", fs.ErrClosed)
	}
	if l.failed != nil {
		return fmt.Errorf("%s: %w", l.dir, l.failed)
	}
	return nil
}

// create creates a file with a new number.
func (l *Lock) create(name func(uint64) string) (uint64, *output, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stillHeld(); err != nil {
		return 0, nil, err // where the directory was, there may be another
	}
	num := l.next
	f, err := l.fs.Create(name(num) + tempSuffix)
	l.next++ // also after a failure, which may have left the file
	if err != nil {
		return 0, nil, err
	}
	o := &output{File: f, lock: l, dirty: true, open: true}
	l.pending[name(num)] = o
	return num, o, nil
}

// CreateSegment creates an empty segment file and returns its number. Write it
// with format.NewFileWriter, then Close it. Sync before Close is worth it only for a
// large file: Commit syncs what was not synced, all files at once. The file belongs
// to the lock, under a temporary name, until a commit names it or Discard removes it.
func (l *Lock) CreateSegment() (num uint64, f store.File, err error) {
	num, o, err := l.create(SegmentName)
	if err != nil {
		return 0, nil, err
	}
	return num, o, nil
}

// WriteDeletes writes a deletes file for the segment that s describes, and sets s.DeletesFile,
// s.DeletesID and s.Deleted. docs are local docIDs; there must be at least one. The
// numbers of tokens are the caller's to set.
func (l *Lock) WriteDeletes(s *SegmentInfo, docs *docset.Bits) error {
	if s == nil || docs.Len() == 0 {
		return errors.New("store: no documents to delete")
	}
	var id format.ID
	var content []byte
	if !isFirst(format.Current()) {
		id = NewID()
		content = append(content, id[:]...)
	}
	content = docs.AppendPortable(content)
	num, f, err := l.create(DeletesName)
	if err != nil {
		return err
	}
	err = writeSection(f, format.KindDeletes, s.ID, format.SectionDeletes, content)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		l.discard(DeletesName(num))
		return err
	}
	s.DeletesFile, s.DeletesID, s.Deleted = num, id, docs.Len()
	return nil
}

// CreateTemp creates a scratch file in the directory.
func (l *Lock) CreateTemp() (store.Temp, error) {
	l.mu.Lock()
	err := l.stillHeld()
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return l.fs.CreateTemp()
}

// Discard removes file num, complete or not. This lock must have created it, and
// no commit may name it. A file that is published remains until that ends.
func (l *Lock) Discard(num uint64) error {
	if err := l.discard(SegmentName(num)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := l.discard(DeletesName(num)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return l.discard(ValuesName(num))
}

func (l *Lock) discard(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stillHeld(); err != nil {
		return err // a commit of uncertain outcome may name the file, or it may be another writer's
	}
	o := l.pending[name]
	if o == nil {
		return &fs.PathError{Op: "discard", Path: name, Err: fs.ErrNotExist}
	}
	if l.dir.publishes(name) {
		return nil // what is published can be published again; replacePublished discards it
	}
	delete(l.pending, name)
	o.release()
	return l.removeUnused(name)
}

// Commit makes m the newest commit. It sets m.Generation, m.NextFile, m.KeepCommits and m.Ancestry. The
// files that m names must belong to the newest commit, or be closed files of this
// lock. Commit also discards what was published and m does not name. After an error
// that matches neither ErrUncertain nor ErrLockLost, the old commit remains and the
// lock is usable. A file that could not be synced is not committed later either: it must be
// discarded and written again.
func (l *Lock) Commit(m *Manifest) error { return l.CommitAndPublish(m, nil) }

// CommitAndPublish is Commit, followed by Publish of published unless that is nil.
func (l *Lock) CommitAndPublish(m, published *Manifest) error {
	if m == nil {
		return cmp.Or(l.isClosed(), fmt.Errorf("%w: no manifest", store.ErrInvalid))
	}
	l.commit.Lock()
	defer l.commit.Unlock()
	unsynced, err := l.prepare(m)
	if err == nil && published != nil {
		l.mu.Lock()
		published.Generation, published.NextFile, published.Ancestry = m.Generation, m.NextFile, format.Ancestry{}
		err = l.checkFiles(published)
		l.mu.Unlock()
	}
	if err != nil {
		return err
	}
	id, err := l.swap(m, unsynced)
	l.mu.Lock()
	if err != nil {
		if errors.Is(err, store.ErrUncertain) {
			l.failed = store.ErrUncertain
		}
		l.mu.Unlock()
		return fmt.Errorf("commit %d: %w", m.Generation, err)
	}
	if l.stored {
		l.old = append(l.old, &oldCommit{Manifest: l.cur})
	}
	l.cur, l.stored, l.id = m.Clone(), true, id
	for _, f := range m.Files() {
		if o := l.pending[f]; o != nil {
			o.release() // still open if it was synced by a commit that failed
			delete(l.pending, f)
		}
	}
	l.mu.Unlock()
	l.replacePublished(published)
	l.sweep(false) // best effort: a later sweep tries again
	return nil
}

// swap makes m the newest commit in the register, once the files that are to be synced are
// durable and if the lock is still held.
func (l *Lock) swap(m *Manifest, unsynced []*output) (CommitID, error) {
	files := make([]store.File, len(unsynced))
	for i, o := range unsynced {
		files[i] = o
	}
	return l.commits.CompareAndSwap(l.id, m, files, func() error {
		for _, o := range unsynced {
			if err := o.synced(); err != nil {
				return err
			}
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.stillHeld()
	})
}

// prepare numbers and checks a manifest. It returns the files of m that are to be synced.
func (l *Lock) prepare(m *Manifest) (unsynced []*output, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stillHeld(); err != nil {
		return nil, err
	}
	m.Version = format.Current()
	m.Generation, m.NextFile, m.KeepCommits = l.cur.Generation+1, l.next, cmp.Or(l.record, l.keep)
	m.Ancestry = l.cur.Ancestry.Next(m.Generation, l.session)
	if err := l.checkFiles(m); err != nil {
		return nil, fmt.Errorf("commit %d: %w", m.Generation, err)
	}
	for _, f := range m.Files() {
		if o := l.pending[f]; o != nil {
			if _, synced, _ := o.state(); !synced {
				unsynced = append(unsynced, o)
			}
		}
	}
	return unsynced, nil
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
		o := l.pending[f]
		if o == nil && !old[f] {
			return fmt.Errorf("%s is no file of this writer", f)
		}
		if o == nil {
			continue
		}
		closed, _, err := o.state()
		if !closed {
			return fmt.Errorf("%s is not closed", f)
		}
		if err != nil {
			return fmt.Errorf("%s may have lost content and must be written again: %w", f, err)
		}
	}
	return nil
}

// stillHeld is usable, but also returns an error, and makes the lock unusable, if the
// lock file was removed or replaced.
func (l *Lock) stillHeld() error {
	if err := l.usable(); err != nil {
		return err
	}
	err := l.held.Held()
	if errors.Is(err, store.ErrLockLost) {
		l.failed = err
	}
	return err
}

// Close releases the lock. Files that were never committed are removed unless the
// outcome of a commit is uncertain or another writer may be at work. Further calls do
// nothing.
func (l *Lock) Close() error {
	if l.dir == nil { // the zero Lock
		return nil
	}
	l.commit.Lock()
	defer l.commit.Unlock()
	l.mu.Lock()
	if errors.Is(l.failed, fs.ErrClosed) {
		l.mu.Unlock()
		return nil
	}
	keep := l.stillHeld() != nil
	l.mu.Unlock()
	if !keep && l.superseded() {
		l.Clean() // best effort: the next lock tries again
	}
	l.mu.Lock()
	pending := l.pending
	keep = l.stillHeld() != nil
	l.pending, l.failed = nil, fs.ErrClosed // nothing is created or discarded from now on
	l.mu.Unlock()
	if c := l.dir.setPublished(nil); c != nil {
		c.Release()
	}
	for f, o := range pending {
		o.release()
		if !keep {
			l.removeUnused(f)
		}
	}
	return l.release()
}

// release releases the lock. From then on, what snapshots hold is removed only if the newest
// commit is still l.cur.
func (l *Lock) release() error {
	d := l.dir
	defer d.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writer == l { // else it lost the lock file
		d.writer, d.last = nil, l.id
	}
	return l.held.Close()
}
