package engine

import (
	"context"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/indexdir"
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
		m.run.giveBack()
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
	s    *Searcher
	run  *execution
	part int // the segment
	// of finds its documents; nil before it is entered.
	of   *algorithm.Matcher
	docs []uint32
}

func (m *matching) begin(ctx context.Context, q *Query) (err error) {
	if err := m.s.hold(); err != nil {
		return err
	}
	defer m.s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	r := m.run
	r.begin(ctx, m.s, q)
	r.q.K, r.q.Total = 0, true // of what has a total, there are matches
	if err := (resolving{r}).resolve(); err != nil {
		return err
	}
	return counting{r}.countable()
}

// next returns the next matches, or none at the end and with an error.
func (m *matching) next() (docs []uint32, err error) {
	if err := m.s.hold(); err != nil {
		return nil, err
	}
	defer m.s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := m.run
	m.docs = m.docs[:0]
	for len(m.docs) == 0 && m.part < len(m.s.parts) && !r.Stopped() {
		if m.of == nil {
			m.of = counting{r}.matches(m.part, false)
		}
		if m.of != nil && m.of.Next() {
			m.docs = m.of.AppendDocs(m.docs)
			continue
		}
		if m.of != nil {
			r.Settle()
		}
		m.of = nil
		m.part++
	}
	if r.Err != nil {
		return nil, r.Err
	}
	if m.of != nil {
		for i := range m.docs {
			m.docs[i] += r.Part.Seg.Base()
		}
	}
	return m.docs, nil
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
