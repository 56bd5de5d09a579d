package gpu

import (
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/search"
)

// Plan is how a query is executed, as far as that is known before lists are loaded. Executors follow what it says; what happens
// later, such as a list that does not fit, can leave the query to the CPU still.
type Plan struct {
	K      int
	Terms  []PlannedTerm // in canonical order, of a dot product in that of their names; none if Why does not depend on them
	Why    Reason        // why the CPU answers; OnDevice if a device does
	Device int           // of a Group
	Steps  []PlannedStep // on the device; none if nothing can match
}

// PlannedTerm is a term of a Plan that occurs.
type PlannedTerm struct {
	Term     string // with its field, if that has a name
	Postings int64  // summed over segments, including those of deleted documents
	Resident bool   // all of them are on the device, or are so few that they go with the query
}

// PlannedStep is a step of a Plan.
type PlannedStep struct {
	way   way
	Fewer bool // it is left out if there are as many hits as are wanted
	Table bool // hits pass a filter, or have static scores, for which the device needs a table
}

// Plan returns the plan of q, which is not executed. No list is loaded for it, but the field of a dot product is, as for a query.
func (x *Executor) Plan(ctx context.Context, q search.Query) (p Plan, err error) {
	if err := orBackground(ctx).Err(); err != nil {
		return p, err
	}
	if err := x.enter(); err != nil {
		return p, err
	}
	defer x.leave()
	own, err := x.complete([]search.Query{q})
	if err != nil {
		return p, err
	}
	r := x.resolver()
	defer x.found.Put(r)
	return r.planned(&own[0])
}

// planned makes the plan of a query and describes it.
func (r *resolver) planned(q *search.Query) (Plan, error) {
	p := new(plan)
	if err := r.resolve(p, q); err != nil {
		return Plan{}, err
	}
	if p.why == OnDevice && !r.x.state.works.Load() {
		p.why = ReasonNoDevice
	}
	return r.describe(q, p)
}

// describe describes the plan of a query, whose steps have not begun.
func (r *resolver) describe(q *search.Query, p *plan) (out Plan, err error) {
	x := r.x
	out.K, out.Why = p.k, p.why
	if p.wanted > 0 {
		out.K = p.wanted
	}
	x.lists.Look(wanted(p.lists))
	if out.Terms, err = r.name(q, p); err != nil || p.done || p.why != OnDevice {
		return out, err
	}
	step := PlannedStep{way: x.shape().way(p), Table: p.ask != nil}
	out.Steps = append(out.Steps, step)
	if then := *p; then.next() {
		step.way, step.Fewer = x.shape().way(&then), true
		out.Steps = append(out.Steps, step)
	}
	return out, nil
}

// name returns the terms of a plan.
func (r *resolver) name(q *search.Query, p *plan) (out []PlannedTerm, err error) {
	x := r.x
	if p.dot != nil {
		for _, t := range r.dots.Terms { // of the query that was resolved last
			if n := p.dot.tiles.postings(t); n > 0 {
				out = append(out, PlannedTerm{r.label(r.dots.Field, t), n, true})
			}
		}
		return out, nil
	}
	if len(p.weights) == 0 {
		return nil, nil
	}
	found, _, _, err := r.distinct(q)
	if err != nil {
		return nil, err
	}
	found = r.occurring(found)
	views := len(x.docs.Views)
	for i := range found {
		out = append(out, PlannedTerm{r.label(found[i].Field, found[i].Bytes), p.length(i, views), p.missing(i, i+1, views) == 0})
	}
	return out, nil
}

// String returns the plan as text: a line for the terms, and one for each step.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d hits", p.K)
	for i, t := range p.Terms {
		sep := ","
		if i == 0 {
			sep = " of"
		}
		fmt.Fprintf(&b, "%s %s %d", sep, t.Term, t.Postings)
		if !t.Resident {
			b.WriteString(" to load")
		}
	}
	b.WriteByte('\n')
	switch {
	case p.Why != OnDevice:
		fmt.Fprintf(&b, "CPU, %v: %s\n", p.Why, p.Why.Clause())
	case len(p.Steps) == 0:
		b.WriteString("nothing\n")
	}
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "GPU %d, %v\n", p.Device, s)
	}
	return b.String()
}

// String returns what a plan says of a step.
func (s PlannedStep) String() string {
	text := [...]string{byAnd: "and: blocks of the shortest list, looked up in the others", byLists: "or: list by list", byRanges: "or: by ranges of documents",
		byTiles: "dot product: by tiles of the field", byClauses: "tree of terms, or a total: by ranges of documents", byDrivers: "tree of terms: list by list",
		byVectors: "nearest: all vectors of the field"}[s.way]
	if s.Table {
		text += ", with a table of its filter or static scores"
	}
	if s.Fewer {
		text += ", if there are fewer hits"
	}
	return text
}

// label returns a term with the name of its field, if it has one.
func (r *resolver) label(field int, term []byte) string {
	if f := r.x.docs.Fields[field].Name; f != "" {
		return f + ":" + string(term)
	}
	return string(term)
}
