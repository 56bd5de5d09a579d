package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// Plan is how a query would be executed, as far as that is known before postings are read.
type Plan struct {
	Terms  []PlannedTerm // in canonical order
	K      int
	Passes []PlannedPass
}

// PlannedTerm is a distinct term of a query.
type PlannedTerm struct {
	Term  string // with its field, if that has a name
	DF    uint64 // over the snapshot, without deleted documents
	Times int    // in the query
}

// PlannedPass is a step over all segments.
type PlannedPass struct {
	Name     string           // what it finds
	Segments []PlannedSegment // if it finds hits by scores
}

// PlannedSegment is a pass over a segment. It has no lists if nothing can match.
type PlannedSegment struct {
	Algorithm algorithm.Name
	Lists     []PlannedList // in the order in which scores are summed
	// Essential is how many of the lists RangeMaxScore begins with: the others cannot give a hit alone. 0 for others.
	Essential int
}

// PlannedList is a list of a segment.
type PlannedList struct {
	Term   string
	DF     uint32
	Cached bool // as a bitmap
}

// Plan returns the plan of q, which is not executed.
func (s *Searcher) Plan(ctx context.Context, q *Query) (p Plan, err error) {
	if err = s.hold(); err != nil {
		return p, err
	}
	defer s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := new(execution)
	r.begin(ctx, s, q)
	if err = (resolving{r}).resolve(); err != nil {
		return p, err
	}
	if r.q.Columns != nil {
		defer r.forgetColumns()
	}
	if err = r.plan(); err != nil {
		return p, err
	}
	return r.planned(), r.Err
}

// planned returns what r.plan has planned, before any of it is done.
func (r *execution) planned() (p Plan) {
	p.K = r.maxHits()
	for _, t := range r.terms {
		p.Terms = append(p.Terms, PlannedTerm{r.s.label(t.Field, t.Bytes), t.DF, t.Times})
	}
	for _, st := range r.steps {
		pass := PlannedPass{Name: st.String()}
		if r.Tree != nil && st.kind == scored {
			pass.Name = "nodes"
		}
		for i := range r.s.parts {
			if st.kind == scored {
				pass.Segments = append(pass.Segments, r.planSegment(i, st))
			}
		}
		p.Passes = append(p.Passes, pass)
	}
	return p
}

// String returns the plan as text: a line for the terms, and for each pass and segment.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d hits of", p.K)
	for i, t := range p.Terms {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s df %d", t.Term, t.DF)
		if t.Times > 1 {
			fmt.Fprintf(&b, " %d times", t.Times)
		}
	}
	b.WriteByte('\n')
	for _, pass := range p.Passes {
		fmt.Fprintln(&b, pass.Name)
		for i, s := range pass.Segments {
			fmt.Fprintf(&b, "  segment %d: %v\n", i, s)
		}
	}
	return b.String()
}

// String returns the algorithm and the lists.
func (s PlannedSegment) String() string {
	if len(s.Lists) == 0 {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v over", s.Algorithm)
	for i, l := range s.Lists {
		switch {
		case s.Essential > 0 && i == s.Essential:
			b.WriteString("; for these documents")
		case i > 0:
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s %d", l.Term, l.DF)
		if l.Cached {
			b.WriteString(" cached")
		}
	}
	return b.String()
}
