package indexdir

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// ReadValues decodes a file of values that were changed in place in seg, the segment that s describes. The file holds the id of the
// segment and one of its own, which must agree with s: of a nil seg it returns nothing, but checks these and the file's checksums. name is
// for errors.
func ReadValues(name string, d store.Data, s *SegmentInfo, seg *segment.Segment) (*segment.Changes, error) {
	h, id, c, err := readValues(name, d, seg)
	switch {
	case err != nil:
		return nil, err
	case h.ID != s.ID:
		err = format.Corrupt("the file belongs to segment %x, not to %x", h.ID, s.ID)
	case id != s.ValuesID:
		err = format.Corrupt("the file has id %x, the manifest names one with id %x", id, s.ValuesID)
	}
	if err != nil {
		return nil, format.Locate(err, format.Place{File: name, Section: format.SectionValues.String(), Block: format.NoBlock})
	}
	return c, nil
}

// readValues is ReadValues without a manifest. It returns the random id of the file.
func readValues(name string, d store.Data, seg *segment.Segment) (h *format.Header, id format.ID, c *segment.Changes, err error) {
	h, b, off, err := readSection(name, d, format.KindValues, format.SectionValues)
	if err != nil {
		return nil, id, nil, err
	}
	if len(b) < len(id) {
		err = format.Corrupt("%d bytes hold no id", len(b))
		return nil, id, nil, format.Locate(err, format.Place{File: name, Section: format.SectionValues.String(), Block: format.NoBlock})
	}
	if n := copy(id[:], b); seg != nil {
		c, err = segment.ParseChanges(name, b[n:], off+int64(n), seg)
	}
	return h, id, c, err
}

// WriteValues writes a file of values that were changed in place in the segment that s describes, and sets s.ValuesFile and
// s.ValuesID. content is what segment.ParseChanges decodes.
func (l *Lock) WriteValues(s *SegmentInfo, content []byte) error {
	if l.dir == nil { // the zero Lock
		return l.isClosed()
	}
	if s == nil || len(content) == 0 {
		return fmt.Errorf("%w: no values to change", store.ErrInvalid)
	}
	id := NewID()
	num, f, err := l.create(ValuesName)
	if err != nil {
		return err
	}
	err = writeFile(f, format.KindValues, s.ID, part{id: format.SectionValues, flags: format.SectionRequired, content: id[:], more: content})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		l.discard(ValuesName(num))
		return err
	}
	s.ValuesFile, s.ValuesID = num, id
	return nil
}

// Values reads the values that were changed in place in segment i, which is open as seg, or returns nil if there are none.
func (c *Commit) Values(i int, seg *segment.Segment) (v *segment.Changes, err error) {
	if err := c.err(); err != nil {
		return nil, err
	}
	return valuesOf(c.dir.fs, &c.Segments[i], seg)
}

// WithValues returns seg, the segment that s describes, with the values that s names in place of those that seg was given before.
func (l *Lock) WithValues(s *SegmentInfo, seg *segment.Segment) (*segment.Segment, error) {
	if l.dir == nil { // the zero Lock
		return nil, l.isClosed()
	}
	if s == nil || seg == nil {
		return nil, fmt.Errorf("%w: no segment", store.ErrInvalid)
	}
	seg = seg.Original()
	v, err := valuesOf(l.fs, s, seg)
	return changed(seg, v), err
}

// valuesOf reads what s names.
func valuesOf(fsys store.ReadFS, s *SegmentInfo, seg *segment.Segment) (v *segment.Changes, err error) {
	if s.ValuesFile == 0 {
		return nil, nil
	}
	defer CatchFault(ArmFault(), &err)
	name := ValuesName(s.ValuesFile)
	data, err := openFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return ReadValues(name, data, s, seg)
}

// changed returns seg with changes, unless they are nil.
func changed(seg *segment.Segment, v *segment.Changes) *segment.Segment {
	if v == nil {
		return seg
	}
	return seg.WithChanges(func(context.Context) (*segment.Changes, error) { return v, nil })
}

// values reads a values file of a segment, or, if seg is nil, only its section, and fills in f.
func (f *FileState) values(d *Dir, seg *segment.Segment) (v *segment.Changes, err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := d.OpenFile(f.Name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	h, b, _, err := readSection(f.Name, data, format.KindValues, format.SectionValues)
	var from store.Data = data
	if isDamage(err) {
		if h != nil { // so that a repair says of which segment the values are lost
			f.ID = h.ID
		}
		was, mends, e := mendSection(f.Name, data, format.KindValues, format.SectionValues, format.ID{})
		if e != nil {
			return nil, err
		}
		f.Err, f.Mends, from = err, mends, was
		h, b, _, err = readSection(f.Name, was, format.KindValues, format.SectionValues)
	}
	if err != nil {
		return nil, err
	}
	f.ID = h.ID
	copy(f.ownID[:], b)
	if seg == nil {
		return nil, nil
	}
	_, _, v, err = readValues(f.Name, from, seg)
	return v, err
}

// checkValues compares the values files with the segments that they are of, as far as these can be read.
func (inv *Inventory) checkValues(d *Dir) error {
	for i := range inv.Files {
		x := &inv.Files[i]
		if x.Kind != format.KindValues || x.Err != nil && len(x.Mends) == 0 {
			continue
		}
		for j := range inv.Files {
			f := &inv.Files[j]
			if f.Kind != format.KindSegment || f.ID != x.ID || f.Err != nil && len(f.Mends) == 0 {
				continue
			}
			s, data, err := f.open(d)
			if err == nil {
				_, err = x.values(d, s)
				data.Close()
			}
			if isDamage(err) {
				x.Err, x.Mends = err, nil
			} else if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// valuesFor returns the newest sound values file of the segment with an id, which is open as s and has a name, and what that file has; both are nil if
// there is none. notes tell of damaged ones that are newer, and what was mended.
func (inv *Inventory) valuesFor(d *Dir, name string, id format.ID, s *segment.Segment) (x *FileState, v *segment.Changes, notes []Dropped, err error) {
	for i := range slices.Backward(inv.Files) {
		x := &inv.Files[i]
		if x.Kind != format.KindValues || x.ID != id {
			continue
		}
		v, err := x.values(d, s)
		if err == nil {
			return x, v, append(notes, x.mendNotes()...), nil
		}
		if !isDamage(err) {
			return nil, nil, nil, err
		}
		x.Err, x.Mends = err, nil
		notes = append(notes, Dropped{x.Name, fmt.Sprintf("%v: values that it changed in %s are again what they were", err, name)})
	}
	return nil, nil, notes, nil
}

// readChanges returns the values that s names, mended perhaps.
func (inv *Inventory) readChanges(d *Dir, s *SegmentInfo) (*segment.Changes, error) {
	x, err := inv.file(ValuesName(s.ValuesFile))
	if err != nil {
		return nil, err
	}
	f, err := inv.file(SegmentName(s.File))
	if err != nil {
		return nil, err
	}
	seg, data, err := f.open(d)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return x.values(d, seg)
}
