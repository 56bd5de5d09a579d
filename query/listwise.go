package query

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
		if r.suffix[i] <= r.top.prune || r.err != nil {
			return
		}
		for _, l := range r.lists {
			l.rewind()
		}
		r.listPass(i, l)
	}
}

// listPass scores the documents whose shortest list is list i.
func (r *run) listPass(i int, l *list) {
	for b := 0; b < len(l.last); b++ {
		pass := r.passing(i + 1)
		if pass >= 0 && l.blockBound(b) <= pass {
			l.ByBound++
			continue
		}
		if b != l.block && !l.load(b) || !r.scoreBlock(l) {
			return
		}
		r.cand.reset()
		for j, s := range l.scores {
			if s > pass {
				r.cand.add(l.docs[j], s)
			}
		}
		r.finishList(i)
		r.q.Trace.threshold(r, l.last[b])
	}
}

// finishList is finish for candidates from list i: those that a shorter list
// holds have been offered already.
func (r *run) finishList(i int) {
	r.Candidates += uint64(len(r.cand.docs))
	for j := i + 1; j < len(r.lists) && len(r.cand.docs) > 0; j++ {
		r.probe(r.lists[j], r.suffix[j+1])
	}
	if r.err != nil {
		return
	}
	for j, doc := range r.cand.docs {
		if s := r.cand.sums[j]; s >= r.top.theta && !r.inShorter(i, doc) {
			r.accept(doc, s)
		}
	}
}

// inShorter reports whether one of the lists before list i holds doc.
func (r *run) inShorter(i int, doc uint32) bool {
	for _, l := range r.lists[:i] {
		if doc < l.doc {
			l.rewind()
		}
		if l.seek(doc); l.doc == doc {
			return true
		}
	}
	return false
}

// rewind moves to the first posting.
func (l *list) rewind() {
	if l.block > 0 {
		l.block, l.freqB, l.scoreB = -1, -1, -1
	}
	l.pos, l.doc = 0, l.l.First
}
