package query

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// part is one segment of the snapshot.
type part struct {
	seg     *segment.Segment
	base    uint32 // global docID of its first document
	docs    uint32
	deletes *roaring.Bitmap // local docIDs, nil for none
	lens    lengths
}

// run is everything that executing one query needs. Searchers pool them, so that
// a query allocates next to nothing.
type run struct {
	s *Searcher
	q *Query
	stop
	top topK

	terms   []term          // canonical order: ascending df, then bytes
	entries []segment.Entry // memory of terms' entries

	// Of the segment at hand.
	part   *part
	vet    bool    // hits must be checked against deletes or the filter
	lists  []*list // those that occur here, in canonical order
	opened int     // how many of them are open
	spare  []*list // all that were ever made
	suffix []float32
	order  []*list // scratch of the WAND family
	win    window
	kth    []float32 // scratch
	cand   candidates
	match  matches
	Counts
}

// unknown reports whether some term occurs nowhere.
func (r *run) unknown() bool { return len(r.terms) > 0 && r.terms[0].df == 0 }

// enter makes p the segment at hand. It reports false when the segment has no
// matches; failures are in r.err.
func (r *run) enter(p int, conjunctive bool) bool {
	r.part = &r.s.parts[p]
	r.vet = r.part.deletes != nil || r.q.Filter != nil
	r.lists, r.opened = r.lists[:0], 0
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
		l.entry, l.term, l.weight, l.bound = e, i, t.weight, -1
		l.score, l.stop, l.seekBy = r.s.scorer, &r.stop, r.s.options.Seek
		r.lists = append(r.lists, l)
	}
	return len(r.lists) > 0
}

// open prepares the first n lists that are not prepared yet. Conjunctions open a
// list when there is something to look for in it.
func (r *run) open(n int) bool {
	for ; r.opened < n; r.opened++ {
		l := r.lists[r.opened]
		if err := l.open(r.part.seg); err != nil {
			r.fail(format.Locate(err, format.Place{List: string(r.terms[l.term].bytes), Block: format.NoBlock}))
			return false
		}
	}
	return true
}

// scoreBlock makes l.scores the scores of the current block's postings.
func (r *run) scoreBlock(l *list) bool {
	if l.scoreB == l.block {
		return true
	}
	if !l.loadFreqs() {
		return false
	}
	n := len(l.docs)
	if cap(l.scores) < l.l.BlockLen {
		l.scores = make([]float32, l.l.BlockLen)
	}
	l.scores = l.scores[:n]
	r.scorePostings(l)
	l.scoreB = l.block
	return true
}

// norm returns the norm of a document of the segment at hand.
func (r *run) norm(doc uint32) float32 { return r.s.scorer.Norm(r.part.lens.table.Get(doc)) }

// accept offers a document of the segment at hand with its full score.
func (r *run) accept(doc uint32, score float32) {
	r.Scored++
	if score < r.top.theta || r.vet && !r.allowed(doc) {
		return
	}
	r.top.offer(r.part.base+doc, score)
}

func (r *run) allowed(doc uint32) bool {
	if d := r.part.deletes; d != nil && d.Contains(doc) {
		return false
	}
	f := r.q.Filter
	return f == nil || f.Contains(r.part.base+doc)
}

// estimate raises the threshold to what the k-th impacts of the lists at hand
// prove: at least k documents reach it, if none may be refused.
func (r *run) estimate() {
	if r.vet {
		return
	}
	for _, l := range r.lists {
		if docs, _ := l.l.Small(); docs != nil {
			if len(l.scores) >= r.top.k {
				r.kth = append(r.kth[:0], l.scores...)
				selectGreatest(r.kth, r.top.k)
				r.top.raise(r.kth[r.top.k-1])
			}
			continue
		}
		for i, k := range format.KthValues {
			if tf, dl, ok := l.l.Kth[i].Pair(); r.top.k <= k && ok {
				r.top.raise(Score(l.weight, float32(tf), r.s.scorer.Norm(dl)))
				break
			}
		}
	}
}

// sumBounds makes suffix[i] the sum of the bounds of lists i and up, and
// suffix[len(lists)] zero.
func (r *run) sumBounds() {
	r.suffix = append(r.suffix[:0], make([]float32, len(r.lists)+1)...)
	for i := len(r.lists) - 1; i >= 0; i-- {
		l := r.lists[i]
		if docs, _ := l.l.Small(); docs != nil {
			r.scoreBlock(l)
			l.bound = slices.Max(l.scores)
		} else {
			l.bound = l.score.Bound(l.weight, l.l.Quad)
		}
		r.suffix[i] = r.suffix[i+1] + l.bound
	}
}

// begin prepares for a query.
func (r *run) begin(ctx context.Context, s *Searcher, q *Query) {
	r.s, r.q = s, q
	r.stop.reset(ctx)
	r.Counts = Counts{}
}

// forget drops what must not be kept alive by the pool.
func (r *run) forget() {
	r.q, r.part = nil, nil
	r.stop.ctx, r.stop.done = nil, nil
	clear(r.terms)
}
