package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// checkSet returns why the values of a document cannot be changed in place.
func (w changing) checkSet(c *Change) error {
	if err := checkID(c.Doc.ID); err != nil {
		return err
	}
	s := w.now()
	set := make(map[int]bool, len(c.Set))
	for _, name := range c.Set {
		number := s.Number(name)
		var err error
		switch f := numbered(s, number); {
		case f == nil:
			err = fmt.Errorf("the index has no field %q", name)
		case set[number]:
			err = fmt.Errorf("field %q is set twice", name)
		default:
			err = w.canSet(f)
		}
		if err != nil {
			return fmt.Errorf("%w %s: %w", ErrDocument, quote(c.Doc.ID), err)
		}
		set[number] = true
	}
	for _, v := range c.Doc.Values {
		err := s.CheckValue(v)
		if err == nil && !set[v.Field] {
			err = fmt.Errorf("field %q has a value and is not set", s.Fields[v.Field].Name)
		}
		if err != nil {
			return fmt.Errorf("%w %s: %w", ErrDocument, quote(c.Doc.ID), err)
		}
	}
	return w.opts.checkSize(c.Doc.ID, leastValue*len(c.Doc.Values), "of values")
}

// numbered returns the field of a number in s, or nil if there is none or s is implicit.
func numbered(s *schema.Schema, number int) *schema.Field {
	if number < 0 || s.IsImplicit() {
		return nil
	}
	return &s.Fields[number]
}

// canSet returns why values of f cannot be changed in place.
func (w changing) canSet(f *schema.Field) error {
	why := ""
	switch {
	case !f.Column:
		why = "it is no column"
	case f.Kind == schema.Keyword:
		why = "it has keywords, and only numbers and times can be"
	case f.Indexing() != schema.IndexNone:
		why = "it is indexed"
	case f.ID != 0 && f.ID == w.orderBy.Load():
		why = "documents are sorted by it"
	default:
		return nil
	}
	return fmt.Errorf("values of field %q cannot be changed in place: %s; add the document again", f.Name, why)
}

// set makes a change of values that was checked. The caller holds the gate.
func (w changing) set(ctx context.Context, c *Change) error {
	s := w.now()
	var values []schema.Value
	for _, name := range c.Set {
		number := s.Number(name)
		values = values[:0]
		for _, v := range c.Doc.Values {
			if v.Field == number {
				values = append(values, v)
			}
		}
		if err := w.pipe.set(ctx, c.Doc.ID, number, values); err != nil {
			return err
		}
	}
	return nil
}

// set appends a change of the values that a document has in a field to the current batch. The caller holds the gate.
func (p *pipeline) set(ctx context.Context, id []byte, field int, values []schema.Value) error {
	if err := p.room(ctx, invert.SizeOfSet(id, len(values))); err != nil {
		return err
	}
	p.w.fields.Set(p.cur, id, field, values)
	p.added()
	return nil
}

// setValues changes the values that documents have from now on by a, which was flushed. Ids that the index does not have are left out.
func (w flushing) setValues(ctx context.Context, a *invert.Accumulator) error {
	if a.SetIDs() == 0 {
		return nil
	}
	for {
		lacks, err := w.setIn(ctx, a)
		if err != nil || lacks < 0 {
			return err
		}
		// The field is younger than the segment: it is written anew, with a column of it.
		s, _, err := merging(w).merge(ctx, w.segments[lacks:lacks+1], w.share(ctx))
		if err != nil {
			return fmt.Errorf("adding a column to a segment: %w", err)
		}
		merging(w).replace(lacks, 1, s)
	}
}

// setIn is setValues, unless a segment lacks a column: then it changes nothing and returns the number of the segment.
func (w flushing) setIn(ctx context.Context, a *invert.Accumulator) (lacks int, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	changes := make([][]build.Change, len(w.segments))
	var bad []invert.Bad
	for id, sets := range a.Sets() {
		if err := ctx.Err(); err != nil {
			return -1, err
		}
		at, doc, err := w.find([]byte(id))
		if err != nil {
			return -1, err
		}
		if at < 0 {
			continue
		}
		for _, set := range sets {
			f := &w.opts.Schema.Fields[set.Field]
			if f.ID == w.order.Field { // since the change was checked
				bad = append(bad, invert.Bad{ID: []byte(id), Err: fmt.Errorf("values of field %q cannot be changed in place: documents are sorted by it", f.Name)})
				continue
			}
			number, ok := w.segments[at].seg.FieldByID(f.ID)
			if !ok || !w.segments[at].seg.Fields()[number].Column {
				return at, nil
			}
			changes[at] = append(changes[at], build.Change{Field: number, Doc: doc, Values: set.Values})
		}
	}
	for i, s := range w.segments {
		if len(changes[i]) == 0 {
			continue
		}
		changed, err := withChanges(s.seg, changes[i])
		switch {
		case errors.Is(err, format.ErrCorrupt): // all else that was flushed is kept
			ids, e := idsOf(s.seg, changes[i], err)
			if bad = append(bad, ids...); e != nil {
				return -1, e
			}
		case err != nil:
			return -1, fmt.Errorf("changing values: %w", err)
		default:
			s.seg, w.changed = changed, true
		}
	}
	w.refuse(bad)
	return -1, nil
}

// idsOf returns the documents of changes of s, which cannot be made because of why.
func idsOf(s *segment.Segment, changes []build.Change, why error) (bad []invert.Bad, err error) {
	for _, c := range changes {
		id, err := s.Documents().AppendID(nil, c.Doc)
		if err != nil {
			return bad, err
		}
		bad = append(bad, invert.Bad{ID: id, Err: fmt.Errorf("changing values, which adding the document again does too: %w", why)})
	}
	return bad, nil
}

// find returns the live document with an id, and the number of its segment, or -1.
func (w flushing) find(id []byte) (at int, doc uint32, err error) {
	for i, s := range slices.Backward(w.segments) {
		doc, ok, err := s.seg.Documents().FindID(id)
		if err != nil {
			return -1, 0, err
		}
		if ok && !s.deletes.Contains(doc) {
			return i, doc, nil
		}
	}
	return -1, 0, nil
}

// withChanges returns s with more changes.
func withChanges(s *segment.Segment, more []build.Change) (*segment.Segment, error) {
	content, err := build.AppendChanges(nil, s, more)
	if err != nil {
		return nil, err
	}
	return changedTo(s, content)
}

// changedTo returns s with the changes of content, and none if that is empty.
func changedTo(s *segment.Segment, content []byte) (*segment.Segment, error) {
	s = s.Original()
	if len(content) == 0 {
		return s, nil
	}
	c, err := segment.ParseChanges(s.Name(), content, 0, s)
	if err != nil {
		return nil, fmt.Errorf("reading back what was changed: %w", err)
	}
	return s.WithChanges(func(context.Context) (*segment.Changes, error) { return c, nil }), nil
}

// contentOf returns the changes of s as files have them, nil if there are none.
func contentOf(s *segment.Segment) ([]byte, error) {
	c, err := s.Changes()
	if err != nil || c == nil {
		return nil, err
	}
	return c.Content(), nil
}

// writeValues writes the values of s that were changed, as far as s.info does not name them, and makes s.info name them.
func (s *liveSegment) writeValues(l *indexdir.Lock) error {
	if s.seg == s.saved {
		return nil
	}
	content, err := contentOf(s.seg)
	if err != nil {
		return err
	}
	info := s.info
	info.ForgetValues()
	if len(content) > 0 {
		if err := l.WriteValues(&info, content); err != nil {
			return err
		}
	}
	s.info, s.saved = info, s.seg
	return nil
}

// changesSince returns the values that documents of now have and did not have in old, a view of the same segment, except those that
// are deleted.
func changesSince(old, now *segment.Segment, deleted *docset.Bits) (more []build.Change, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if old == now {
		return nil, nil
	}
	before, err := old.Changes()
	if err != nil {
		return nil, err
	}
	after, err := now.Changes()
	if err != nil {
		return nil, err
	}
	var was, is []int64
	for f := range now.Fields() {
		x, y := before.Column(f), after.Column(f)
		if x == nil && y == nil {
			continue
		}
		docs := &docset.Bits{}
		for _, c := range []*segment.ChangedColumn{x, y} {
			for doc := range c.Docs() {
				docs.Add(doc)
			}
		}
		docs.RemoveBits(deleted)
		oldColumn, _, err := old.Field(f).Column()
		if err != nil {
			return nil, err
		}
		column, _, err := now.Field(f).Column()
		if err != nil {
			return nil, err
		}
		for doc := range docs.All() {
			if was, err = oldColumn.Append(was[:0], doc); err != nil {
				return nil, err
			}
			if is, err = column.Append(is[:0], doc); err != nil {
				return nil, err
			}
			if !slices.Equal(was, is) || !x.Has(doc) {
				more = append(more, build.Change{Field: f, Doc: doc, Values: slices.Clone(is)})
			}
		}
	}
	return more, nil
}

// carry returns more, changes of documents of s, by segment of to, which hold these documents. It appends them to carried.
func carry(ctx context.Context, s *segment.Segment, more []build.Change, to []*segment.Segment, carried [][]build.Change) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	var id []byte
	for _, c := range more {
		if err := ctx.Err(); err != nil {
			return err
		}
		if id, err = s.Documents().AppendID(id[:0], c.Doc); err != nil {
			return err
		}
		found := false
		for i, t := range to {
			doc, ok, err := t.Documents().FindID(id)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			number, ok := t.FieldByID(s.Fields()[c.Field].ID)
			if ok && t.Fields()[number].Column { // else the schema has dropped it
				carried[i] = append(carried[i], build.Change{Field: number, Doc: doc, Values: c.Values})
			}
			found = true
			break
		}
		if !found {
			return errors.New("a document of the merged segments is missing")
		}
	}
	return nil
}

// carryValues returns s, which was made of the segments of p, with the values that these have in now and did not have when the merge began.
func (w scheduling) carryValues(p *plan, s *segment.Segment, now func(i int) (*segment.Segment, *docset.Bits)) (*segment.Segment, error) {
	carried := make([][]build.Change, 1)
	s = s.Original()
	for i := range p.segments {
		seg, deleted := now(i)
		more, err := changesSince(p.read[i].seg, seg, deleted)
		if err == nil {
			err = carry(context.Background(), seg, more, []*segment.Segment{s}, carried)
		}
		if err != nil {
			return nil, err
		}
	}
	content, err := build.AppendChanges(nil, s, carried[0])
	if err != nil {
		return nil, err
	}
	return changedTo(s, content)
}

// sameChanges reports whether a and b, views of one segment, have the same values.
func sameChanges(a, b *segment.Segment) (bool, error) {
	x, err := contentOf(a)
	if err != nil {
		return false, err
	}
	y, err := contentOf(b)
	return bytes.Equal(x, y), err
}
