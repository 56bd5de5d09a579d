package engine

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/store"
)

// Matches calls f with the documents that match q, whose mode is Or or And, in ascending order, until
// there are no more or f returns false, which stopped reports. q.K does not matter.
func (s *Searcher) Matches(ctx context.Context, q *Query, f func(docs []uint32) bool) (stopped bool, err error) {
	if err := s.hold(); err != nil {
		return false, err
	}
	s.release()
	m := matching{s: s, run: s.execution()}
	defer func() {
		m.run.forget()
		s.runs.Put(m.run)
	}()
	if err := m.begin(orBackground(ctx), q); err != nil {
		return false, err
	}
	for {
		docs, err := m.next()
		if len(docs) == 0 {
			return false, err
		}
		if !f(docs) {
			return true, nil
		}
	}
}

// matching is the state of Matches. The caller's code runs between its calls of next, so that it
// runs under its own guard against faults, and the snapshot is held only inside.
type matching struct {
	s      *Searcher
	run    *execution
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
	if r.q.Mode == AndOr {
		return fmt.Errorf("%w: a mode without a set of matches that does not depend on K", ErrInvalid)
	}
	if len(r.terms) == 0 || r.q.Mode == And && r.unknown() {
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
	for len(docs) < len(m.docs) && m.part < len(m.s.parts) && !r.Stopped() {
		if !m.inside {
			if m.inside = r.enter(m.part, conjunctive) && r.Open(len(r.Lists)); !m.inside {
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
		case doc == posting.End:
			r.Settle()
			m.inside = false
			m.part++
		case r.Allowed(doc):
			docs = append(docs, r.Part.Seg.Base()+doc)
		}
	}
	if r.Err != nil {
		return nil, r.Err
	}
	return docs, nil
}

// nextOfAll returns the next document that all lists hold and moves past it.
func (r *execution) nextOfAll() uint32 {
	first, rest := r.Lists[0], r.Lists[1:]
	doc := first.Doc()
candidates:
	for doc != posting.End && !r.Due() {
		for _, l := range rest {
			if next := l.NextGEQ(doc); next != doc {
				doc = first.NextGEQ(next)
				continue candidates
			}
		}
		first.Next()
		return doc
	}
	return posting.End
}

// nextOfAny returns the next document that one of the lists holds and moves past it.
func (r *execution) nextOfAny() uint32 {
	doc := uint32(posting.End)
	for _, l := range r.Lists {
		doc = min(doc, l.Doc())
	}
	if doc == posting.End {
		return posting.End
	}
	for _, l := range r.Lists {
		if l.Doc() == doc {
			l.Next()
		}
	}
	return doc
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
