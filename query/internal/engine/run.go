package engine

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// part is one segment of the snapshot.
type part struct {
	seg     *reader.Segment
	lens    lengths
	dense   *denseCache
	deletes *reader.Deletes // nil if none
}

// views returns what queries read: they arm faults and hold the snapshot.
func (p *part) views() *segment.Segment { return p.seg.Views(trusted.Caller{}) }

// run is the state of one query's execution. Searchers pool runs, so that a query hardly allocates.
type run struct {
	s *Searcher
	q Query
	stop
	words   words  // of Query.Text
	trace   *Trace // nil unless it is wanted
	top     topK
	partial leastOf // of partial scores of distinct documents

	terms   []term  // canonical order: ascending df, then bytes
	entries []entry // memory for terms' entries

	// Of the current segment.
	part    *part
	lo, hi  uint32  // documents to consider: lo up to hi
	lists   []*list // the lists of terms that occur in the segment, in canonical order
	opened  int     // how many lists are open
	spare   []*list // memory: all lists ever made
	suffix  []float32
	bounded bool // sumBounds has been called for lists
	filter  filterSet
	guess   float32 // the greatest threshold that was not proven; -1 if there is none
	sure    bool    // thresholds must be proven
	Counts

	later *taskWorker // may pass matches on to be scored; nil: they are scored at once

	// Scratch.
	order  []*list
	win    window
	cand   candidates
	other  candidates
	match  matches
	scores []float32
	freqs  []uint32
	kth    []float32

	described segment.List // memory of info
}

// unknown reports whether some term occurs nowhere.
func (r *run) unknown() bool { return len(r.terms) > 0 && r.terms[0].df == 0 }

// enter makes p the current segment. It returns false if no document of it can match.
func (r *run) enter(p int, conjunctive bool) bool {
	r.part = &r.s.parts[p]
	r.lists, r.opened, r.bounded = r.lists[:0], 0, false
	r.Counts = Counts{}
	if !r.sift() {
		return false
	}
	for i := range r.terms {
		t := &r.terms[i]
		e := t.entries[p]
		if e.DF == 0 {
			if conjunctive {
				return false
			}
			continue
		}
		if len(r.lists) == len(r.spare) {
			r.spare = append(r.spare, new(list))
		}
		l := r.spare[len(r.lists)]
		l.entry, l.reach, l.term, l.weight, l.bound = e.Entry, e.reach, i, t.weight, -1
		l.ListCounts = ListCounts{}
		r.findDense(l)
		r.lists = append(r.lists, l)
	}
	return len(r.lists) > 0
}

// open opens those of the first n lists that are not open yet, and reports success. Conjunctions
// open a list only when there is something to look up in it.
func (r *run) open(n int) bool {
	for ; r.opened < n; r.opened++ {
		l := r.lists[r.opened]
		if err := l.open(r.part.seg, r.s.seek); err != nil {
			r.fail(format.Locate(err, r.place(l)))
			return false
		}
		if r.trace != nil && !l.small {
			l.traceBlocks()
		}
	}
	return true
}

// start moves lists to the first posting at or after r.lo.
func (r *run) start(lists []*list) {
	if r.lo > 0 {
		for _, l := range lists {
			l.NextGEQ(r.lo)
		}
	}
}

// sumBounds sets the bounds of all lists and makes suffix[i] the sum of the bounds of lists i and
// up; suffix[len(lists)] is zero.
func (r *run) sumBounds() {
	r.suffix = append(r.suffix[:0], make([]float32, len(r.lists)+1)...)
	for i := len(r.lists) - 1; i >= 0; i-- {
		l := r.lists[i]
		if docs, freqs := l.List().Small(); docs != nil {
			l.scores = grow(l.scores, len(docs))
			r.scorePostings(l, l.scores, docs, freqs)
			l.bound = slices.Max(l.scores)
		} else {
			l.bound = r.s.scorer.Bound(l.weight, l.List().Quad)
		}
		r.suffix[i] = r.suffix[i+1] + l.bound
	}
}

// grow returns a slice of n elements, in the memory of v if it is large enough, with vectorSlack
// more elements of capacity.
func grow(v []float32, n int) []float32 {
	if cap(v) < n+vectorSlack {
		v = make([]float32, max(n, 128)+vectorSlack)
	}
	return v[:n]
}

// estimate raises the threshold to what the k-th impacts of the current lists prove: at least k
// documents that are not deleted reach it. Impacts that prove nothing may allow a guess.
func (r *run) estimate() {
	for _, l := range r.lists {
		if l.small {
			r.kth = r.liveScores(r.kth[:0], l)
			if len(r.kth) >= r.top.k {
				r.top.raise(greatest(r.kth, r.top.k))
			}
			continue
		}
		for i, n := range l.reach {
			tf, dl, ok := l.List().Kth[i].Pair()
			if !ok || !r.proven(int(n)) && !r.guessed(int(n)) {
				continue
			}
			theta := Score(l.weight, float32(tf), r.s.scorer.Norm(dl))
			if !r.proven(int(n)) && theta > r.top.theta {
				r.guess = theta
			}
			r.top.raise(theta)
			break
		}
	}
}

// liveScores appends the scores of a small list's documents that may be hits to dst.
func (r *run) liveScores(dst []float32, l *list) []float32 {
	if r.q.Filter == nil && r.part.deletes == nil {
		return append(dst, l.scores...)
	}
	docs, _ := l.List().Small()
	for i, doc := range docs {
		if r.allowed(doc) {
			dst = append(dst, l.scores[i])
		}
	}
	return dst
}

// norm returns the norm of a document of the current segment.
func (r *run) norm(doc uint32) float32 { return r.s.scorer.Norm(r.part.lens.table.Get(doc)) }

// accept offers a document of the current segment with its full score.
func (r *run) accept(doc uint32, score float32) {
	r.Scored++
	if score < r.top.theta || r.vets() && !r.allowed(doc) {
		return
	}
	r.top.offer(r.part.seg.Base()+doc, score)
}

// vets reports whether documents of the range to consider must be checked with allowed.
func (r *run) vets() bool { return r.filter.sifted || r.part.deletes != nil }

// allowed reports whether a document of the current segment may be a hit.
func (r *run) allowed(doc uint32) bool {
	if r.part.deletes.Has(doc) {
		return false
	}
	f := r.q.Filter
	return f == nil || f.Contains(r.part.seg.Base()+doc)
}

// begin makes r ready for q.
func (r *run) begin(ctx context.Context, s *Searcher, q *Query) {
	r.s, r.q, r.trace = s, *q, nil
	r.filter.next = 0
	r.stop.reset(ctx, nil)
}

// forget drops references that a pooled run must not keep alive.
func (r *run) forget() {
	r.q, r.part, r.trace = Query{}, nil, nil
	r.filter.it = roaring.ManyIntIterator{}
	r.stop.ctx, r.stop.done = nil, nil
	clear(r.terms)
}

// What a run of usual size has at most: lists, and elements of its longest slices.
const (
	usualLists    = 1 << 8
	usualElements = 1 << 16
)

// large reports whether r has had an unusual query and holds much memory since.
func (r *run) large() bool {
	return len(r.spare) > usualLists ||
		max(cap(r.top.heap), cap(r.top.other), cap(r.partial.heap), cap(r.partial.keys)) > usualElements ||
		max(cap(r.entries), cap(r.words.bytes), cap(r.words.terms)) > usualElements ||
		max(cap(r.cand.docs), cap(r.other.docs), cap(r.match.own), cap(r.scores), cap(r.freqs), cap(r.kth)) > usualElements
}
