package reader

import (
	"bytes"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// TermEntry is the dictionary entry of a term in one segment.
type TermEntry struct {
	Segment int // position in Snapshot.Segments
	segment.Entry
}

// Lookup appends the entries of term to dst, one for each segment that has it,
// in docID order, and returns its document frequency over all segments (deleted
// documents count until a merge drops them).
func (s *Snapshot) Lookup(term []byte, dst []TermEntry) (df uint64, entries []TermEntry, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if err := s.open(); err != nil {
		return 0, dst, err
	}
	for i, seg := range s.view.segments {
		e, ok, err := seg.Lookup(term)
		if err != nil {
			return 0, dst, err
		}
		if ok {
			df += uint64(e.DF)
			dst = append(dst, TermEntry{i, e})
		}
	}
	return df, dst, nil
}

// DF returns the document frequency of term over all segments, 0 if no segment
// has it.
func (s *Snapshot) DF(term []byte) (df uint64, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if err := s.open(); err != nil {
		return 0, err
	}
	for _, seg := range s.view.segments {
		e, ok, err := seg.Lookup(term)
		if err != nil {
			return 0, err
		}
		if ok {
			df += uint64(e.DF)
		}
	}
	return df, nil
}

// EachPosting calls f with the global docID and the frequency of every posting
// of term, in docID order, deleted documents excepted, until f returns false.
func (s *Snapshot) EachPosting(term []byte, f func(doc, freq uint32) bool) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if err := s.open(); err != nil {
		return err
	}
	c := NewCursor()
	defer c.Close()
	for _, seg := range s.view.segments {
		e, ok, err := seg.Lookup(term)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		dels, err := seg.Deletes()
		if err != nil {
			return err
		}
		if err := c.Init(seg, e); err != nil {
			return err
		}
		for doc := c.Doc(); doc != NoDoc; doc = c.Next() {
			if dels.Has(doc) {
				continue
			}
			freq := c.Freq()
			if freq == 0 || !f(seg.Base+doc, freq) {
				return c.Err()
			}
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Terms walks the terms of all segments in bytewise order. It is not safe for
// concurrent use.
type Terms struct {
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
	here bool // stands on the present term
}

// Terms returns an iterator before the first term that begins with prefix; an
// empty prefix gives all terms.
func (s *Snapshot) Terms(prefix []byte) (t *Terms) {
	t = &Terms{} // named: it must be returned after a fault too
	defer store.CatchFault(store.ArmFault(), &t.err)
	if t.err = s.open(); t.err != nil {
		return t
	}
	for i, seg := range s.view.segments {
		t.all = append(t.all, source{i, seg.Prefix(prefix), true})
	}
	return t
}

// SeekGE moves to the first term that is not below term and reports whether
// there is one. It may move either way.
func (t *Terms) SeekGE(term []byte) (ok bool) {
	defer store.CatchFault(store.ArmFault(), &t.err)
	if t.err != nil {
		return false
	}
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
	defer store.CatchFault(store.ArmFault(), &t.err)
	if t.err != nil {
		return false
	}
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

// gather finds the least term and its entries. Segments are few, so it looks at
// all of them.
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

// Term returns the present term. It is valid until the next move.
func (t *Terms) Term() []byte { return t.term }

// DF returns the present term's document frequency over all segments.
func (t *Terms) DF() uint64 { return t.df }

// Entries returns the present term's entries, one for each segment that has it,
// in docID order. They are valid until the next move.
func (t *Terms) Entries() []TermEntry { return t.entries }

// Err returns the error that ended the iteration, or nil.
func (t *Terms) Err() error { return t.err }
