package engine

import "github.com/pinion-index/pinion/internal/engine/algorithm"

// stepKind says what a step is for.
type stepKind uint8

const (
	scored   stepKind = iota // the best hits by score
	sorted                   // the best hits by columns
	counted                  // facets, and the total with them
	totalled                 // the total alone
)

// step is a part of how a query is executed: what is done over all segments after the step before.
type step struct {
	kind        stepKind
	conjunctive bool // of scored: all terms must match, otherwise one of them, or what the tree says
	fewer       bool // it is left out if there are as many hits as are wanted
	pages       bool // of scored: repeated until the hits have enough groups
	scores      bool // of sorted: by scores, too
}

// plan sets r.steps to how the query, whose terms are resolved, is executed. Searches, tasks and Searcher.Plan follow it, and
// algorithm.Run.Plan, which decides what a step runs over a segment.
func (r *execution) plan() error {
	r.steps, r.extra = r.steps[:0], nil
	var want ColumnPlan
	if r.q.Columns != nil {
		if err := r.beginColumns(); err != nil {
			return err
		}
		want, r.extra = r.columnar.plan, new(Extra)
	} else if err := (counting{r}).countable(); err != nil {
		return err
	}
	switch {
	case r.q.K == 0:
	case len(want.Sort) > 0:
		r.steps = append(r.steps, step{kind: sorted, conjunctive: r.q.Mode != Or, scores: want.byScores()})
	case r.q.Mode == Or:
		r.steps = append(r.steps, step{pages: want.Collapse != nil})
	default:
		r.steps = append(r.steps, step{conjunctive: true, pages: want.Collapse != nil})
		if r.q.Mode == AndOr {
			r.steps = append(r.steps, step{fewer: true})
		}
	}
	if len(want.Facets) > 0 {
		r.steps = append(r.steps, step{kind: counted})
	} else if r.q.Total {
		r.steps = append(r.steps, step{kind: totalled})
	}
	return nil
}

// compute collects the hits of a query with resolved terms in r.Top, and sets r.total and r.extra.
func (r *execution) compute() error {
	if r.q.Columns != nil {
		defer r.forgetColumns()
	}
	if err := r.plan(); err != nil {
		return err
	}
	if r.Trace != nil {
		if r.Trace.Plan = r.planned().String(); r.Err != nil {
			return r.Err
		}
	}
	r.Top.Heap, r.total = r.Top.Heap[:0], 0
	for _, s := range r.steps {
		if s.fewer && len(r.Top.Heap) >= r.Top.K {
			continue
		}
		if err := r.do(s); err != nil {
			return err
		}
	}
	return nil
}

// do executes a step.
func (r *execution) do(s step) (err error) {
	switch s.kind {
	case sorted:
		return sorting{r}.sort(s)
	case counted:
		return faceting{r}.countFacets()
	case totalled:
		r.total, err = counting{r}.totalWith(len(r.Top.Heap), r.Top.K)
		return err
	}
	if s.pages {
		err = collapsing{r}.collapse(s)
	} else {
		err = r.pass(s.conjunctive)
	}
	r.Top.Trim()
	r.Top.Order()
	if err != nil {
		return err
	}
	return r.tieError()
}

// String returns what a plan says of a step.
func (s step) String() string {
	name := [...]string{sorted: "sorted", counted: "facets", totalled: "total"}[s.kind]
	switch {
	case s.scores:
		name += " by scores, too"
	case s.kind != scored:
	case s.conjunctive:
		name = "and"
	default:
		name = "or"
	}
	if s.fewer {
		name += ", if there are fewer hits"
	}
	return name
}

// planSegment plans a scored step over segment i.
func (r *execution) planSegment(i int, s step) (p PlannedSegment) {
	if s.conjunctive && (resolving{r}).unknown() || !r.enter(i, s.conjunctive) {
		return p
	}
	p.Algorithm = r.Run.Plan(s.conjunctive).Algorithm
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
