package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/store"
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

// PlannedPass is a pass over all segments.
type PlannedPass struct {
	Conjunctive bool
	Nodes       bool // a tree says what matches
	Segments    []PlannedSegment
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
	defer store.CatchFault(store.ArmFault(), &err)
	r := new(execution)
	r.begin(ctx, s, q)
	if err = r.resolve(); err != nil {
		return p, err
	}
	p.K = r.maxHits()
	for _, t := range r.terms {
		p.Terms = append(p.Terms, PlannedTerm{r.s.label(t.Field, t.Bytes), t.DF, t.Times})
	}
	for _, conjunctive := range passesOf[r.q.Mode] {
		pass := PlannedPass{Conjunctive: conjunctive, Nodes: r.Tree != nil}
		for i := range s.parts {
			pass.Segments = append(pass.Segments, r.planSegment(i, conjunctive))
		}
		p.Passes = append(p.Passes, pass)
	}
	return p, r.Err
}

// planSegment plans a pass over segment i.
func (r *execution) planSegment(i int, conjunctive bool) (p PlannedSegment) {
	if conjunctive && r.unknown() || !r.enter(i, conjunctive) {
		return p
	}
	p.Algorithm = r.Choose(conjunctive)
	for _, l := range r.Lists {
		p.Lists = append(p.Lists, PlannedList{l.In.Label(r.Names[l.Term]), l.Entry.DF, l.Dense != nil})
	}
	if p.Algorithm == algorithm.RangeMaxScore && r.Open(len(r.Lists)) {
		r.Top.Reset(r.maxHits(), r.addends())
		r.Sure = false
		p.Essential = r.FirstEssential()
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
	for i, pass := range p.Passes {
		name := "or"
		switch {
		case pass.Nodes:
			name = "nodes"
		case pass.Conjunctive:
			name = "and"
		}
		if i > 0 {
			name += ", if there are fewer hits"
		}
		fmt.Fprintln(&b, name)
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
