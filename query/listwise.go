package query

import "github.com/pinion-index/pinion/format"

// listMaxScore computes Or by MaxScore a list at a time, the shortest first: its
// postings are taken a block at a time, those that can pass the threshold with
// the bounds of the longer lists become candidates, and the longer lists are
// probed for them. A document is scored in full with the shortest list that holds
// it, so the bounds of lists already done no longer count, and once those of the
// remaining ones do not pass the threshold the result is complete. The most
// promising documents come first, which raises the threshold early, and lists
// are read without merging or accumulators.
func (r *run) listMaxScore() {
	r.sumBounds()
	r.estimate()
	for i, l := range r.lists {
		if r.suffix[i] <= r.top.prune || i > 0 && !r.rewind(r.lists) {
			return
		}
		r.listPass(i, l)
	}
}

// rewind moves lists back to their first postings and reports success.
func (r *run) rewind(lists []*list) bool {
	for _, l := range lists {
		if l.Err() != nil {
			return false
		}
		if err := l.rewind(r.part.seg, r.s.options.Seek); err != nil {
			r.fail(format.Locate(err, r.place(l)))
			return false
		}
	}
	return true
}

// listPass scores the documents whose shortest list is list i.
func (r *run) listPass(i int, l *list) {
	for l.Doc() != end && !r.stopped() {
		pass := r.passing(i + 1)
		l.Shallow(l.Doc())
		if pass >= 0 && l.blockBound(r.s.scorer) <= pass {
			l.ByBound++
			l.NextBlock()
			continue
		}
		docs := l.Docs()
		r.cand.reset()
		for j, s := range r.scoreBlock(l, docs) {
			if s > pass {
				r.cand.add(docs[j], s)
			}
		}
		r.finishList(i)
		r.q.Trace.threshold(r, l.Doc())
		l.NextBlock()
	}
}

// finishList is finish for candidates from list i: those that a shorter list
// holds have been offered already.
func (r *run) finishList(i int) {
	r.Candidates += uint64(len(r.cand.docs))
	for j := i + 1; j < len(r.lists) && len(r.cand.docs) > 0; j++ {
		r.probe(r.lists[j], r.suffix[j+1])
	}
	for j, doc := range r.cand.docs {
		if s := r.cand.sums[j]; s >= r.top.theta && !r.inShorter(i, doc) {
			r.accept(doc, s)
		}
	}
}

// inShorter reports whether one of the lists before list i holds doc.
func (r *run) inShorter(i int, doc uint32) bool {
	for j, l := range r.lists[:i] {
		if doc < l.Doc() && !r.rewind(r.lists[j:j+1]) {
			return false
		}
		if l.NextGEQ(doc) == doc {
			return true
		}
	}
	return false
}
