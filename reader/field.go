package reader

import (
	"errors"
	"fmt"
	"iter"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Field is what a segment has of one field of the schema. It is as safe for concurrent use as
// its Segment.
type Field struct {
	seg    *Segment
	number int // in segment.Segment.Fields, or noField or severalFields
}

// Instead of the number of a field.
const (
	noField       = -1 // the segment does not have it
	severalFields = -2 // it is the only one, and there are several
)

// Field returns what the segment has of the field of that name in the index's schema; ok is
// false if the segment was written before the schema had the field, or there is no such field.
func (s *Segment) Field(name string) (f Field, ok bool) {
	f = s.field(name)
	return f, f.number != noField
}

// field is Field with a number instead of ok.
func (s *Segment) field(name string) Field { return s.fieldOf(s.schema.Field(name)) }

// fieldOf returns what s has of f, unless there is no f.
func (s *Segment) fieldOf(f *schema.Field, ok bool) Field {
	if ok {
		if i, ok := s.views.FieldByID(f.ID); ok {
			return Field{s, i}
		}
	}
	return Field{s, noField}
}

// only returns the field of an index that has one. If it has several, its methods return errors that
// match errors.ErrUnsupported.
func (s *Segment) only() Field {
	if len(s.schema.Fields) != 1 {
		return Field{s, severalFields}
	}
	return s.fieldOf(&s.schema.Fields[0], true)
}

// several is the error of a field that is not the only one.
func (f Field) several() error {
	return fmt.Errorf("%s: terms of all fields together: %w", f.seg.views.Name(), errors.ErrUnsupported)
}

// Segment returns the segment.
func (f Field) Segment() *Segment { return f.seg }

// Info returns what the segment says of the field, under the name of the time when it was
// written. It is zero if the segment does not have the field.
func (f Field) Info() segment.Field {
	if f.number == noField {
		return segment.Field{}
	}
	return *f.seg.views.Field(max(f.number, 0)).Info()
}

// View returns the field as the file stores it, as Segment.Views does. The segment must have it.
func (f Field) View() segment.FieldView { return f.seg.views.Field(max(f.number, 0)) }

// lookup is Lookup for who has armed faults.
func (f Field) lookup(term []byte) (e segment.Entry, ok bool, err error) {
	switch f.number {
	case noField:
		return e, false, nil
	case severalFields:
		return e, false, f.several()
	}
	return f.seg.views.Field(f.number).Lookup(term)
}

// Lookup returns the dictionary entry of term in the field; ok is false if the segment does not
// hold it.
func (f Field) Lookup(term []byte) (e segment.Entry, ok bool, err error) {
	if err := f.seg.life.acquire(); err != nil {
		return e, false, err
	}
	defer f.seg.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return f.lookup(term)
}

// Terms returns an iterator over the field's terms that begin with prefix, positioned before
// the first. An empty prefix selects all terms.
func (f Field) Terms(prefix []byte) *Terms {
	return newTerms(f.seg.life, []Field{f}, selection{prefix: prefix})
}

// Match returns an iterator over the field's terms that a accepts, positioned before the first. The
// iterator uses a as long as it is used itself. If a is nil, its error matches fs.ErrInvalid.
func (f Field) Match(a segment.Automaton) *Terms { return newMatches(f.seg.life, []Field{f}, a) }

// Cursor returns a cursor at the first posting of term in the field, or at NoDoc if the segment
// does not hold it. The caller closes it.
func (f Field) Cursor(term []byte) (*Cursor, error) {
	e, ok, err := f.Lookup(term)
	if err != nil {
		return nil, err
	}
	c := NewCursor()
	if !ok {
		c.seg = f.seg
		return c, nil
	}
	if err := c.Init(f.seg, e); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Postings is Segment.Postings of a term in the field.
func (f Field) Postings(term []byte) iter.Seq2[Posting, error] {
	return func(yield func(Posting, error) bool) {
		if err := f.seg.life.acquire(); err != nil {
			yield(Posting{Doc: NoDoc}, err)
			return
		}
		defer f.seg.life.release()
		r := rowPool.Get().(*rows)
		defer rowPool.Put(r)
		r.each(f, term, 0, nil, yield)
	}
}

// DocLen returns the length of doc in the field: the number of its tokens, rounded down if the
// field has byte lengths. It is 0 if there is no such document, or no lengths.
func (f Field) DocLen(doc uint32) (tokens uint32, err error) {
	if err := f.seg.life.acquire(); err != nil {
		return 0, err
	}
	defer f.seg.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if x := f.Info(); !x.HasLengths() {
		return 0, nil
	}
	t, err := f.seg.views.Field(max(f.number, 0)).Lengths()
	return t.Get(doc), err
}

// FieldStats are the statistics of one field in all segments of a snapshot, without deleted
// documents: what scores depend on.
type FieldStats struct {
	// Docs is the number of documents with a token in the field, N of BM25. Of a field without
	// lengths, such as keywords, and in the implicit schema, it is that of all documents.
	Docs uint64
	// Tokens is the sum of the documents' lengths in the field, each rounded down if the field
	// has byte lengths. In a field without lengths each document counts as one token, so that
	// each has the average length.
	Tokens uint64
	// MaxLen is the greatest length, deleted documents included.
	MaxLen uint32
}

// AvgLen returns the mean length of the documents, or 0 if there is none.
func (s *FieldStats) AvgLen() float64 {
	if s.Docs == 0 {
		return 0
	}
	return float64(s.Tokens) / float64(s.Docs)
}

// SnapshotField is one field of all segments of a snapshot. It is as safe for concurrent use as
// the Snapshot.
type SnapshotField struct {
	s      *Snapshot
	desc   schema.Field
	fields []Field // one a segment
}

// Field returns the field of that name in the schema; ok is false if there is none.
func (s *Snapshot) Field(name string) (f *SnapshotField, ok bool) {
	if s.view == nil {
		return nil, false
	}
	desc, ok := s.view.schema.Field(name)
	if !ok {
		return nil, false
	}
	f = &SnapshotField{s: s, desc: *desc}
	for _, seg := range s.segments {
		f.fields = append(f.fields, seg.fieldOf(desc, true))
	}
	return f, true
}

// FieldStats returns the statistics of a field. They are zero if there is no such field.
func (s *Snapshot) FieldStats(name string) FieldStats {
	f, ok := s.Field(name)
	if !ok {
		return FieldStats{}
	}
	return f.Stats()
}

// Description returns the field as the schema has it.
func (f *SnapshotField) Description() schema.Field { return f.desc }

// Segment returns the field in segment i of Snapshot.Segments, and false if the segment does not
// have it.
func (f *SnapshotField) Segment(i int) (Field, bool) {
	return f.fields[i], f.fields[i].number != noField
}

// Stats returns the field's statistics.
func (f *SnapshotField) Stats() (st FieldStats) {
	all := f.s.view.stats
	switch {
	case f.desc.Indexing() == schema.IndexNone:
		return st
	case !f.desc.HasLengths():
		return FieldStats{Docs: all.Live, Tokens: all.Live, MaxLen: 1}
	}
	for _, in := range f.fields {
		if x, ok := in.seg.info.Field(f.desc.ID); ok {
			st.Docs += uint64(x.Docs - x.Deleted)
			st.Tokens += x.Tokens - x.DeletedTokens
			st.MaxLen = max(st.MaxLen, in.seg.views.Field(in.number).Info().MaxLen)
		}
	}
	return st
}

// Lookup is Snapshot.Lookup of a term in the field.
func (f *SnapshotField) Lookup(term []byte, dst []TermEntry) (df uint64, entries []TermEntry, err error) {
	return lookup(f.s, f.fields, term, dst)
}

// DF is Snapshot.DF of a term in the field.
func (f *SnapshotField) DF(term []byte) (df uint64, err error) {
	df, _, err = f.Lookup(term, nil)
	return df, err
}

// Terms returns an iterator over the terms of the field that begin with prefix, positioned
// before the first. An empty prefix selects all terms.
func (f *SnapshotField) Terms(prefix []byte) *Terms {
	return newTerms(livesOf(f.s), f.fields, selection{prefix: prefix})
}

// Match is Field.Match in all segments.
func (f *SnapshotField) Match(a segment.Automaton) *Terms {
	return newMatches(livesOf(f.s), f.fields, a)
}

// Postings is Snapshot.Postings of a term in the field.
func (f *SnapshotField) Postings(term []byte) iter.Seq2[Posting, error] {
	return postings(f.s, f.fields, term)
}

// DocLen returns the length of a global docID in the field, as Field.DocLen.
func (f *SnapshotField) DocLen(doc uint32) (tokens uint32, err error) {
	seg, local, err := locate(f.s, doc)
	if err != nil {
		return 0, err
	}
	return f.fields[seg.ord].DocLen(local)
}
