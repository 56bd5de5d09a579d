package indexdir

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/store"
)

// CommitID tells commits apart, also those of indexes that took each other's place in a
// directory and have the same number: it is the header of the manifest, which has a
// random id. The zero CommitID is that of no commit. Ancestry.Name is what other processes call a commit.
type CommitID struct {
	generation uint64
	head       [format.HeaderSize]byte
}

// Bytes returns id as bytes that tell it from others: none if it is zero.
func (id CommitID) Bytes() string {
	if id == (CommitID{}) {
		return ""
	}
	return string(binary.LittleEndian.AppendUint64(id.head[:], id.generation))
}

// Newest returns the id of the newest commit, of whose manifest it reads the header, or
// the zero CommitID if there is none. It is a hint: the id of a commit whose manifest is
// damaged or just being replaced equals no Commit.ID. Latest says what is there.
func (d *Dir) Newest() (CommitID, error) {
	if err := d.err("read"); err != nil {
		return CommitID{}, err
	}
	return d.commits.Newest()
}

// ID returns what tells the commit from others. What was published has the zero CommitID.
func (c *Commit) ID() CommitID { return c.id }

// Commit is one commit whose files are kept: until Release, no writer of this
// process removes them. It is safe for concurrent use. The Manifest must not be
// modified. The zero Commit is released.
type Commit struct {
	*Manifest
	// Published is 0 for a commit. For what Lock.Publish published it is a number that
	// increases with each publication in this process.
	Published uint64

	id       CommitID
	dir      *Dir
	files    []string
	released atomic.Bool
}

// JoinCommits returns a Commit that lists the segments of several, which have the same analyzer and
// schema and stay open. It has no files of its own: it is released, with generation 0. Its ID follows
// from those of the commits, and is zero if one of them is.
func JoinCommits(commits []*Commit) *Commit {
	m := *commits[0].Manifest
	m.Generation, m.NextFile, m.KeepCommits, m.Segments = 0, 0, 0, nil
	h, known := xxhash.New(), true
	for _, c := range commits {
		m.Segments = append(m.Segments, c.Segments...)
		if c.Order != m.Order {
			m.Order = Order{} // no order holds for all
		}
		known = known && c.id != CommitID{}
		_, _ = h.Write(c.id.head[:])
	}
	j := &Commit{Manifest: &m}
	for i := 0; known && i < len(j.id.head); i += 8 {
		binary.LittleEndian.PutUint64(j.id.head[i:], h.Sum64())
		_, _ = h.Write(j.id.head[i : i+8])
	}
	return j
}

// Ancestry returns which commits c comes from. That of a commit that does not say so has only the commit itself,
// whose session is a hash of its ID. That of what was published is empty.
func (c *Commit) Ancestry() format.Ancestry {
	if c.Manifest == nil || c.id == (CommitID{}) {
		return format.Ancestry{}
	}
	return ancestryOf(c.Manifest, c.id)
}

func ancestryOf(m *Manifest, id CommitID) format.Ancestry {
	if len(m.Ancestry.Sessions) > 0 {
		return m.Ancestry.Clone()
	}
	return format.Ancestry{}.Next(m.Generation, xxhash.Sum64(id.head[:]))
}

// Deletes reads the deleted docIDs of segment i. It returns nil if there are
// none. The caller owns them.
func (c *Commit) Deletes(i int) (bm *docset.Bits, err error) {
	defer CatchFault(ArmFault(), &err)
	if err := c.err(); err != nil {
		return nil, err
	}
	s := &c.Segments[i]
	if s.DeletesFile == 0 {
		return nil, nil
	}
	name := DeletesName(s.DeletesFile)
	data, err := c.dir.OpenFile(name)
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
	if d == nil {
		return new(Commit)
	}
	d.mu.Lock()
	if c.released.Load() { // its files may be gone
		d.mu.Unlock()
		r := &Commit{Manifest: c.Manifest, Published: c.Published, id: c.id, dir: d}
		r.released.Store(true)
		return r
	}
	for _, f := range c.files {
		d.pins[f]++
	}
	d.mu.Unlock()
	return &Commit{Manifest: c.Manifest, Published: c.Published, id: c.id, dir: d.hold(), files: c.files}
}

// Release ends the use of the commit. Files that a newer commit superseded and
// nothing else uses are removed, or left to the next Lock if another process is writing
// or has committed. Further calls do nothing; other methods then fail with an error that
// matches fs.ErrClosed. Files that were opened before stay open.
func (c *Commit) Release() {
	if !c.released.Swap(true) && c.dir != nil {
		c.release()
	}
}

// err returns an error after Release.
func (c *Commit) err() error {
	switch {
	case c.dir == nil:
		return &fs.PathError{Op: "open", Err: fs.ErrClosed}
	case c.released.Load():
		return &fs.PathError{Op: "open", Path: c.dir.String(), Err: fs.ErrClosed}
	}
	return nil
}

func (c *Commit) release() {
	d := c.dir
	d.mu.Lock()
	var unused []string
	for _, f := range c.files {
		if d.pins[f]--; d.pins[f] > 0 {
			continue
		}
		delete(d.pins, f)
		if _, ok := d.garbage[f]; ok {
			delete(d.garbage, f)
			unused = append(unused, f)
		}
	}
	if len(unused) > 0 {
		d.remove(unused)
	}
	d.mu.Unlock()
	d.Close()
}

// remove removes files that were garbage, under the write lock: without it, they may be
// another writer's. If it cannot be had or something fails, the next sweep tries again.
// The caller holds d.mu.
func (d *folder) remove(names []string) {
	w := d.fs.(store.FS) // there was a Lock
	if d.writer != nil {
		if d.writer.held.Held() != nil {
			return
		}
	} else {
		if !d.unchanged() { // perhaps not even the same directory
			return
		}
		held, err := w.Lock(LockName)
		if err != nil {
			return
		}
		defer held.Close()
		if !d.unchanged() {
			return
		}
	}
	for _, name := range names {
		if errors.Is(w.Remove(name), fs.ErrNotExist) {
			w.Remove(name + tempSuffix) // it was published, but never committed
		}
	}
}

// unchanged reports whether the newest commit is still that of the last Lock. The caller
// holds d.mu.
func (d *folder) unchanged() bool {
	_, id, err := d.commits.Load()
	return err == nil && d.last == id
}
