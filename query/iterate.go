package query

import (
	"context"
	"fmt"
	"iter"

	"github.com/pinion-index/pinion/store"
)

// Matches returns an iterator over the global docIDs of all documents that match q, in ascending
// order. It scores nothing and takes a fraction of the memory of a search for all documents. Mode
// must be Or or And; K, Algorithm and Trace are ignored. An error is yielded last, with docID 0; it
// is one of AppendHits.
func (s *Searcher) Matches(ctx context.Context, q Query) iter.Seq2[uint32, error] {
	return func(yield func(uint32, error) bool) {
		m := matching{s: s, run: s.runs.Get().(*run)}
		defer func() {
			m.run.forget()
			s.runs.Put(m.run)
		}()
		err := q.Check()
		if err == nil && q.Mode == AndOr {
			err = fmt.Errorf("%w: %v has no set of matches that does not depend on K", ErrInvalid, q.Mode)
		}
		if err == nil {
			err = m.begin(ctx, &q)
		}
		for err == nil {
			var docs []uint32
			if docs, err = m.next(); len(docs) == 0 {
				break
			}
			for _, doc := range docs {
				if !yield(doc, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// matching is the state of Matches. The caller's code runs between its calls of next, so that it
// runs under its own guard against faults, and the snapshot is held only inside.
type matching struct {
	s      *Searcher
	run    *run
	part   int  // the segment
	inside bool // its lists are open
	docs   [256]uint32
}

func (m *matching) begin(ctx context.Context, q *Query) (err error) {
	if err := m.s.hold(); err != nil {
		return err
	}
	defer m.s.release()
	defer store.CatchFault(store.ArmFault(), &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	r := m.run
	r.begin(ctx, m.s, q)
	if err := r.resolve(); err != nil {
		return err
	}
	if len(r.terms) == 0 || q.Mode == And && r.unknown() {
		m.part = len(m.s.parts)
	}
	return nil
}

// next returns the next matches, or none at the end and with an error.
func (m *matching) next() (docs []uint32, err error) {
	if err := m.s.hold(); err != nil {
		return nil, err
	}
	defer m.s.release()
	defer store.CatchFault(store.ArmFault(), &err)
	r := m.run
	conjunctive := r.q.Mode == And
	docs = m.docs[:0]
	for len(docs) < len(m.docs) && m.part < len(m.s.parts) && !r.stopped() {
		if !m.inside {
			if m.inside = r.enter(m.part, conjunctive) && r.open(len(r.lists)); !m.inside {
				m.part++
				continue
			}
		}
		var doc uint32
		if conjunctive {
			doc = r.nextOfAll()
		} else {
			doc = r.nextOfAny()
		}
		switch {
		case doc == end:
			r.settle()
			m.inside = false
			m.part++
		case r.allowed(doc):
			docs = append(docs, r.part.seg.Base()+doc)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return docs, nil
}

// nextOfAll returns the next document that all lists hold and moves past it.
func (r *run) nextOfAll() uint32 {
	first, rest := r.lists[0], r.lists[1:]
	doc := first.Doc()
candidates:
	for doc != end && !r.due() {
		for _, l := range rest {
			if next := l.NextGEQ(doc); next != doc {
				doc = first.NextGEQ(next)
				continue candidates
			}
		}
		first.Next()
		return doc
	}
	return end
}

// nextOfAny returns the next document that one of the lists holds and moves past it.
func (r *run) nextOfAny() uint32 {
	doc := uint32(end)
	for _, l := range r.lists {
		doc = min(doc, l.Doc())
	}
	if doc == end {
		return end
	}
	for _, l := range r.lists {
		if l.Doc() == doc {
			l.Next()
		}
	}
	return doc
}
