package gpuload

import (
	"iter"
	"runtime"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// posting is one term of a query in one segment: on the device, or small, or neither if
// the term does not occur.
type posting struct {
	n     uint32
	reach reader.Reach
	want  residency.Want
	small *format.Postings // a decoded list without an extent
	home  *place           // of a term in the cache
}

// absent returns those of some lists that are not on the device, where single postings and
// compact lists never are.
func absent(lists []posting) iter.Seq[*posting] {
	return func(yield func(*posting) bool) {
		for i := range lists {
			if o := &lists[i]; o.n > 0 && o.small == nil && o.want.List == nil && !yield(o) {
				return
			}
		}
	}
}

// wanted returns the lists that are or may be on the device.
func wanted(lists []posting) iter.Seq[*residency.Want] {
	return func(yield func(*residency.Want) bool) {
		for i := range lists {
			if o := &lists[i]; o.n > 0 && o.small == nil && !yield(&o.want) {
				return
			}
		}
	}
}

// plan is a resolved query.
type plan struct {
	index    int // of the query
	mode     query.Mode
	k        int
	weights  []float32 // by term, in canonical order
	lists    []posting // term t in segment s: t*segments+s
	hits     []query.Hit
	cpu      bool // the device cannot answer it
	misfit   bool // because a list is not there: it may fit without those of other batches
	done     bool
	overflow bool // Rank had no room for its keys; Disjunct answers it
	weight   weight
	err      error
}

// resolver is the state of one goroutine in resolve. It allocates for many queries at
// once; otherwise ten thousand queries would need fifty thousand allocations.
type resolver struct {
	x        *Executor
	list     segment.List
	parts    []residency.ListPart
	lookup   terms.Resolver[known]
	weights  []float32
	postings []posting
}

// take allocates n elements from a slab. A slab that is full is replaced by a longer one.
func take[T any](slab *[]T, n int) []T {
	if cap(*slab)-len(*slab) < n {
		*slab = make([]T, 0, max(n, 1024, min(2*cap(*slab), 1<<15)))
	}
	at := len(*slab)
	*slab = (*slab)[:at+n]
	return (*slab)[at : at+n : at+n]
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

// resolver returns a resolver for single queries, to be put back into x.found.
func (x *Executor) resolver() *resolver {
	if r, ok := x.found.Get().(*resolver); ok {
		return r
	}
	return &resolver{x: x}
}

// weight is what a plan adds to its batch. It is kept in the plan because one core cuts
// all plans into batches, and its caches do not hold their lists.
type weight struct {
	first, all int64 // postings of the first list and of all
	smalls     int   // lists without an extent
	partner    int64 // offset of the second term's list; 0 if there is only one term
}

func (p *plan) weigh(segments int) (w weight) {
	for j := range p.lists {
		o := &p.lists[j]
		if o.small != nil {
			w.smalls++
		}
		if j < segments {
			w.first += int64(o.n)
		} else if j < 2*segments && w.partner == 0 {
			w.partner = o.want.Key.Offset
		}
		w.all += int64(o.n)
	}
	return w
}
