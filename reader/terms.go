package reader

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// TermEntry is the dictionary entry of a term in one segment.
type TermEntry struct {
	Segment int // position in Snapshot.Segments
	segment.Entry
}

// Lookup appends the entries of term to dst, one for each segment that holds it,
// in docID order. It also returns the document frequency of term over all
// segments, without deleted documents. In an index of several fields the error
// matches errors.ErrUnsupported (see SnapshotField.Lookup).
func (s *Snapshot) Lookup(term []byte, dst []TermEntry) (df uint64, entries []TermEntry, err error) {
	return lookup(s, nil, term, dst)
}

// fieldIn returns the field of segment i in fields, or the only field there is if that is nil.
func fieldIn(s *Snapshot, fields []Field, i int) Field {
	if fields == nil {
		return s.segments[i].only()
	}
	return fields[i]
}

// lookup is Lookup in fields, one of each segment; nil is the only field of each.
func lookup(s *Snapshot, fields []Field, term []byte, dst []TermEntry) (df uint64, entries []TermEntry, err error) {
	if err := livesOf(s).acquire(); err != nil {
		return 0, dst, err
	}
	defer livesOf(s).release()
	for i := range s.segments {
		f := fieldIn(s, fields, i)
		e, ok, err := f.Lookup(term)
		if err != nil {
			return 0, dst, err
		}
		if !ok {
			continue
		}
		live, err := f.seg.LiveDF(e)
		if err != nil {
			return 0, dst, err
		}
		df += uint64(live)
		dst = append(dst, TermEntry{i, e})
	}
	return df, dst, nil
}

// DF returns the document frequency of term over all segments, without deleted
// documents.
func (s *Snapshot) DF(term []byte) (df uint64, err error) {
	df, _, err = s.Lookup(term, nil)
	return df, err
}

// Terms iterates over the terms of a snapshot or of one segment, or over those of a field of
// either, in bytewise order. It is not safe for concurrent use. It needs no closing.
type Terms struct {
	life    *life
	all     []source // of every segment, in docID order
	live    []source // those that are not exhausted, in docID order
	entries []TermEntry
	term    []byte
	df      uint64
	err     error
	started bool
}

// source walks the terms of one segment.
type source struct {
	seg  int
	it   *segment.TermIterator
	here bool // is at the current term
}

// Terms returns an iterator over the terms that begin with prefix, positioned
// before the first. An empty prefix selects all terms. In an index of several fields it fails
// with an error that matches errors.ErrUnsupported (see SnapshotField.Terms).
func (s *Snapshot) Terms(prefix []byte) *Terms {
	fields := make([]Field, len(s.segments))
	for i := range fields {
		fields[i] = fieldIn(s, nil, i)
	}
	return newTerms(livesOf(s), fields, selection{prefix: prefix})
}

// Terms returns an iterator over the terms of this segment that begin with
// prefix, positioned before the first. An empty prefix selects all terms.
func (s *Segment) Terms(prefix []byte) *Terms { return s.only().Terms(prefix) }

// selection says which terms to iterate over: those that begin with a prefix, or those that an automaton
// accepts.
type selection struct {
	prefix    []byte
	automaton segment.Automaton
}

// of returns the iterator over the terms of a field.
func (x *selection) of(v segment.FieldView) *segment.TermIterator {
	if x.automaton != nil {
		return v.Match(x.automaton)
	}
	return v.Terms(x.prefix)
}

func newMatches(l *life, fields []Field, a segment.Automaton) *Terms {
	if a == nil {
		return &Terms{life: l, err: fmt.Errorf("match terms with no automaton: %w", fs.ErrInvalid)}
	}
	return newTerms(l, fields, selection{automaton: a})
}

func newTerms(l *life, fields []Field, x selection) (t *Terms) {
	t = &Terms{life: l} // named, to be returned after a fault too
	if t.err = l.acquire(); t.err != nil {
		return t
	}
	defer l.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &t.err)
	for _, f := range fields {
		switch f.number {
		case noField:
		case severalFields:
			t.err = f.several()
			return t
		default:
			t.all = append(t.all, source{f.seg.ord, x.of(f.seg.views.Field(f.number)), true})
		}
	}
	return t
}

// enter begins a call, unless an error has ended the iteration.
func (t *Terms) enter() bool {
	if t.err == nil {
		t.err = t.life.acquire()
	}
	return t.err == nil
}

// SeekGE moves to the first of the selected terms that is not below term and reports
// whether there is one. It can move in both directions.
func (t *Terms) SeekGE(term []byte) (ok bool) {
	if !t.enter() {
		return false
	}
	defer t.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &t.err)
	t.started, t.live = true, t.live[:0]
	for _, x := range t.all {
		if x.it.SeekGE(term) {
			t.live = append(t.live, x)
		} else if t.err = x.it.Err(); t.err != nil {
			return false
		}
	}
	return t.gather()
}

// Next moves to the next term and reports whether there is one.
func (t *Terms) Next() (ok bool) {
	if !t.enter() {
		return false
	}
	defer t.life.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &t.err)
	if !t.started {
		t.started = true
		t.live = append(t.live, t.all...)
	}
	kept := t.live[:0]
	for _, x := range t.live {
		if !x.here || x.it.Next() {
			kept = append(kept, x)
		} else if t.err = x.it.Err(); t.err != nil {
			return false
		}
	}
	t.live = kept
	return t.gather()
}

// gather finds the least term and its entries. There are few segments, so it
// looks at all of them.
func (t *Terms) gather() bool {
	t.entries, t.df = t.entries[:0], 0
	var least []byte
	for i := range t.live {
		x := &t.live[i]
		c := bytes.Compare(x.it.Term(), least)
		if i == 0 || c < 0 {
			least, c = x.it.Term(), 0
			t.entries, t.df = t.entries[:0], 0
			for j := range t.live[:i] {
				t.live[j].here = false
			}
		}
		if x.here = c == 0; x.here {
			e := x.it.Entry()
			t.entries = append(t.entries, TermEntry{x.seg, e})
			t.df += uint64(e.DF)
		}
	}
	t.term = append(t.term[:0], least...)
	return len(t.entries) > 0
}

// Term returns the current term. It is valid until the next move.
func (t *Terms) Term() []byte { return t.term }

// DF returns the number of the current term's postings over all segments,
// including those of deleted documents; Segment.LiveDF counts the others.
func (t *Terms) DF() uint64 { return t.df }

// Entries returns the current term's entries, one for each segment that has it,
// in docID order. They are valid until the next move.
func (t *Terms) Entries() []TermEntry { return t.entries }

// Entry returns the first of Entries, which is the only one when iterating over
// one segment. It is zero if there is no current term.
func (t *Terms) Entry() (e segment.Entry) {
	if len(t.entries) > 0 {
		e = t.entries[0].Entry
	}
	return e
}

// Err returns the error that ended the iteration, or nil.
func (t *Terms) Err() error { return t.err }
