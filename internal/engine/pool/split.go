package pool

import "github.com/pinion-index/pinion/internal/engine"

// split cuts a pass of j into tasks according to the Pool's model and passes them to w.emit.
func (w *worker) split(j *job) error {
	if !j.x.Scored() {
		w.splitBlocks(j)
		return nil
	}
	switch w.pool.options.Model {
	case DocRanges:
		w.splitRanges(j)
	case Partitions:
		for i := range w.pool.engine.Segments() {
			if j.x.Matches(i) {
				w.emit(task{j, engine.Task{Segment: i, Hi: engine.End}, i % len(w.pool.workers)})
			}
		}
	default:
		return w.splitFine(j)
	}
	return nil
}

// splitRanges gives each worker an equal range of docIDs.
func (w *worker) splitRanges(j *job) {
	e, n := w.pool.engine, uint64(len(w.pool.workers))
	docs := e.Docs()
	for i := range e.Segments() {
		if !j.x.Matches(i) {
			continue
		}
		base32, size := e.Segment(i)
		base := uint64(base32)
		for k := range n {
			lo, hi := docs*k/n, docs*(k+1)/n
			lo, hi = max(lo, base), min(hi, base+uint64(size))
			if lo < hi {
				w.emit(task{j, engine.Task{Segment: i, Lo: uint32(lo - base), Hi: uint32(hi - base)}, int(k)})
			}
		}
	}
}

// splitBlocks cuts a pass over columns: the blocks of each segment into pieces of equal length.
func (w *worker) splitBlocks(j *job) {
	p := w.pool
	n := len(p.workers)
	for i := range p.engine.Segments() {
		blocks, tasks := j.x.Units(i)
		switch p.options.Model {
		case DocRanges:
			tasks = n
		case Partitions:
			tasks = 1
		default:
			if tasks = min(tasks, mostBlocks*n); p.entry.len() >= n {
				tasks = 1
			}
		}
		for k := range tasks {
			worker := k
			if p.options.Model == Partitions {
				worker = i % n
			}
			if lo, hi := blocks*k/tasks, blocks*(k+1)/tasks; lo < hi {
				w.emit(task{j, engine.Task{Segment: i, Lo: uint32(lo), Hi: uint32(hi)}, worker})
			}
		}
	}
}

// mostBlocks is how many tasks a pass over columns has of a segment for each worker, at most.
const mostBlocks = 4

// splitFine makes tasks of about TaskPostings postings, or one for each segment while enough
// queries wait to keep all workers busy.
func (w *worker) splitFine(j *job) error {
	p := w.pool
	whole := p.entry.len() >= len(p.workers)
	for i := range p.engine.Segments() {
		switch {
		case !j.x.Matches(i):
		case whole:
			w.emit(task{job: j, Task: engine.Task{Segment: i, Hi: engine.End}})
		default:
			w.cutting = task{job: j, Task: engine.Task{Segment: i}}
			if err := j.x.Cut(i, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// Without TaskPostings, the first tasks of a query are large and the others ever smaller
// (guided self-scheduling, Polychronopoulos and Kuck 1987). That has less overhead than small
// tasks throughout, and workers still finish at about the same time.
const (
	// A task gets 1/(guide*workers) of the postings that are in no task yet, but not less than
	// the minimum below.
	guide = 8
	// Postings of the smallest tasks. With half of that, 16 workers take longer, since they
	// contend for the queue (docs/load.md, figure 7).
	leastAnd = 2048
	leastOr  = 4096
	// A query with fewer postings is one task: waking other workers would take longer.
	uncutAnd = 2 * leastAnd
	uncutOr  = 2 * leastOr
	// A disjunction has at most mostOr tasks for each worker.
	mostOr = 16
)

// Size implements algorithm.Cutter.
func (w *worker) Size(left, total int) int {
	p := w.pool
	if w.cutting.job.x.Conjunctive() {
		return p.taskSize(left, total, leastAnd, uncutAnd)
	}
	return max(total/(mostOr*len(p.workers)), p.taskSize(left, total, leastOr, uncutOr))
}

// Range implements algorithm.Cutter.
func (w *worker) Range(lo, hi uint32) {
	t := w.cutting
	t.Lo, t.Hi = lo, hi
	w.emit(t)
}

func (p *Pool) taskSize(left, total, least, uncut int) int {
	if p.options.TaskPostings > 0 {
		return p.options.TaskPostings
	}
	if total < uncut || len(p.workers) == 1 {
		return left
	}
	return max(left/(guide*len(p.workers)), least*(1+p.entry.len()))
}
