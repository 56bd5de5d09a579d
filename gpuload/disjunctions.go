package gpuload

import (
	"cmp"
	"math"
	"slices"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// A thread block of Disjunct takes one range of documents for groupQueries queries, or for as few as
// leastGroup where a launch would have less than leastRanges thread blocks.
const (
	groupQueries = 128
	leastGroup   = 16
	leastRanges  = 1 << 10
	leastWidth   = 512 // documents of a range, where a launch has few of them
)

// disjunctions prepares disjunctions by ranges of documents: accumulators in shared memory,
// of one query at a time for each warp, and one selection per query.
func (l *batch) disjunctions(size int) error {
	x, st := l.x, l.st
	l.addJobs()
	slices.SortStableFunc(l.jobs, func(a, b job) int { return cmp.Compare(a.seg, b.seg) })
	width, ranges := x.ranges(l.jobs)
	var keys int64
	caps := sized(&l.caps, len(l.plans))
	for i, p := range l.plans {
		caps[i] = x.keysOf(p)
		keys += caps[i]
	}
	const counted = 4 * kernels.ScoreClasses
	outKeys, outBytes := l.outLayout()
	room := 8*keys + int64(counted+64)*int64(len(l.plans)) + 1024
	if err := l.reserve(size+16*len(ranges)+128*len(l.plans)+1024, room, outBytes); err != nil {
		return err
	}
	floors := l.floors()
	counts := st.Scratch(4 * int64(len(l.plans)))
	classes := st.Scratch(counted * int64(len(l.plans)))
	outs := sized(&l.outs, len(l.plans))
	goals := make([]kernels.Goal, len(l.plans))
	selects := sized(&l.selects, len(l.plans))
	for i, p := range l.plans {
		outs[i] = st.Scratch(8 * caps[i])
		goals[i] = kernels.Goal{Base: p.lowestClass(), K: uint32(p.k)}
		at := counts + kernels.Ptr(4*i)
		selects[i] = kernels.Select{Keys: outs[i], Counts: at, Groups: 1, Stride: uint32(caps[i]), K: uint32(p.k), Floor: floors + kernels.Ptr(8*i)}
	}
	for i := range l.jobs {
		l.addTerms(&l.jobs[i])
	}
	queries := l.queries()
	for i, c := range l.jobs {
		queries[i].Out, queries[i].Cap = outs[c.slot], uint32(caps[c.slot])
	}
	p := kernels.DisjunctParams{Lists: x.lists.Table, Queries: layout.Put(st.Buffers, queries), Terms: l.putTerms(),
		Ranges: layout.Put(st.Buffers, ranges), Counts: counts, Floors: floors, Classes: classes, Goals: layout.Put(st.Buffers, goals),
		Codes: x.codes, NRanges: uint32(len(ranges)), Width: width}
	task := kernels.AddDocs
	if x.fielded() {
		task, p.Fields = kernels.AddInFields, l.scoresAt
	}
	k := kernels.For(task, l.codecs)
	l.toOut(selects, outKeys)
	return l.finish(outKeys, func() {
		st.Batch.Fill(counts, 4*int64(len(l.plans)))
		st.Batch.Fill(classes, counted*int64(len(l.plans)))
		st.Batch.Launch(k, len(ranges), 4*int(width)*(k.Threads()/32+1), kernels.Bytes(&p))
	}, l.selection(selects))
}

// addJobs adds a job for each plan and segment in which a term of the plan occurs.
func (l *batch) addJobs() {
	for slot, p := range l.plans {
		for s := range l.x.views {
			if l.x.occurs(p, s) > 0 {
				l.jobs = append(l.jobs, job{plan: p, seg: s, slot: slot})
			}
		}
	}
}

// ranges divides the documents of the jobs, which are sorted by segment, among thread blocks. It
// returns how many documents a range has at most.
func (x *Executor) ranges(jobs []job) (width uint32, ranges []kernels.Range) {
	width = uint32(x.options.width)
	var work uint64 // documents of jobs
	for _, c := range jobs {
		work += uint64(x.views[c.seg].Docs)
	}
	for width > leastWidth && work/uint64(width) < leastRanges*leastGroup/2 {
		width = width / 2 &^ 127
	}
	group := int(min(max(work/uint64(width)/leastRanges, leastGroup), groupQueries))
	for from := 0; from < len(jobs); {
		to, docs := from, uint64(x.views[jobs[from].seg].Docs)
		for to < len(jobs) && jobs[to].seg == jobs[from].seg {
			to++
		}
		n := (docs + uint64(width) - 1) / uint64(width)
		for r := range n {
			for q := from; q < to; q += group {
				ranges = append(ranges, kernels.Range{Query: uint32(q), End: uint32(min(q+group, to)),
					First: uint32(docs * r / n), Last: uint32(docs * (r + 1) / n)})
			}
		}
		from = to
	}
	return width, ranges
}

// keysOf returns how many keys Disjunct may collect for a plan.
func (x *Executor) keysOf(p *plan) int64 {
	if p.all {
		return min(int64(x.docs), p.weight.all)
	}
	return 4*int64(p.k) + x.options.overflow
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
