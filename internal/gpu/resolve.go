package gpu

import (
	"runtime"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/search"
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
