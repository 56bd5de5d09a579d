package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/segment"
)

// Walk iterates over the terms of several segments together, in bytewise order.
type Walk struct {
	// Damaged, unless nil, is called when the dictionary of a segment cannot be read any
	// further. The walk then goes on without the segment instead of ending with an error.
	Damaged func(seg int, err error)

	its []*segment.TermIterator // nil at the end
	at  []int                   // those at the current term
	a   *automata.Automaton     // that decides which terms there are, or nil
	err error
}

// NewFieldWalk returns a walk over the terms of a field of segs that begin with prefix and are not below from,
// positioned before the first. The id of the field is 0 without a schema.
func NewFieldWalk(segs []*segment.Segment, id uint32, prefix, from string) *Walk {
	return newWalk(segs, id, from, func(f segment.FieldView) *segment.TermIterator { return f.Terms([]byte(prefix)) })
}

// NewMatchWalk is NewFieldWalk for the terms that a accepts.
func NewMatchWalk(segs []*segment.Segment, id uint32, a *automata.Automaton, from string) *Walk {
	w := newWalk(segs, id, from, func(f segment.FieldView) *segment.TermIterator { return f.Match(a) })
	w.a = a
	return w
}

func newWalk(segs []*segment.Segment, id uint32, from string, terms func(segment.FieldView) *segment.TermIterator) *Walk {
	w := &Walk{its: make([]*segment.TermIterator, len(segs))}
	for i, s := range segs {
		if f, ok := s.FieldByID(id); ok {
			w.its[i] = terms(s.Field(f))
			w.at = append(w.at, i)
		} else if id == 0 {
			w.err = fmt.Errorf("%s has a schema, and terms are those of its fields: %w", s.Name(), errors.ErrUnsupported)
		}
	}
	if from != "" {
		for _, i := range w.at {
			w.keep(i, w.its[i].SeekGE([]byte(from)))
		}
		w.at = w.at[:0]
	}
	return w
}

// FieldIDs returns the ids of the fields of segments, in ascending order.
func FieldIDs(segs []*segment.Segment) (ids []uint32) {
	for _, s := range segs {
		for i := range s.Fields() {
			ids = append(ids, s.Fields()[i].ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// keep drops iterator i if it is at its end.
func (w *Walk) keep(i int, ok bool) {
	if ok {
		return
	}
	switch err := w.its[i].Err(); {
	case err == nil:
	case w.Damaged != nil:
		w.Damaged(i, err)
	case w.err == nil:
		w.err = err
	}
	w.its[i] = nil
}

// Next moves to the next term and reports whether there is one.
func (w *Walk) Next() bool {
	for _, i := range w.at {
		w.keep(i, w.its[i].Next())
	}
	w.at = w.at[:0]
	for i, it := range w.its {
		if it == nil {
			continue
		}
		c := -1
		if len(w.at) > 0 {
			c = bytes.Compare(it.Term(), w.Term())
		}
		if c < 0 {
			w.at = w.at[:0]
		}
		if c <= 0 {
			w.at = append(w.at, i)
		}
	}
	return w.err == nil && len(w.at) > 0
}

// Term returns the current term, valid until the next move.
func (w *Walk) Term() []byte { return w.its[w.at[0]].Term() }

// At returns the segments that hold the current term, ascending, valid until the next
// move.
func (w *Walk) At() []int { return w.at }

// Entry returns the entry of the current term in seg, one of At.
func (w *Walk) Entry(seg int) segment.Entry { return w.its[seg].Entry() }

// Postings returns how many postings the current term has, those of deleted documents included.
func (w *Walk) Postings() (n uint64) {
	for _, i := range w.at {
		n += uint64(w.Entry(i).DF)
	}
	return n
}

// Err returns the error that ended the walk, or nil.
func (w *Walk) Err() error {
	if w.err == nil && w.a != nil {
		return w.a.Err()
	}
	return w.err
}
