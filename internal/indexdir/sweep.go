package indexdir

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// oldCommit is a superseded commit. Its manifest stays on disk, under its old- names,
// as long as the commit is kept, and then until the removal of the files that only it
// names is durable. So after a crash the next writer knows what may be removed.
type oldCommit struct {
	*Manifest
	gone bool // at the last sweep it was not kept, and the files that no kept one names did not exist
	torn bool // a file that it names does not exist: it cannot be kept
}

// start finds the newest commit, or creates it, and tidies up.
func (l *Lock) start(o LockOptions) error {
	ls, err := list(l.fs)
	if err != nil {
		return err
	}
	l.next = ls.next()
	newest, err := l.commits.Newest()
	if err != nil {
		return err
	}
	if newest == (CommitID{}) {
		if err := ls.noManifest(); !errors.Is(err, format.ErrNotAnIndex) {
			return err
		}
		l.keep = max(l.keep, 1)
		err := l.Commit(empty(o.Schema))
		if err != nil || ls.found == "" {
			return err
		}
		return l.clean(true) // temporary files were there
	}
	c, err := l.dir.Latest()
	if err != nil {
		return err
	}
	l.cur, l.stored, l.id = c.Manifest.Clone(), true, c.ID()
	l.cur.Ancestry = c.Ancestry()
	c.Release()
	l.next = max(l.next, l.cur.NextFile)
	l.keep = cmp.Or(l.keep, l.cur.KeepCommits, keepAll)
	if err := l.checkNamed(); err != nil {
		return err
	}
	if r, ok := l.commits.(dirRegister); ok {
		if err := r.restoreTwin(l.cur.Generation); err != nil {
			return err
		}
	}
	if err := l.findOld(ls); err != nil {
		return err
	}
	l.keepPresent()
	return l.clean(true)
}

// checkNamed checks that every file that the newest commit names exists and has the
// id that the manifest says, so that nothing is removed on the word of a manifest
// that belongs to other files.
func (l *Lock) checkNamed() error {
	for i := range l.cur.Segments {
		s := &l.cur.Segments[i]
		if err := checkFile(l.fs, SegmentName(s.File), format.KindSegment, s.ID); err != nil {
			return l.named(err)
		}
		if s.DeletesFile != 0 {
			if err := checkFile(l.fs, DeletesName(s.DeletesFile), format.KindDeletes, s.ID); err != nil {
				return l.named(err)
			}
		}
		if s.ValuesFile != 0 {
			if err := checkFile(l.fs, ValuesName(s.ValuesFile), format.KindValues, s.ID); err != nil {
				return l.named(err)
			}
		}
	}
	return nil
}

func (l *Lock) named(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missingFile(l.cur.Generation, err)
	}
	return err
}

// checkFile checks the header of a file.
func checkFile(fsys store.ReadFS, name string, kind format.Kind, id format.ID) (err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := openFile(fsys, name)
	if err != nil {
		return err
	}
	defer data.Close()
	h, err := readHeader(name, data)
	if err == nil && (h.Kind != kind || h.ID != id) {
		err = format.Locate(format.Corrupt("a %s with id %x, the manifest names a %s with id %x", h.Kind, h.ID, kind, id),
			format.Place{File: name, Block: format.NoBlock})
	}
	return err
}

// findOld finds the superseded commits. Those of which both manifests are damaged are left
// out: what they name goes to quarantine.
func (l *Lock) findOld(ls *listing) error {
	var gens []uint64
	for _, s := range ls.names {
		if n, ok := parseName(s); ok && n.isManifest() && !n.temp && n.num < l.cur.Generation {
			gens = append(gens, n.num)
		}
	}
	slices.Sort(gens)
	for _, gen := range slices.Compact(gens) {
		m, _, err := dirRegister{l.fs}.read(gen)
		switch {
		case err == nil:
			l.old = append(l.old, &oldCommit{Manifest: m, torn: l.keep > 1 && isTorn(l.fs, m)})
		case !isDamage(err) && !errors.Is(err, fs.ErrNotExist):
			return err // perhaps it can be read later
		}
	}
	return nil
}

// keepPresent sets what keepAll stands for.
func (l *Lock) keepPresent() {
	if l.keep == keepAll {
		l.keep = 1 + len(l.kept())
	}
}

// isTorn reports whether a file that a superseded commit names is gone: a crash interrupted its
// removal.
func isTorn(fsys store.ReadFS, m *Manifest) bool {
	return slices.ContainsFunc(m.Files(), func(name string) bool {
		data, err := openFile(fsys, name)
		if err == nil {
			data.Close()
		}
		return errors.Is(err, fs.ErrNotExist)
	})
}

// kept returns those of the superseded commits that are to be kept. The caller holds l.mu.
func (l *Lock) kept() map[*oldCommit]bool {
	kept := make(map[*oldCommit]bool)
	for _, o := range slices.Backward(l.old) {
		if len(kept) < l.keep-1 && !o.torn {
			kept[o] = true
		}
	}
	return kept
}

// superseded reports whether commits remain on disk that are not to be kept.
func (l *Lock) superseded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept()) < len(l.old)
}

// Clean removes files of superseded commits that nothing in this process uses, and
// moves committed files that no commit accounts for into the quarantine folder.
// LockWith and Commit do so too.
func (l *Lock) Clean() error {
	if err := l.isClosed(); err != nil {
		return err
	}
	return l.clean(false)
}

func (l *Lock) clean(first bool) error {
	for i := 0; i == 0 || i == 1 && l.superseded(); i++ { // files first, then the manifests that name them
		if err := l.fs.Sync(); err != nil { // what the sweep builds on must be durable
			return err
		}
		if err := l.sweep(first && i == 0); err != nil {
			return err
		}
	}
	return nil
}

// sweep tidies the directory. The newest commit must be durable. The first sweep of a
// lock also removes temporary files.
func (l *Lock) sweep(first bool) error {
	d := l.dir
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stillHeld(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ls, err := list(l.fs)
	if err != nil {
		return err
	}
	s := l.plan(ls)
	if err := s.complete(); err != nil {
		return err
	}
	for _, name := range ls.names {
		n, ok := parseName(name)
		switch {
		case !ok:
			if first && isSpool(name) {
				l.fs.Remove(name) // best effort here and below: the next sweep tries again
			}
		case n.isManifest():
			s.manifest(name, n, first)
		default:
			s.file(name, n, first)
		}
	}
	l.old = slices.DeleteFunc(l.old, func(o *oldCommit) bool { return s.removed[o.Generation] })
	for _, o := range l.old {
		o.gone = !s.kept[o] && !slices.ContainsFunc(o.Files(), s.lingers)
	}
	return nil
}

// sweeping is the state of one sweep.
type sweeping struct {
	lock    *Lock
	exists  map[string]bool       // names of segment and deletes files, as commits name them
	kept    map[*oldCommit]bool   // superseded ones
	commit  map[string]bool       // named by the newest commit or one that is kept
	stale   map[string]bool       // named by other commits only
	old     map[uint64]*oldCommit // by generation
	removed map[uint64]bool       // commits whose manifests this sweep removed
}

func (l *Lock) plan(ls *listing) *sweeping {
	s := &sweeping{lock: l, exists: map[string]bool{}, commit: map[string]bool{}, stale: map[string]bool{},
		old: map[uint64]*oldCommit{}, removed: map[uint64]bool{}}
	for _, name := range ls.names {
		if n, ok := parseName(name); ok && !n.isManifest() {
			s.exists[n.String()] = true
		}
	}
	for _, f := range l.cur.Files() {
		s.commit[f] = true
	}
	s.kept = l.kept()
	for o := range s.kept {
		for _, f := range o.Files() {
			s.commit[f] = true
		}
	}
	for _, o := range l.old {
		for _, f := range o.Files() {
			s.stale[f] = !s.commit[f]
		}
		s.old[o.Generation] = o
		s.removed[o.Generation] = !s.kept[o] && o.gone
	}
	return s
}

// complete returns an error if the newest commit names a file that does not exist.
// Then nothing may be removed.
func (s *sweeping) complete() error {
	for _, f := range s.lock.cur.Files() {
		if !s.exists[f] {
			return missingFile(s.lock.cur.Generation, &fs.PathError{Op: "find", Path: f, Err: fs.ErrNotExist})
		}
	}
	return nil
}

// lingers reports whether a file that no kept commit names still exists.
func (s *sweeping) lingers(f string) bool { return s.stale[f] && s.exists[f] }

// manifest tidies a file of a manifest.
func (s *sweeping) manifest(name string, n fileName, first bool) {
	switch fsys := s.lock.fs; {
	case n.temp:
		if first {
			fsys.Remove(name)
		}
	case n.num >= s.lock.cur.Generation:
	case s.old[n.num] == nil: // neither of its files is readable
		fsys.Quarantine(name)
	case s.removed[n.num]:
		if fsys.Remove(name) != nil {
			s.removed[n.num] = false
		}
	case !n.old:
		fsys.Rename(name, oldPrefix+name)
	}
}

// file tidies a segment or deletes file.
func (s *sweeping) file(name string, n fileName, first bool) {
	l, f := s.lock, n.String()
	_, pending := l.pending[f]
	pinned := l.dir.pins[f] > 0
	switch {
	case pending:
	case s.commit[f]:
		delete(l.dir.garbage, f) // of a commit that is kept now, or restored
		if n.temp {
			l.fs.Rename(name, f) // readers find it under both names
		}
	case s.stale[f] && pinned:
		l.dir.garbage[f] = struct{}{}
	case s.stale[f]:
		if l.fs.Remove(name) == nil {
			delete(s.exists, f)
		}
	case n.temp && l.cur.Generation == 1 && n.num < l.cur.NextFile && !pinned: // from before the index
		l.fs.Quarantine(name)
	case n.temp:
		if first && pinned { // of a publication that outlived its lock
			l.dir.garbage[f] = struct{}{}
		} else if first {
			l.fs.Remove(name)
		}
	case !pinned:
		l.fs.Quarantine(name)
	}
}
