package gpu

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// resolve makes the plan of a query.
func (r *resolver) resolve(p *plan, q *search.Query) error {
	err := r.plan(p, q)
	if p.done && p.ask != nil && p.ask.static && r.x.options.CPU != nil {
		p.done, p.why = false, reasonStatic // it says what is wrong with the column
	}
	return err
}

// plan decides who executes a query, by what it says, the index and statistics, and finds its terms and their lists if that is
// the device. How the device executes the steps is decided when they begin (shape.way). What else can leave a query to the CPU is
// what happens: lists or tables that are not there, keys that find no room, ties, and failures.
func (r *resolver) plan(p *plan, q *search.Query) error {
	x := r.x
	if err := q.CheckPart(x.part); err != nil {
		return err
	}
	p.mode, p.k = q.Mode, int(min(uint64(cmp.Or(q.K, query.DefaultK)), x.docs.N))
	if p.why = demands(q); p.why != OnDevice {
		return nil
	}
	if x.tied && p.k > 0 {
		p.wanted = p.k
		p.k = int(min(uint64(p.k)+1, x.docs.N))
	}
	if ok, err := r.dot(p, q); ok || err != nil {
		return err
	}
	if ok, err := r.nearest(p, q); ok || err != nil {
		return err
	}
	found, mode, ok, err := r.distinct(q)
	if err != nil {
		return err
	}
	if !ok {
		p.why = reasonNodes
		return nil
	}
	if err := r.asked(p, q); err != nil || p.why != OnDevice {
		return err
	}
	p.mode, p.counts, p.ceiling = mode, q.Total, ceilingOf(q.After)
	if r.tree != nil || p.counts && mode == query.ModeOr {
		if p.clauses = clausesOf(r.tree, found); p.clauses == nil || !x.holds(p.clauses) {
			p.why = reasonNodes
			return nil
		}
	}
	if p.k == 0 || len(found) == 0 {
		p.done = true
		return nil
	}
	switch {
	case p.ceiling > 0 && (x.tied || mode == query.ModeAndOr):
		p.why = ReasonAfter
	case p.counts && mode == query.ModeAndOr:
		p.why = reasonTotal
	case p.wanted > 0 && p.mode == query.ModeAndOr: // whether it takes the disjunction depends on k
		p.why = reasonTies
	case len(found) > kernels.MaxTerms:
		p.why = reasonTerms
	case p.k > x.maxK():
		p.why = reasonHits
	case q.Trace:
		p.why = reasonTrace
	}
	if p.why != OnDevice {
		return nil
	}
	all := len(found)
	if p.clauses != nil {
		if p.done = !p.clauses.settle(func(t int) bool { return found[t].Kept.occurs() }); p.done {
			return nil
		}
	}
	if found = r.occurring(found); len(found) < all && p.mode != query.ModeOr {
		if p.done = p.mode == query.ModeAnd; p.done {
			return nil
		}
		p.mode = query.ModeOr
	}
	r.lists(p, found)
	if p.clauses != nil {
		p.clauses.drive(func(t int) int64 { return p.length(t, len(x.docs.Views)) })
	}
	p.weightless()
	p.done = len(p.weights) == 0
	if p.weight = p.weigh(len(x.docs.Views)); p.weight.smalls > stages.Zone {
		p.why = reasonSmall
	}
	return nil
}

// demands returns why the device does not execute a query whatever it searches for.
func demands(q *search.Query) Reason {
	switch {
	case q.After != nil && (q.Mode == query.ModeAndOr || !(q.After.Score >= 0) || len(q.After.Order) > 0):
		return ReasonAfter
	case q.Total && q.Mode == query.ModeAndOr:
		return reasonTotal
	case q.Params != query.Params{}:
		return reasonParams
	case q.Reorders():
		return ReasonColumns
	case q.Static != nil && !q.Static.Plain():
		return reasonStatic
	case compares(q.Node) && !search.NearestAlone(q.Node):
		return reasonNearest
	}
	return OnDevice
}

// Refuse returns why a device is not to execute q, which is complete, as far as the query says it without a look at the index. It
// is quick: a scheduler asks it of every query. Where it says OnDevice, the plan of an Executor may say otherwise.
func Refuse(q *search.Query) Reason {
	why := demands(q)
	switch {
	case why != OnDevice:
	case q.K > maxK:
		return reasonHits
	case !some(q):
		return reasonEmpty
	case !q.ByFields() && len(q.RawTerms) > kernels.MaxTerms && distinctTerms(q.RawTerms) > kernels.MaxTerms:
		return reasonTerms
	case q.Node != nil && !required(q.Node, 0) && !search.NearestAlone(q.Node):
		return reasonNodes
	}
	return why
}

// Lone returns why the CPU should execute q, which comes alone: a device would make a bitmap of a filter that no other query
// has.
func Lone(q *search.Query) Reason {
	if q.Filter != nil {
		return reasonFilter
	}
	return OnDevice
}

// some reports whether q, which is complete, searches for anything.
func some(q *search.Query) bool { return len(q.RawTerms) > 0 || q.ByFields() }

func distinctTerms(terms [][]byte) int {
	seen := make(map[string]struct{}, len(terms))
	for _, t := range terms {
		seen[string(t)] = struct{}{}
	}
	return len(seen)
}

// mostDeep is how deep trees are that a device executes.
const mostDeep = 8

// required reports whether clauses, or a mode, may say what n matches where it must match: a tree of terms, or a Dot, under filters of columns.
func required(n query.Node, depth int) bool {
	not := func(n query.Node) bool { return !required(n, depth+1) }
	neither := func(n query.Node) bool { return !where.ByColumns(n) && not(n) }
	switch n := n.(type) {
	case query.Match:
		return !n.Typos
	case query.Term, query.Dot:
		return true
	case query.Best:
		return depth <= mostDeep && !slices.ContainsFunc(n.Of, not)
	case query.Or:
		return !slices.ContainsFunc(n, func(n query.Node) bool { return !optional(n, depth+1) })
	case query.And:
		return depth <= mostDeep && !slices.ContainsFunc(n, neither)
	case query.Bool:
		if depth > mostDeep || slices.ContainsFunc(n.Must, neither) || slices.ContainsFunc(n.Filter, neither) {
			return false
		}
		for _, kid := range n.Should {
			if !optional(kid, depth+1) && (len(n.Should) > max(n.AtLeast, 1) || not(kid)) {
				return false
			}
		}
		return !slices.ContainsFunc(n.MustNot, func(n query.Node) bool { return !where.ByColumns(n) && !optional(n, depth+1) })
	}
	return false
}

// optional reports whether n may be a term, or nothing but terms of which one must match.
func optional(n query.Node, depth int) bool {
	switch n := n.(type) {
	case query.Match:
		return !n.Typos
	case query.Term:
		return true
	case query.Or:
		return depth <= mostDeep && !slices.ContainsFunc(n, func(n query.Node) bool { return !optional(n, depth+1) })
	case query.Bool:
		return depth <= mostDeep && len(n.Must)+len(n.MustNot)+len(n.Filter) == 0 && n.AtLeast <= 1 &&
			!slices.ContainsFunc(n.Should, func(n query.Node) bool { return !optional(n, depth+1) })
	}
	return false
}

// ceilingOf returns the key that those of hits behind p are below, or 0 if all are wanted.
func ceilingOf(p *search.Position) uint64 {
	switch {
	case p == nil:
		return 0
	case p.Before:
		return uint64(math.Float32bits(p.Score+0)+1) << 32
	}
	return max(uint64(math.Float32bits(p.Score+0))<<32|uint64(^p.Doc), 1) // no hit has the key 0
}

// weightless takes the weights of terms that do not score.
func (p *plan) weightless() {
	for t := range p.weights {
		if p.clauses != nil && p.clauses.of[t].Sum == kernels.NoSum {
			p.weights[t] = 0
		}
	}
}

// lists gives a plan its terms and their lists.
func (r *resolver) lists(p *plan, found []terms.Term[known]) {
	views := len(r.x.docs.Views)
	p.weights, p.lists = take(&r.weights, len(found)), take(&r.postings, len(found)*views)
	if r.x.docs.Fielded() {
		p.fields = take(&r.fields, len(found))
	}
	for i := range found {
		t := &found[i]
		p.weights[i] = t.Weight
		if p.fields != nil {
			p.fields[i] = uint16(t.Field)
		}
		for s := range t.Kept.lists {
			l := &t.Kept.lists[s]
			o := &p.lists[i*views+s]
			*o = l.posting
			o.home = l
			if o.want.List = l.list.Load(); o.want.List != nil && o.want.List.Gone.Load() {
				o.want.List = nil
			}
		}
	}
}

// asked notes what q, whose terms have been looked up, asks for beside them.
func (r *resolver) asked(p *plan, q *search.Query) (err error) {
	docs, columns := q.Filter, (*filter.Compiled)(nil)
	if q.Node != nil || q.Text != "" {
		docs, columns = r.parsed.Docs, r.parsed.Columns
	}
	if docs == nil && columns == nil && q.Static == nil {
		return nil
	}
	p.ask = &ask{docs: docs, columns: columns}
	if q.Static != nil {
		p.ask.static = true
		p.ask.field, p.ask.weight, err = r.x.parser.StaticField(q.Static)
	}
	return err
}

// dot makes the plan of q if that is one Dot; ok is false otherwise.
func (r *resolver) dot(p *plan, q *search.Query) (ok bool, err error) {
	if r.x.impacts == nil || q.Node == nil {
		return false, nil
	}
	own := &r.dots
	if ok, err = r.x.parser.AppendDot(own, q); !ok || err != nil {
		return ok, err
	}
	if p.mode = query.ModeOr; p.k == 0 || len(own.Terms) == 0 {
		p.done = true
		return true, nil
	}
	if own.Docs != nil || own.Columns != nil {
		p.ask = &ask{docs: own.Docs, columns: own.Columns}
	}
	switch {
	case q.After != nil:
		p.why = ReasonAfter
	case q.Total:
		p.why = reasonTotal
	case len(own.Terms) > kernels.MaxTerms:
		p.why = reasonTerms
	case p.k > mostDotHits:
		p.why = reasonHits
	case q.Trace:
		p.why = reasonTrace
	case q.Static != nil:
		p.why = reasonStatic
	case !(own.Factor >= leastFactor && own.Factor <= mostFactor):
		p.why = reasonDot
	}
	if p.why != OnDevice {
		return true, nil
	}
	t, err := r.x.tilesOf(context.Background(), own.Field)
	if err != nil {
		return true, err
	}
	if t == nil {
		p.why = reasonField
		return true, nil
	}
	bound := r.weigh(p, t)
	p.dot.bound, p.weight.first = uint32(bound), p.weight.all
	if p.done = p.dot.n == 0; bound >= mostSum {
		p.why = reasonDot
	}
	return true, nil
}

// weigh gives the plan of a Dot the terms of r.dots that occur, and returns a bound of all sums.
func (r *resolver) weigh(p *plan, t *tileSet) (bound uint64) {
	own := &r.dots
	stride := len(own.Terms)
	p.dot = &take(&r.taken, 1)[0]
	*p.dot = dot{tiles: t, stride: stride, terms: take(&r.weighted, stride*len(t.tiles)), factor: own.Factor, low: 1}
	for i, term := range own.Terms {
		w, postings, most := own.Weights[i], uint64(0), uint8(0)
		for s, tiles := range t.tiles {
			to := &p.dot.terms[s*stride+p.dot.n]
			x, ok := tiles.Term(term)
			if *to = (kernels.ImpactTerm{Number: kernels.NoImpacts, Weight: w}); !ok {
				continue
			}
			to.Number = x.Number
			postings += uint64(x.Postings)
			most = max(most, x.Most)
			if p.ask == nil { // those that have been deleted since may be among the best
				p.dot.low = max(p.dot.low, w*uint32(x.AtLeast(p.k+int(t.deleted))))
			}
		}
		if postings == 0 {
			continue
		}
		p.dot.n++
		p.weight.all += int64(postings)
		bound += uint64(w) * uint64(most)
	}
	return bound
}
