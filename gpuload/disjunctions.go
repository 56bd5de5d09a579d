package gpuload

import (
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// The work of Disjunct is divided so that a thread block gets at most rangePostings
// postings and a batch has at least minRanges thread blocks.
const (
	rangePostings = 1 << 19
	minRanges     = 1 << 10
)

// disjunctions prepares disjunctions with accumulators in shared memory: ranges of docIDs
// for each query and segment, the top keys of each range, and one selection per query.
func (l *batch) disjunctions(size int) error {
	x, st := l.x, l.st
	maxk := l.addJobs()
	runs := make([]int, len(l.jobs))
	total := 0
	for i, c := range l.jobs {
		runs[i] = x.runs(c, len(l.jobs))
		total += runs[i]
	}
	outKeys, outBytes := l.outLayout()
	room := 4*int64(total) + 8*int64(maxk)*int64(total) + 256
	if err := l.reserve(size+16*total+96*len(l.plans)+1024, room, outBytes); err != nil {
		return err
	}
	floors := l.floors()
	counts := st.Scratch(4 * int64(total))
	keys := st.Scratch(8 * int64(maxk) * int64(total))
	for i := range l.jobs {
		l.addTerms(&l.jobs[i])
	}
	queries := l.queries()
	ranges := make([]kernels.Range, 0, total)
	selects := make([]kernels.Select, len(l.plans))
	for i, c := range l.jobs {
		sel := &selects[c.slot]
		if sel.Groups == 0 {
			at := kernels.Ptr(len(ranges))
			*sel = kernels.Select{Keys: keys + 8*kernels.Ptr(maxk)*at, Counts: counts + 4*at, Stride: uint32(maxk), K: uint32(c.plan.k)}
		}
		sel.Groups += uint32(runs[i])
		docs := uint64(queries[i].Docs)
		for r := range uint64(runs[i]) {
			ranges = append(ranges, kernels.Range{Query: uint32(i), First: uint32(docs * r / uint64(runs[i])),
				Last: uint32(docs * (r + 1) / uint64(runs[i])), Slot: uint32(c.slot)})
		}
	}
	p := kernels.DisjunctParams{Lists: x.lists.Table, Queries: layout.Put(st.Buffers, queries), Terms: l.putTerms(),
		Ranges: layout.Put(st.Buffers, ranges), Keys: keys, Counts: counts, Floors: floors, NRanges: uint32(total),
		Width: uint32(x.options.width), Keep: uint32(maxk), Buffer: queueSize}
	k := kernels.Disjunct
	if x.fielded() {
		k, p.Fields = kernels.DisjunctFields, l.scoresAt
	}
	l.toOut(selects, outKeys)
	return l.finish(outKeys, func() {
		st.Batch.Fill(counts, 4*int64(total))
		st.Batch.Launch(k, total, 8*queueSize+4*x.options.width, kernels.Bytes(&p))
	}, l.selection(selects))
}

// addJobs adds a job for each plan and segment in which a term of the plan occurs,
// and returns the greatest k.
func (l *batch) addJobs() (maxk int) {
	for slot, p := range l.plans {
		maxk = max(maxk, p.k)
		for s := range l.x.views {
			if l.x.occurs(p, s) > 0 {
				l.jobs = append(l.jobs, job{plan: p, seg: s, slot: slot})
			}
		}
	}
	return maxk
}

// runs returns the number of thread blocks for a job.
func (x *Executor) runs(c job, jobs int) int {
	docs := int(x.views[c.seg].Docs)
	most := (docs + x.options.width - 1) / x.options.width
	n := max(int(x.occurs(c.plan, c.seg)/rangePostings), minRanges/jobs)
	return max(1, min(n, most))
}
