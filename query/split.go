package query

import "github.com/pinion-index/pinion/store"

// prepare looks up the query's terms.
func (j *job) prepare() (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	return j.lead.resolve()
}

// split cuts the work of a pass into tasks by the Pool's model, which w emits.
func (j *job) split(w *worker) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	switch p := j.pool; p.options.Model {
	case DocRanges:
		j.splitRanges(w, len(p.workers))
	case Partitions:
		for i := range p.s.parts {
			if j.lead.enter(i, j.conjunctive) {
				w.emit(task{job: j, part: i, hi: end, worker: i % len(p.workers)})
			}
		}
	default:
		return j.splitFine(w)
	}
	return nil
}

// splitRanges gives each of n workers an equal range of docIDs.
func (j *job) splitRanges(by *worker, n int) {
	docs := j.pool.s.scorer.stats.Docs
	for i := range j.pool.s.parts {
		if !j.lead.enter(i, j.conjunctive) {
			continue
		}
		seg := j.pool.s.parts[i].seg
		base, size := uint64(seg.Base), uint64(seg.Docs())
		for w := range n {
			lo, hi := docs*uint64(w)/uint64(n), docs*uint64(w+1)/uint64(n)
			lo, hi = max(lo, base), min(hi, base+size)
			if lo < hi {
				by.emit(task{j, i, uint32(lo - base), uint32(hi - base), w})
			}
		}
	}
}

// splitFine makes tasks of about TaskPostings postings, or one for every segment
// while there are enough queries to keep all workers busy.
func (j *job) splitFine(w *worker) error {
	r, p := &j.lead, j.pool
	r.top.reset(j.top.k, len(r.terms))
	r.top.shared = &j.theta
	whole := p.entry.len() >= len(p.workers)
	for i := range p.s.parts {
		if !r.enter(i, j.conjunctive) {
			continue
		}
		n := 1
		if !j.conjunctive {
			n = len(r.lists)
		}
		if !r.open(n) {
			return r.err
		}
		switch {
		case whole:
			w.emit(task{job: j, part: i, hi: end})
		case j.conjunctive:
			j.splitBlocks(w, i, r.lists[0])
		default:
			j.splitDisjunction(w, i)
		}
	}
	return nil
}

// Where TaskPostings leaves it to the Pool a query's first tasks are large and the
// others ever smaller (guided self-scheduling, Polychronopoulos and Kuck 1987): that
// costs less than small tasks all the way, and workers end at about the same time.
const (
	// A task has a share of the postings not yet given out, one of guide for each
	// worker, but not less than the least below.
	guide = 8
	// Postings of the smallest tasks. With half as many 16 workers take longer, as they
	// meet at the queue (docs/load.md, figure 7).
	leastAnd = 2048
	leastOr  = 4096
	// With fewer postings a query is one task: waking up others would take longer.
	uncutAnd = 2 * leastAnd
	uncutOr  = 2 * leastOr
)

// taskSize returns how many of the postings not yet given out the next task gets,
// out of total that there were.
func (p *Pool) taskSize(left, total int, conjunctive bool) int {
	if p.options.TaskPostings > 0 {
		return p.options.TaskPostings
	}
	least, uncut := leastOr, uncutOr
	if conjunctive {
		least, uncut = leastAnd, uncutAnd
	}
	if total < uncut || len(p.workers) == 1 {
		return left
	}
	return max(left/(guide*len(p.workers)), least*(1+p.entry.len()))
}

// splitBlocks makes tasks of consecutive blocks of the shortest list (Tatikonda
// 2011, algorithm 4). The others need no cutting: a task finds its place in them
// by their skip headers.
func (j *job) splitBlocks(w *worker, part int, shortest *list) {
	last, size := shortest.List().Docs.Last, shortest.List().BlockLen
	lo := uint32(0)
	for b := 0; ; {
		b += max(1, j.pool.taskSize((len(last)-b)*size, len(last)*size, true)/size)
		if b >= len(last) {
			break
		}
		hi := last[b-1] + 1
		if hi <= lo {
			break // damage, which the last task will meet
		}
		w.emit(task{job: j, part: part, lo: lo, hi: hi})
		lo = hi
	}
	w.emit(task{job: j, part: part, lo: lo, hi: end})
}

// splitDisjunction makes tasks of ranges of docIDs, by the postings that are going
// to be accumulated, as if those were spread evenly.
func (j *job) splitDisjunction(w *worker, part int) {
	r := &j.lead
	r.sumBounds()
	r.estimate()
	postings := 0
	for _, l := range r.lists[:r.essential(len(r.lists))] {
		postings += l.List().N
	}
	docs := uint64(r.part.seg.Docs())
	least := postings / (16 * len(j.pool.workers)) // more tasks would not help
	lo := uint64(0)
	for at := 0; at < postings; {
		at += max(least, j.pool.taskSize(postings-at, postings, false))
		hi := docs * uint64(at) / uint64(postings)
		if hi >= docs {
			break
		}
		if lo < hi {
			w.emit(task{job: j, part: part, lo: uint32(lo), hi: uint32(hi)})
			lo = hi
		}
	}
	w.emit(task{job: j, part: part, lo: uint32(lo), hi: uint32(docs)})
}
