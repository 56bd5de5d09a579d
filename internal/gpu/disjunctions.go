package gpu

import (
	"math"
	"unsafe"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// ranged are the disjunctions of a batch that go by ranges of documents: accumulators in shared memory,
// of one query at a time for each warp.
type ranged struct {
	first  int // their first plan: those behind it go by ranges too
	plans  []*plan
	jobs   int // the last ones of the batch
	sums   int // of a document, of plans that go by clauses; otherwise 0
	width  uint32
	span   uint32
	ranges []kernels.Range
}

// rangedJobs adds a job for each plan that goes by ranges and each segment in which one of its terms occurs, and sets
// the number of keys that these plans may collect.
func (l *batch) rangedJobs(caps []int64) (r ranged) {
	for r.first < len(l.plans) && !l.plans[r.first].way.ranged() {
		r.first++
	}
	if r.plans = l.plans[r.first:]; len(r.plans) == 0 {
		return r
	}
	before := len(l.jobs)
	for _, p := range r.plans {
		if p.clauses != nil {
			r.sums = max(r.sums, int(p.clauses.test.Sums))
		}
	}
	for s := range l.x.docs.Views { // jobs sorted by segment
		for i, p := range r.plans {
			if p.occurs(s, len(l.x.docs.Views)) > 0 && p.matchable(s, len(l.x.docs.Views)) {
				l.jobs = append(l.jobs, job{plan: p, seg: s, slot: r.first + i})
			}
		}
	}
	for i, p := range r.plans {
		caps[r.first+i] = l.x.shape().keysOf(p)
	}
	r.jobs = len(l.jobs) - before
	r.width, r.span, r.ranges = l.x.shape().ranges(l.jobs[before:], 1+r.sums)
	return r
}

// classBytes is the size of the counters of a query's keys by class.
const classBytes = 4 * kernels.ScoreClasses

// in returns how many bytes launchRanges takes of In, and work of scratch memory.
func (r *ranged) in() int {
	return 16*len(r.ranges) + 256*len(r.plans) + 1024
}
func (r *ranged) work() int64 { return classBytes*int64(len(r.plans)) + 64 }

// launchRanges prepares a launch for the plans of r and returns it, if there are any. queries are the descriptors of their jobs.
func (l *batch) launchRanges(r *ranged, queries []kernels.QueryDesc, terms, counts, floors kernels.Ptr) []func() {
	if len(r.ranges) == 0 {
		return nil
	}
	st := l.st
	goals := make([]kernels.Goal, len(r.plans))
	for i, p := range r.plans {
		goals[i] = kernels.Goal{Base: p.lowestClass(), K: uint32(p.k), Ceiling: p.ceiling}
	}
	for i := range queries {
		queries[i].Slot -= uint32(r.first)
	}
	classes := st.Scratch(classBytes * int64(len(r.plans)))
	p := kernels.DisjunctParams{Lists: l.x.lists.Table, Queries: layout.Put(st.Buffers, queries), Terms: terms,
		Ranges: layout.Put(st.Buffers, r.ranges), Counts: counts + kernels.Ptr(4*r.first), Floors: floors + kernels.Ptr(8*r.first),
		Classes: classes, Goals: layout.Put(st.Buffers, goals), Codes: l.x.docs.Codes, NRanges: uint32(len(r.ranges)),
		Width: r.width, Span: r.span}
	task, shared := kernels.AddDocs, 4*int(r.span+uint32(blockWarps)*r.width)
	if r.sums > 0 {
		task, shared = kernels.AddClauses, 4*(1+r.sums)*blockWarps*int(r.width)
		p.Fields, p.Clauses, p.Tests, p.Sums = l.scoresAt, l.clausesAt, l.testsAt, uint32(r.sums) // all plans of the batch go by ranges
	} else if l.x.docs.Fielded() {
		task, p.Fields = kernels.AddInFields, l.scoresAt
	}
	k := kernels.For(task, l.codecs)
	return []func(){func() {
		st.Batch.Fill(classes, classBytes*int64(len(r.plans)))
		st.Batch.Launch(k, len(r.ranges), shared, kernels.Bytes(&p))
	}}
}

// Sizes of a kernels.Test and a kernels.Clause.
const testSize, clauseSize = int(unsafe.Sizeof(kernels.Test{})), int(unsafe.Sizeof(kernels.Clause{}))

// tests returns the tests of plans, which all have clauses.
func (l *batch) tests() []kernels.Test {
	all := make([]kernels.Test, len(l.plans))
	for i, p := range l.plans {
		if all[i] = p.clauses.test; p.counts {
			all[i].Total = l.totalOf(i)
		}
	}
	return all
}

// matchable reports whether a document of a segment may match.
func (p *plan) matchable(seg, segments int) bool {
	return p.clauses == nil || p.clauses.matchable(func(t int) bool { return p.lists[t*segments+seg].n > 0 })
}

// lowestClass returns the least score that is told from lower ones, as bits: no score exceeds
// the sum of the weights and the greatest static score.
func (p *plan) lowestClass() uint32 {
	most := p.most
	for _, w := range p.weights {
		most += w
	}
	return uint32(max(0, int64(math.Float32bits(most))-(kernels.ScoreClasses-1)*kernels.ClassBits))
}
