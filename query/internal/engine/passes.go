package engine

import "time"

// search collects the hits of the query in r.top.
func (r *run) search() error {
	t := r.trace
	start := t.now()
	if err := r.resolve(); err != nil {
		return err
	}
	if t != nil {
		t.Resolve = time.Since(start)
		defer func() { t.Search = time.Since(start) - t.Resolve }()
	}
	return r.compute()
}

// compute collects the hits of a query with resolved terms in r.top.
func (r *run) compute() error {
	err := r.passes()
	r.top.trim()
	return err
}

// passes runs a conjunction, a disjunction, or both for AndOr.
func (r *run) passes() error {
	if r.q.Mode != Or {
		r.pass(true)
		if r.err != nil || r.q.Mode == And || len(r.top.heap) >= r.top.k {
			return r.err
		}
	}
	r.pass(false)
	return r.err
}

// pass computes And or Or over all segments into r.top and sets r.err on failure.
func (r *run) pass(conjunctive bool) {
	r.sure = false
	r.attempt(conjunctive)
	if r.err == nil && !r.verified() {
		r.sure = true
		r.trace.forgetThresholds()
		r.attempt(conjunctive)
	}
}

// attempt is pass with thresholds that are proven only if r.sure.
func (r *run) attempt(conjunctive bool) {
	r.guess = -1
	r.top.reset(r.maxHits(), len(r.terms))
	r.top.delay()
	r.partial.reset(r.top.k)
	if conjunctive && r.unknown() {
		return
	}
	for p := range r.s.parts {
		if r.enter(p, conjunctive) {
			r.dispatch(conjunctive)
		}
		if r.err != nil {
			return
		}
	}
}

// maxHits returns the lesser of k and the number of documents, which bounds the memory for hits.
func (r *run) maxHits() int {
	return int(min(uint64(r.q.K), max(r.s.scorer.stats.Docs, 1)))
}

// dispatch runs the chosen algorithm over the current segment.
func (r *run) dispatch(conjunctive bool) {
	a := r.choose(conjunctive)
	if a != BlockMaxAnd && !r.open(len(r.lists)) {
		return
	}
	switch a {
	case Exhaustive:
		r.exhaustive()
	case Scan:
		r.scan()
	case MaxScore:
		r.maxScore(false)
	case BlockMaxMaxScore:
		r.maxScore(true)
	case WAND:
		r.wand(false)
	case BlockMaxWAND:
		r.wand(true)
	case RangeMaxScore:
		r.rangeMaxScore()
	case FilterFirst:
		r.filterFirst(conjunctive)
	case SmallAdaptive:
		r.smallAdaptive()
	case BlockMaxAnd:
		r.blockMaxAnd()
	default:
		r.leapfrog()
	}
	r.settle()
	if r.trace != nil {
		r.trace.add(r, a)
	}
}

// choose returns the algorithm for the current segment. On the query logs measured
// (docs/benchmarks.md) RangeMaxScore is the fastest for Or, by a factor of two or more for every k,
// and BlockMaxAnd for And. So Auto means these, unless the filter is small compared with the lists.
func (r *run) choose(conjunctive bool) Algorithm {
	a := r.q.Algorithm
	switch {
	case a == FilterFirst && r.q.Filter != nil, a == Auto && r.smallFilter(conjunctive):
		return FilterFirst
	case a != Auto && a != FilterFirst && a.Conjunctive() == conjunctive:
		return a
	case conjunctive:
		return BlockMaxAnd
	}
	return RangeMaxScore
}
