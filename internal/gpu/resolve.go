package gpu

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// resolve makes the plans of queries, in parallel.
func (x *Executor) resolve(queries []search.Query) []plan {
	x.working.Add(1)
	defer x.working.Add(-1)
	c := &crew{plans: make([]plan, len(queries))}
	c.resolve(x, queries, runtime.GOMAXPROCS(0))
	return c.plans
}

// resolve makes c.plans, which are empty, those of queries, in at most that many
// goroutines.
func (c *crew) resolve(x *Executor, queries []search.Query, workers int) {
	workers = min(workers, len(queries)/resolveAtOnce+1)
	for len(c.resolvers) < workers {
		c.resolvers = append(c.resolvers, resolver{})
	}
	var next atomic.Int64
	work := func(r *resolver) {
		r.reset(x)
		for {
			lo := int(next.Add(resolveAtOnce)) - resolveAtOnce
			if lo >= len(queries) {
				return
			}
			r.all(c.plans, queries, lo, min(lo+resolveAtOnce, len(queries)))
		}
	}
	x.working.join(workers, func(i int) { work(&c.resolvers[i]) })
}

// reset makes r ready for the queries of x. The plans made before must not be used any
// more.
func (r *resolver) reset(x *Executor) {
	r.x, r.weights, r.fields, r.postings = x, r.weights[:0], r.fields[:0], r.postings[:0]
	r.taken, r.weighted = r.taken[:0], r.weighted[:0]
	r.lookup.Keep = nil // r may have moved
}

// resolveAtOnce is the number of queries that a goroutine takes at a time: about 20 us of
// work.
const resolveAtOnce = 64

// all makes the plans of queries from lo up to hi.
func (r *resolver) all(plans []plan, queries []search.Query, lo, hi int) {
	for i := lo; i < hi; i++ {
		plans[i].index = i
		plans[i].err = r.resolve(&plans[i], &queries[i])
	}
}

// resolve makes the plan of a query.
func (r *resolver) resolve(p *plan, q *search.Query) error {
	err := r.plan(p, q)
	if p.done && p.ask != nil && p.ask.static && r.x.options.CPU != nil {
		p.done, p.cpu = false, true // it says what is wrong with the column
	}
	return err
}

// plan looks up a query's terms and finds their lists.
func (r *resolver) plan(p *plan, q *search.Query) error {
	if err := q.CheckPart(r.x.part); err != nil {
		return err
	}
	p.mode, p.k = q.Mode, int(min(uint64(cmp.Or(q.K, query.DefaultK)), r.x.docs.N))
	if onlyCPU(q) {
		p.cpu = true
		return nil
	}
	if r.x.tied && p.k > 0 {
		p.wanted = p.k
		p.k = int(min(uint64(p.k)+1, r.x.docs.N))
	}
	if ok, err := r.dot(p, q); ok || err != nil {
		return err
	}
	terms, mode, ok, err := r.distinct(q)
	if p.cpu = !ok; p.cpu || err != nil {
		return err
	}
	if err := r.asked(p, q); err != nil || p.cpu {
		return err
	}
	if p.mode = mode; p.k == 0 || len(terms) == 0 {
		p.done = true
		return nil
	}
	if p.wanted > 0 && p.mode == query.ModeAndOr { // whether it takes the disjunction depends on k
		p.cpu = true
		return nil
	}
	if len(terms) > kernels.MaxTerms || p.k > r.x.maxK() || q.Trace {
		p.cpu = true
		return nil
	}
	all := len(terms)
	if terms = r.occurring(terms); len(terms) < all && p.mode != query.ModeOr {
		if p.done = p.mode == query.ModeAnd; p.done {
			return nil
		}
		p.mode = query.ModeOr
	}
	views := len(r.x.docs.Views)
	p.weights, p.lists = take(&r.weights, len(terms)), take(&r.postings, len(terms)*views)
	if r.x.docs.Fielded() {
		p.fields = take(&r.fields, len(terms))
	}
	for i := range terms {
		t := &terms[i]
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
	p.done = len(p.weights) == 0
	p.weight = p.weigh(views)
	p.cpu = p.cpu || p.weight.smalls > stages.Zone
	return nil
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
	p.cpu = p.ask.filters() && !r.x.docs.Aligned
	return err
}

// complete returns queries with what they leave to defaults, as Parser.Complete does. Those of an index with a schema are
// cut into terms once, when they are resolved.
func (x *Executor) complete(queries []search.Query) ([]search.Query, error) {
	if x.docs.Fielded() {
		return queries, nil
	}
	return x.parser.Complete(queries)
}

// resolver returns a resolver for single queries, to be put back into x.found.
func (x *Executor) resolver() *resolver {
	if r, ok := x.found.Get().(*resolver); ok {
		return r
	}
	return &resolver{x: x}
}

// crew is the memory of one goroutine of an execution.
type crew struct {
	resolvers []resolver
	plans     []plan
	use       []*plan
	asks      bool // some of them ask for more than terms
	scratch   scratch
}

// forget drops what c knows of queries and results.
func (c *crew) forget() {
	clear(c.plans)
	c.scratch.arena = nil
}
