package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
// No two documents of an index have the same id, but the directory may hold the inputs
// of a merge beside its output, and deletes files may be lost. Going from the highest
// number down, a segment is dropped if it shares live documents with those that
// entered before it and they know all of its live documents, deleted or not: they
// replaced it. If they know only some, it enters, and those that they hold are deleted
// in it: the newest copy is kept.
func (d *Dir) Rebuild(ctx context.Context, inv *Inventory) (r *Recovery, err error) {
	defer CatchFault(ArmFault(), &err)
	r = &Recovery{Manifest: &Manifest{}, deletes: make(map[uint64]*roaring.Bitmap)}
	for i := range inv.Manifests {
		if m := inv.Manifests[i].Manifest; m != nil && m.Analyzer != "" {
			r.Manifest.Analyzer, r.Manifest.AnalyzerOptions = m.Analyzer, m.AnalyzerOptions
			break
		}
	}
	var entered []*candidate
	for i := range slices.Backward(inv.Files) {
		f := &inv.Files[i]
		if f.Kind != format.KindSegment {
			continue
		}
		c, data, err := d.candidate(r, inv, f)
		if err != nil {
			r.Dropped = append(r.Dropped, Dropped{f.Name, err.Error()})
			continue
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
	}
	for _, c := range slices.Backward(entered) {
		r.Manifest.Segments = append(r.Manifest.Segments, c.info)
	}
	return r, nil
}

// candidate opens a sound segment with its deletes. The error says why it is dropped.
func (d *Dir) candidate(r *Recovery, inv *Inventory, f *FileState) (c *candidate, data Data, err error) {
	if f.Err != nil {
		return nil, nil, f.Err
	}
	if m := r.Manifest; m.Analyzer == "" {
		m.Analyzer, m.AnalyzerOptions = f.analyzer, f.options
	} else if m.Analyzer != f.analyzer || m.AnalyzerOptions != f.options {
		return nil, nil, fmt.Errorf("it was made by analyzer %q (%q), the index by %q (%q)", f.analyzer, f.options, m.Analyzer, m.AnalyzerOptions)
	}
	s, data, err := f.open(d)
	if err != nil {
		return nil, nil, err
	}
	c = &candidate{file: f, seg: s, deletes: roaring.New()}
	c.info = SegmentInfo{File: f.Number, ID: f.ID, Docs: f.Docs, Postings: f.Postings, Tokens: f.Tokens}
	for i := range slices.Backward(inv.Files) {
		x := &inv.Files[i]
		if x.Kind != format.KindDeletes || x.ID != f.ID {
			continue
		}
		bm, err := x.deletes(d, f.Docs)
		if err == nil {
			c.deletes, c.info.DeletesFile, c.info.Deleted = bm, x.Number, uint32(bm.GetCardinality())
			break
		}
		r.Notes = append(r.Notes, Dropped{x.Name, fmt.Sprintf("%v: documents deleted from %s come back", err, f.Name)})
	}
	return c, data, nil
}

// enter compares c with the segments that entered before it. reason is not empty if c
// is to be dropped.
func (r *Recovery) enter(ctx context.Context, c *candidate, entered []*candidate) (reason string, err error) {
	shared, known, n := roaring.New(), true, 0
	var by []string
	for _, x := range entered {
		if x.info.ID == c.info.ID {
			return "it is a copy of " + x.file.Name, nil
		}
	}
	err = c.seg.EachID(func(doc uint32, id []byte) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c.deletes.Contains(doc) {
			return nil
		}
		found := false
		for _, x := range entered {
			there, ok, err := x.seg.FindID(id)
			if err != nil {
				return err
			}
			if found = found || ok; ok && !x.deletes.Contains(there) {
				shared.Add(doc)
				if !slices.Contains(by, x.file.Name) {
					by = append(by, x.file.Name)
				}
				break
			}
		}
		known = known && found
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case shared.IsEmpty():
	case known:
		return "its documents are in " + strings.Join(by, ", "), nil
	default:
		c.deletes.Or(shared)
		c.info.DeletesFile, c.info.Deleted = 0, uint32(c.deletes.GetCardinality())
		r.deletes[c.info.File] = c.deletes
		r.Notes = append(r.Notes, Dropped{c.file.Name, fmt.Sprintf("%d documents are in %s: these are kept", shared.GetCardinality(), strings.Join(by, ", "))})
	}
	if c.info.Deleted == c.info.Docs {
		return "all its documents are deleted", nil
	}
	return "", nil
}

// Repair locks the directory, inspects it (Inspect) and commits the Recovery that
// choose returns; if that is nil, it does nothing. The generation is above all that
// are there. Files that the commit does not name move to the quarantine folder, and
// other manifests follow. After an error or a crash the directory is as before, except
// that files which the chosen index does not need may be in the quarantine folder.
func (d *Dir) Repair(ctx context.Context, check func(context.Context, *segment.Segment) error, choose func(*Inventory) (*Recovery, error)) (err error) {
	l, err := d.acquire(1)
	if err != nil {
		return err
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

func (l *Lock) apply(ctx context.Context, inv *Inventory, r *Recovery) error {
	m := r.Manifest.Clone()
	l.next = inv.next
	l.cur = &Manifest{Generation: inv.generation, Segments: r.Manifest.Segments} // no commit on disk
	for i := range m.Segments {
		s := &m.Segments[i]
		if bm := r.deletes[s.File]; bm != nil {
			var err error
			if s.DeletesFile, err = l.WriteDeletes(s.ID, bm); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	needed := m.Files()
	for i := range inv.Files {
		if f := &inv.Files[i]; !slices.Contains(needed, f.Name) {
			name := f.Name
			if f.Temp {
				name += tempSuffix
			}
			if err := l.fs.Quarantine(name); err != nil {
				return err
			}
		}
	}
	// If files came back after a crash, they would be taken for superseded.
	if err := l.fs.Sync(); err != nil {
		return err
	}
	if err := l.Commit(m); err != nil {
		return err
	}
	return l.fs.Sync()
}
