package gpuload

import (
	"runtime"
	"sync/atomic"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// resolver is the state of one goroutine in resolve. It allocates for many queries at
// once; otherwise ten thousand queries would need fifty thousand allocations.
type resolver struct {
	x        *Executor
	list     segment.List
	parts    []residency.ListPart
	lookup   terms.Resolver[known]
	words    []terms.Word
	weights  []float32
	postings []posting
}

// resolve makes the plans of queries, in parallel.
func (x *Executor) resolve(queries []query.Query) []plan {
	x.working.Add(1)
	defer x.working.Add(-1)
	c := &crew{plans: make([]plan, len(queries))}
	x.resolveAll(c, queries, runtime.GOMAXPROCS(0))
	return c.plans
}

// resolveAll makes c.plans, which are empty, those of queries, in at most that many
// goroutines.
func (x *Executor) resolveAll(c *crew, queries []query.Query, workers int) {
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
	x.join(workers, func(i int) { work(&c.resolvers[i]) })
}

// reset makes r ready for the queries of x. The plans made before must not be used any
// more.
func (r *resolver) reset(x *Executor) {
	r.x, r.weights, r.postings = x, r.weights[:0], r.postings[:0]
	r.lookup.Keep = nil // r may have moved
}

// resolveAtOnce is the number of queries that a goroutine takes at a time: about 20 us of
// work.
const resolveAtOnce = 64

// all makes the plans of queries from lo up to hi.
func (r *resolver) all(plans []plan, queries []query.Query, lo, hi int) {
	for i := lo; i < hi; i++ {
		plans[i].index = i
		plans[i].err = r.resolve(&plans[i], &queries[i])
	}
}

// resolve looks up a query's terms and finds their lists.
func (r *resolver) resolve(p *plan, q *query.Query) error {
	if err := q.Check(); err != nil {
		return err
	}
	p.mode, p.k = q.Mode, int(min(uint64(max(q.K, 0)), r.x.docs))
	if !plain(q) {
		p.cpu = true
		return nil
	}
	if p.k == 0 || len(q.RawTerms) == 0 {
		p.done = true
		return nil
	}
	terms, err := r.distinct(q.RawTerms)
	if err != nil {
		return err
	}
	if len(terms) > kernels.MaxTerms || p.k > maxK || q.Filter != nil || q.Trace {
		p.cpu = true
		return nil
	}
	if terms[0].DF == 0 && p.mode != query.Or {
		if p.done = p.mode == query.And; p.done {
			return nil
		}
		p.mode = query.Or
	}
	for len(terms) > 0 && terms[0].DF == 0 {
		terms = terms[1:]
	}
	views := len(r.x.views)
	p.weights, p.lists = take(&r.weights, len(terms)), take(&r.postings, len(terms)*views)
	for i := range terms {
		t := &terms[i]
		p.weights[i] = t.Weight
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
	p.cpu = p.cpu || p.weight.smalls > zoneSlots
	return nil
}

// plain reports whether q, which is complete, is all in its RawTerms, Mode and K, but for a filter. The CPU
// answers others.
func plain(q *query.Query) bool { return q.Node == nil && q.Text == "" && q.After == nil }

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
	scratch   scratch
}

// forget drops what c knows of queries and results.
func (c *crew) forget() {
	clear(c.plans)
	c.scratch.arena = nil
}
