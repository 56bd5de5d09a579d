package indexdir

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// Publish makes m visible to readers in this process that ask for it
// (Dir.OpenPublished), until the next Publish, Commit or Close. If m holds nothing new,
// it does nothing. It sets m.Generation to that of the newest commit. The files that m
// names must belong to the newest commit or be closed files of this lock. Nothing
// becomes durable: other processes do not see m, and a crash loses it unless a Commit
// names its files.
//
// Of the files that the publication before named, those of this lock that m does not
// name are discarded.
func (l *Lock) Publish(m *Manifest) error {
	if err := l.isClosed(); err != nil || m == nil {
		return cmp.Or(err, fmt.Errorf("%w: no manifest", store.ErrInvalid))
	}
	l.commit.Lock()
	defer l.commit.Unlock()
	l.mu.Lock()
	m.Generation, m.NextFile, m.Ancestry = l.cur.Generation, l.next, format.Ancestry{}
	visible := l.cur
	err := l.usable()
	if err == nil {
		err = l.checkFiles(m)
	}
	l.mu.Unlock()
	if err != nil {
		return fmt.Errorf("publish after commit %d: %w", m.Generation, err)
	}
	d := l.dir
	d.mu.Lock()
	if d.published != nil {
		visible = d.published.Manifest
	}
	if slices.EqualFunc(m.Segments, visible.Segments, SegmentInfo.Equal) {
		d.mu.Unlock()
		return nil
	}
	d.mu.Unlock()
	l.replacePublished(m)
	return nil
}

// Published returns a copy of what was published last, or nil if nothing was since the
// newest commit.
func (l *Lock) Published() *Manifest {
	if l.dir == nil { // the zero Lock
		return nil
	}
	l.dir.mu.Lock()
	defer l.dir.mu.Unlock()
	if c := l.dir.published; c != nil {
		return c.Manifest.Clone()
	}
	return nil
}

// replacePublished replaces the publication, if there is one, by m, which may be nil,
// and discards files that nothing names any more. The caller holds l.commit.
func (l *Lock) replacePublished(m *Manifest) {
	var c *Commit
	if m != nil {
		d := l.dir
		d.mu.Lock()
		d.sequence++
		c = d.pin(m.Clone())
		c.Published = d.sequence
		d.mu.Unlock()
	}
	old := l.dir.setPublished(c)
	if old == nil {
		return
	}
	named := make(map[string]bool)
	if c != nil {
		for _, f := range c.files {
			named[f] = true
		}
	}
	for _, f := range old.files {
		if !named[f] {
			l.discard(f) // fails for those that a commit names
		}
	}
	old.Release()
}

// setPublished sets the publication and returns the one before.
func (d *folder) setPublished(c *Commit) (old *Commit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, d.published = d.published, c
	return old
}

// publishes reports whether the publication names a file.
func (d *folder) publishes(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.published != nil && slices.Contains(d.published.files, name)
}

// removeUnused removes an uncommitted file, at once or when the last publication and
// the last snapshot that hold it are gone.
func (l *Lock) removeUnused(name string) error {
	d := l.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pins[name] > 0 {
		d.garbage[name] = struct{}{}
		return nil
	}
	return l.fs.Remove(name + tempSuffix)
}

// Published returns what Commit.Published of the newest publication is, or 0 if there
// is none: none since the newest commit, or its Lock is closed, or d is.
func (d *Dir) Published() uint64 {
	if d.err("") != nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.published == nil {
		return 0
	}
	return d.published.Published
}

// OpenPublished returns the newest publication after calling open, which opens its
// files. If there is none, the error matches fs.ErrNotExist. If open fails,
// OpenPublished releases the publication.
func (d *Dir) OpenPublished(open func(*Commit) error) (*Commit, error) {
	if err := d.err("open publication"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	var c *Commit
	if d.published != nil {
		c = d.pin(d.published.Manifest.Clone())
		c.Published = d.published.Published
	}
	d.mu.Unlock()
	if c == nil {
		return nil, &fs.PathError{Op: "open publication", Path: d.String(), Err: fs.ErrNotExist}
	}
	if open == nil {
		c.Release()
		return nil, fmt.Errorf("%w: no function opens the publication", store.ErrInvalid)
	}
	if err := open(c); err != nil {
		c.Release()
		return nil, err
	}
	return c, nil
}
