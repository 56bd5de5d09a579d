package indexdir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// candidate is a segment that may enter a rebuilt index.
type candidate struct {
	file    *FileState
	seg     *segment.Segment
	info    SegmentInfo
	deletes *docset.Bits // never nil
}

// Rebuild returns an index of all sound segments of an inventory, in the order of
// their numbers, which may not be that of the lost commit. Documents of a segment are
// deleted that the newest sound deletes file with the segment's id names, and values are those of its newest sound values file.
//
// No two live documents of an index have the same id, but the directory may hold the
// inputs of a merge beside its output, and deletes files may be lost. So, from the
// highest number down, a segment that shares live documents with one that entered
// before it is taken for older: all documents that the other one has, deleted there or
// not, are deleted in it. It is dropped if none is left.
//
// What Salvage found to be left of damaged segments enters after all others, with those of its
// documents that are live in none of them.
func (d *Dir) Rebuild(ctx context.Context, inv *Inventory) (r *Recovery, err error) {
	defer CatchFault(ArmFault(), &err)
	if err := d.err("read"); err != nil {
		return nil, err
	}
	if inv == nil {
		return nil, fmt.Errorf("%w: no inventory", store.ErrInvalid)
	}
	ctx = orBackground(ctx)
	r = &Recovery{Manifest: empty(nil), deletes: make(map[uint64]*docset.Bits)}
	r.describe(inv)
	var entered []*candidate
	for _, f := range inv.ranked() {
		if reason := r.refuse(f); reason != "" {
			r.Dropped = append(r.Dropped, Dropped{f.Name, reason})
			continue
		}
		c, data, err := d.candidate(r, inv, f)
		if err != nil {
			return nil, err
		}
		defer data.Close()
		reason, err := r.enter(ctx, c, entered)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			r.Dropped = append(r.Dropped, Dropped{f.Name, reason})
			continue
		}
		entered = append(entered, c)
		if f.left != nil {
			r.Notes = append(r.Notes, f.lossNotes()...)
		}
		r.Notes = append(r.Notes, f.mendNotes()...)
	}
	slices.SortFunc(entered, func(a, b *candidate) int { return cmp.Compare(a.file.Number, b.file.Number) })
	for _, c := range entered {
		if c.file.left != nil && c.info.Deleted > 0 {
			if c.info, err = c.purge(d); err != nil {
				return nil, err
			}
			delete(r.deletes, c.file.Number)
		}
		r.Manifest.Segments = append(r.Manifest.Segments, c.info)
	}
	return r, nil
}

// describe takes from the newest readable manifest what segments do not tell, but no order of
// documents: a segment of an older commit need not have it.
func (r *Recovery) describe(inv *Inventory) {
	for i := range inv.Manifests {
		m := inv.Manifests[i].Manifest
		if m == nil || m.Schema.IsImplicit() && m.Schema.Fields[0].Analyzer == "" {
			continue
		}
		r.Manifest.Schema, r.Manifest.StoredUnknown, r.Manifest.KeepCommits = m.Schema.Clone(), m.StoredUnknown, m.KeepCommits
		r.decided, r.toldFields = true, m.Schema.NextID
		return
	}
}

// ranked returns the segments, of which earlier ones are preferred: whole ones before what is
// left of others, and of either the newest first.
func (inv *Inventory) ranked() (all []*FileState) {
	for _, left := range []bool{false, true} {
		for i := range slices.Backward(inv.Files) {
			if f := &inv.Files[i]; f.Kind == format.KindSegment && (f.left != nil) == left {
				all = append(all, f)
			}
		}
	}
	return all
}

// refuse returns why a segment cannot enter whatever the others are, or "".
func (r *Recovery) refuse(f *FileState) string {
	if f.Err != nil && len(f.Mends) == 0 && f.left == nil {
		return f.Err.Error()
	}
	m, implicit := r.Manifest, len(f.fields) == 0
	switch {
	case !r.decided && implicit:
		m.Schema = schema.Implicit(f.analyzer, f.options, false)
	case !r.decided:
		m.Schema, m.StoredUnknown = &schema.Schema{NextID: 1}, false
	}
	r.decided = true
	name, options := m.Analyzer()
	switch {
	case implicit && !m.Schema.IsImplicit():
		return "it has no fields with names, the index has"
	case !implicit && m.Schema.IsImplicit():
		return "it has fields with names, the index has none"
	case !implicit:
		return r.refuseFields(f)
	case name != f.analyzer || options != f.options:
		return fmt.Sprintf("it was made by analyzer %q (%q), the index by %q (%q)", f.analyzer, f.options, name, options)
	}
	return ""
}

// candidate opens a segment with its deletes.
func (d *Dir) candidate(r *Recovery, inv *Inventory, f *FileState) (c *candidate, data store.Data, err error) {
	s, data, err := f.open(d)
	if err != nil {
		return nil, nil, err
	}
	c = &candidate{file: f, seg: s, deletes: &docset.Bits{}}
	c.info = f.info(s)
	id, docs := f.ID, f.Docs
	if f.left != nil {
		id, docs = f.left.id, f.left.docs
	} else {
		x, _, notes, err := inv.valuesFor(d, f.Name, id, s)
		if err != nil {
			data.Close()
			return nil, nil, err
		}
		if x != nil {
			c.info.ValuesFile, c.info.ValuesID = x.Number, x.ownID
		}
		r.Notes = append(r.Notes, notes...)
	}
	for i := range slices.Backward(inv.Files) {
		x := &inv.Files[i]
		if x.Kind != format.KindDeletes || x.ID != id {
			continue
		}
		bm, err := x.deletes(d, docs)
		if err == nil {
			if f.left != nil {
				err = c.delete(f.left.deletes(bm), 0, format.ID{})
			} else {
				err = c.delete(bm, x.Number, x.ownID)
			}
			if err != nil {
				data.Close()
				return nil, nil, err
			}
			r.Notes = append(r.Notes, x.mendNotes()...)
			break
		}
		if !isDamage(err) {
			data.Close()
			return nil, nil, err
		}
		r.Notes = append(r.Notes, Dropped{x.Name, fmt.Sprintf("%v: documents deleted from %s come back", err, f.Name)})
	}
	return c, data, nil
}

// info returns what a manifest says of the segment s of f.
func (f *FileState) info(s *segment.Segment) SegmentInfo {
	return SegmentInfo{File: f.Number, ID: f.ID, FileLen: f.fileLen, Tail: f.tail, Docs: f.Docs, Postings: f.Postings, Tokens: f.Tokens,
		Fields: FieldsOf(s)}
}

// delete sets the deleted documents of c and their file, 0 if it is to be written.
func (c *candidate) delete(docs *docset.Bits, file uint64, id format.ID) error {
	c.deletes, c.info.DeletesFile, c.info.DeletesID = docs, file, id
	c.info.Deleted = docs.Len()
	return c.info.CountDeleted(c.seg, docs.Words())
}

// enter compares c with the segments that entered before it. reason is not empty if c
// is to be dropped.
func (r *Recovery) enter(ctx context.Context, c *candidate, entered []*candidate) (reason string, err error) {
	var newer []string
	gone := c.deletes.Clone()
	for _, x := range entered {
		if x.info.ID == c.info.ID {
			return "it is a copy of " + x.file.Name, nil
		}
		known, live, err := c.shared(ctx, x)
		if err != nil {
			return "", err
		}
		if live {
			newer = append(newer, x.file.Name)
			gone.AddBits(known)
		}
	}
	if newer != nil {
		n := gone.Len() - c.deletes.Len()
		if gone.Len() == c.info.Docs {
			return "its documents are in " + strings.Join(newer, ", "), nil
		}
		r.Notes = append(r.Notes, Dropped{c.file.Name, fmt.Sprintf("%d of its documents are those of %s", n, strings.Join(newer, ", "))})
		r.deletes[c.info.File] = gone
		if err := c.delete(gone, 0, format.ID{}); err != nil {
			return "", err
		}
	}
	if c.info.Deleted == c.info.Docs {
		return "all its documents are deleted", nil
	}
	return "", nil
}

// shared returns which live documents of c are in x, deleted there or not, and whether
// any is live in both. If c is newer than x, what is deleted in x is no reason to delete it in c.
func (c *candidate) shared(ctx context.Context, x *candidate) (known *docset.Bits, live bool, err error) {
	known = &docset.Bits{}
	err = c.seg.Documents().EachID(func(doc uint32, id []byte) error {
		if doc%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c.deletes.Contains(doc) {
			return nil
		}
		there, ok, err := x.seg.Documents().FindID(id)
		alive := ok && !x.deletes.Contains(there)
		if alive || ok && c.file.Number <= x.file.Number {
			known.Add(doc)
		}
		live = live || alive
		return err
	})
	return known, live, err
}

// Repair locks the directory, inspects it (Inspect, with check and mend) and commits the Recovery that
// choose returns; if that is nil, it does nothing. The generation is above all that
// are there. Files that the commit does not name move to the quarantine folder, and
// other manifests follow. After an error or a crash the directory is as before, except
// that files which the chosen index does not need may be in the quarantine folder.
func (d *Dir) Repair(ctx context.Context, check func(context.Context, *segment.Segment) error, mend Mender, choose func(*Inventory) (*Recovery, error)) (err error) {
	l, err := d.acquire(LockOptions{KeepCommits: 1})
	if err != nil {
		return err
	}
	ctx = orBackground(ctx)
	if choose == nil {
		return errors.Join(fmt.Errorf("%w: nothing chooses an index", store.ErrInvalid), l.Close())
	}
	defer func() {
		if err != nil {
			for f := range maps.Clone(l.pending) {
				l.discard(f) // refuses if the outcome of the commit is uncertain
			}
			l.failed = cmp.Or(l.failed, err) // Close must not clean up
		}
		err = errors.Join(err, l.Close())
	}()
	inv, err := d.Inspect(ctx, check, mend)
	if err != nil {
		return err
	}
	r, err := choose(inv)
	if err != nil || r == nil {
		return err
	}
	if len(r.Missing) > 0 {
		return fmt.Errorf("%w: %w", errChoice, r.Missing[0])
	}
	return l.apply(ctx, inv, r)
}

// sound returns m without the files that are to be mended, as generation gen.
func (inv *Inventory) sound(gen uint64, m *Manifest) *Manifest {
	out := &Manifest{Generation: gen, Schema: m.Schema, Ancestry: m.Ancestry}
	for _, s := range m.Segments {
		if inv.mended(SegmentName(s.File)) != nil {
			continue
		}
		if inv.mended(DeletesName(s.DeletesFile)) != nil {
			s.ForgetDeletes()
		}
		if inv.mended(ValuesName(s.ValuesFile)) != nil {
			s.ForgetValues()
		}
		out.Segments = append(out.Segments, s)
	}
	return out
}

// write writes the files of a segment of r that are mended or new, and the deletes of a
// mended segment, and sets their numbers.
func (r *Recovery) write(ctx context.Context, l *Lock, inv *Inventory, s *SegmentInfo) (err error) {
	deletes := r.deletes[s.File]
	mended := inv.mended(SegmentName(s.File))
	if s.DeletesFile != 0 && (mended != nil || inv.mended(DeletesName(s.DeletesFile)) != nil) {
		f, err := inv.file(DeletesName(s.DeletesFile))
		if err != nil {
			return err
		}
		if deletes, err = f.deletes(l.dir, s.Docs); err != nil {
			return err
		}
	}
	var changes *segment.Changes
	if s.ValuesFile != 0 && (mended != nil || inv.mended(ValuesName(s.ValuesFile)) != nil) {
		if changes, err = inv.readChanges(l.dir, s); err != nil {
			return err
		}
	}
	if mended != nil {
		if s.File, err = l.writeMended(ctx, mended); err != nil {
			return err
		}
	}
	if changes != nil {
		if err := l.WriteValues(s, changes.Content()); err != nil {
			return err
		}
	}
	if deletes != nil {
		return l.WriteDeletes(s, deletes)
	}
	return nil
}

func (l *Lock) apply(ctx context.Context, inv *Inventory, r *Recovery) error {
	m := r.Manifest.Clone()
	l.next, l.record = inv.next, m.KeepCommits
	l.cur, l.id = inv.sound(inv.generation, r.Manifest), CommitID{generation: inv.generation} // no commit on disk
	if err := l.checkNamed(); err != nil {
		return err
	}
	for i := range m.Segments {
		if err := r.write(ctx, l, inv, &m.Segments[i]); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// The files of which mended ones were made are needed until these are committed.
	mended := r.Manifest.Files()
	if err := l.quarantine(inv, append(m.Files(), mended...)); err != nil {
		return err
	}
	// If files came back after a crash, they would be taken for superseded.
	if err := l.fs.Sync(); err != nil {
		return err
	}
	if err := l.Commit(m); err != nil {
		return err
	}
	if err := l.quarantine(inv, m.Files()); err != nil {
		return err
	}
	return l.fs.Sync()
}

// quarantine moves the files of inv that are still there, except those that are needed.
func (l *Lock) quarantine(inv *Inventory, needed []string) error {
	for i := range inv.Files {
		f := &inv.Files[i]
		name := f.Name
		if f.Temp {
			name += tempSuffix
		}
		if slices.Contains(needed, f.Name) {
			continue
		}
		if err := l.fs.Quarantine(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // Commit moves some
			return err
		}
	}
	return nil
}
