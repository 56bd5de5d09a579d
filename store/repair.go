package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// candidate is a segment that may enter a rebuilt index.
type candidate struct {
	file    *FileState
	seg     *segment.Segment
	info    SegmentInfo
	deletes *roaring.Bitmap // never nil
}

// Rebuild returns an index of all sound segments of an inventory, in the order of
// their numbers, which may not be that of the lost commit. Documents of a segment are
// deleted that the newest sound deletes file with the segment's id names.
//
// No two live documents of an index have the same id, but the directory may hold the
// inputs of a merge beside its output, and deletes files may be lost. So, from the
// highest number down, a segment that shares live documents with one that entered
// before it is taken for older: all documents that the other one has, deleted there or
// not, are deleted in it. It is dropped if none is left.
func (d *Dir) Rebuild(ctx context.Context, inv *Inventory) (r *Recovery, err error) {
	defer CatchFault(ArmFault(), &err)
	if err := d.err("read"); err != nil {
		return nil, err
	}
	if inv == nil {
		return nil, fmt.Errorf("%w: no inventory", ErrInvalid)
	}
	ctx = orBackground(ctx)
	r = &Recovery{Manifest: &Manifest{}, deletes: make(map[uint64]*roaring.Bitmap)}
	r.describe(inv)
	var entered []*candidate
	for i := range slices.Backward(inv.Files) {
		f := &inv.Files[i]
		if f.Kind != format.KindSegment {
			continue
		}
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
		r.Notes = append(r.Notes, f.mendNotes()...)
	}
	for _, c := range slices.Backward(entered) {
		r.Manifest.Segments = append(r.Manifest.Segments, c.info)
	}
	return r, nil
}

// describe takes from the newest readable manifest what segments do not tell, but no order of
// documents: a segment of an older commit need not have it.
func (r *Recovery) describe(inv *Inventory) {
	for i := range inv.Manifests {
		m := inv.Manifests[i].Manifest
		if m == nil || m.Analyzer == "" && m.Schema == nil {
			continue
		}
		r.Manifest.Analyzer, r.Manifest.AnalyzerOptions, r.Manifest.Schema = m.Analyzer, m.AnalyzerOptions, m.Schema.Clone()
		r.Manifest.Stored, r.Manifest.KeepCommits = m.Stored, m.KeepCommits
		if m.Schema != nil {
			r.toldFields = m.Schema.NextID
		}
		return
	}
}

// refuse returns why a segment cannot enter whatever the others are, or "".
func (r *Recovery) refuse(f *FileState) string {
	if f.Err != nil && len(f.Mends) == 0 {
		return f.Err.Error()
	}
	if len(f.fields) > 0 {
		return r.refuseFields(f)
	}
	m := r.Manifest
	if m.Schema != nil {
		return "it has no fields, the index has a schema"
	}
	if m.Analyzer == "" {
		m.Analyzer, m.AnalyzerOptions = f.analyzer, f.options
	}
	if m.Analyzer != f.analyzer || m.AnalyzerOptions != f.options {
		return fmt.Sprintf("it was made by analyzer %q (%q), the index by %q (%q)", f.analyzer, f.options, m.Analyzer, m.AnalyzerOptions)
	}
	return ""
}

// candidate opens a sound segment with its deletes.
func (d *Dir) candidate(r *Recovery, inv *Inventory, f *FileState) (c *candidate, data Data, err error) {
	s, data, err := f.open(d)
	if err != nil {
		return nil, nil, err
	}
	c = &candidate{file: f, seg: s, deletes: roaring.New()}
	c.info = SegmentInfo{File: f.Number, ID: f.ID, FileLen: f.fileLen, Tail: f.tail, Docs: f.Docs, Postings: f.Postings, Tokens: f.Tokens,
		Fields: FieldsOf(s)}
	for i := range slices.Backward(inv.Files) {
		x := &inv.Files[i]
		if x.Kind != format.KindDeletes || x.ID != f.ID {
			continue
		}
		bm, err := x.deletes(d, f.Docs)
		if err == nil {
			if err := c.delete(bm, x.Number, x.deletesID); err != nil {
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

// delete sets the deleted documents of c and their file, 0 if it is to be written.
func (c *candidate) delete(docs *roaring.Bitmap, file uint64, id format.ID) error {
	c.deletes, c.info.DeletesFile, c.info.DeletesID = docs, file, id
	c.info.Deleted = uint32(docs.GetCardinality())
	return c.info.CountDeleted(c.seg, docs.ToDense())
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
			gone.Or(known)
		}
	}
	if newer != nil {
		n := gone.GetCardinality() - c.deletes.GetCardinality()
		if gone.GetCardinality() == uint64(c.info.Docs) {
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
// any is live in both.
func (c *candidate) shared(ctx context.Context, x *candidate) (known *roaring.Bitmap, live bool, err error) {
	known = roaring.New()
	err = c.seg.EachID(func(doc uint32, id []byte) error {
		if doc%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c.deletes.Contains(doc) {
			return nil
		}
		there, ok, err := x.seg.FindID(id)
		if ok {
			known.Add(doc)
			live = live || !x.deletes.Contains(there)
		}
		return err
	})
	return known, live, err
}

// Repair locks the directory, inspects it (Inspect) and commits the Recovery that
// choose returns; if that is nil, it does nothing. The generation is above all that
// are there. Files that the commit does not name move to the quarantine folder, and
// other manifests follow. After an error or a crash the directory is as before, except
// that files which the chosen index does not need may be in the quarantine folder.
func (d *Dir) Repair(ctx context.Context, check func(context.Context, *segment.Segment) error, choose func(*Inventory) (*Recovery, error)) (err error) {
	l, err := d.acquire(LockOptions{KeepCommits: 1})
	if err != nil {
		return err
	}
	ctx = orBackground(ctx)
	if choose == nil {
		return errors.Join(fmt.Errorf("%w: nothing chooses an index", ErrInvalid), l.Close())
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
	inv, err := d.Inspect(ctx, check)
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
	out := &Manifest{Generation: gen, Schema: m.Schema}
	for _, s := range m.Segments {
		if inv.mended(SegmentName(s.File)) != nil {
			continue
		}
		if inv.mended(DeletesName(s.DeletesFile)) != nil {
			s.ForgetDeletes()
		}
		out.Segments = append(out.Segments, s)
	}
	return out
}

// write writes the files of a segment of r that are mended or new, and the deletes of a
// mended segment, and sets their numbers.
func (l *Lock) write(ctx context.Context, inv *Inventory, r *Recovery, s *SegmentInfo) (err error) {
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
	if mended != nil {
		if s.File, err = l.writeMended(ctx, mended); err != nil {
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
		if err := l.write(ctx, inv, r, &m.Segments[i]); err != nil {
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
