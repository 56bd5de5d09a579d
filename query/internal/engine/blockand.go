package engine

// blockMaxAnd computes And a block of the shortest list at a time. It looks up the documents of the
// block in one list after another, decoding only the blocks that contain them, and decodes
// frequencies only for documents that all lists hold. Once there is a threshold, it skips the
// blocks of the shortest list whose bounds, with those of the other lists, cannot pass it. In the
// other blocks it looks up only the documents that can pass it.
func (r *run) blockMaxAnd() {
	if !r.open(1) {
		return
	}
	r.start(r.lists[:1])
	first := r.lists[0]
	for first.Doc() < r.hi && !r.stopped() {
		if r.top.prune >= 0 {
			if !r.bounded {
				if !r.open(len(r.lists)) {
					return
				}
				r.sumBounds()
				r.bounded = true
			}
			last := first.Shallow(first.Doc())
			if first.blockBound(r.s.scorer)+r.suffix[1] <= r.top.prune {
				first.skipped(last)
				first.NextBlock()
				continue
			}
		}
		docs := first.Docs()
		if n := len(docs); n > 0 && docs[n-1] >= r.hi {
			docs = docs[:lowerBound(docs, r.hi)]
		}
		if !r.intersect(docs) {
			return
		}
		first.NextBlock()
	}
}

// intersect scores the documents among docs, the next postings of the first list, that all lists
// hold. It returns false if no later block can have matches.
func (r *run) intersect(docs []uint32) (more bool) {
	m, n := &r.match, len(r.lists)
	m.reset(n)
	r.Candidates += uint64(len(docs))
	if !r.beginMatches(m, docs) {
		return false
	}
	more = true
	for j := 1; j < n && len(m.docs) > 0; j++ {
		l := r.lists[j]
		if d := r.dense(l); d != nil {
			m.findDense(l, j, d)
			m.keep(j)
			continue
		}
		if !r.open(j + 1) {
			return false
		}
		if r.denser(l, m.docs) {
			m.findByBlock(l, j, &r.win.members)
		} else {
			m.find(l, j)
		}
		m.keep(j)
		more = more && l.Doc() != end
	}
	if len(m.docs) > 0 && r.err == nil {
		at := m.docs[0]
		if r.later == nil || !r.later.postpone(m, n) {
			r.scoreMatches(m)
		}
		r.trace.threshold(r, at)
	}
	return more && r.err == nil
}

// beginMatches makes the documents among docs, the next postings of the first list, that can pass
// the threshold the matches. It returns false on damage.
func (r *run) beginMatches(m *matches, docs []uint32) bool {
	first := r.lists[0]
	pass := float32(-1)
	if r.bounded && !r.cheaplyTested(r.lists) {
		pass = r.passing(1)
	}
	if pass < 0 {
		m.begin(docs, first.Pos())
		return true
	}
	freqs := first.Freqs()
	if len(freqs) < len(docs) {
		return false
	}
	r.scores = grow(r.scores, len(docs))
	r.scorePostings(first, r.scores, docs, freqs[:len(docs)])
	m.beginAbove(docs, freqs, r.scores, pass)
	return true
}

// cheaplyTested reports whether looking up documents in the second list costs less than scoring
// them in the first, and drops most of them.
func (r *run) cheaplyTested(lists []*list) bool {
	return len(lists) > 1 && uint64(lists[1].entry.DF)*4 < uint64(r.part.seg.Docs()) && r.dense(lists[1]) != nil
}

// denseFactor is how many postings can be looked up in a bitmap in the time that looking up one
// document in a list takes.
const denseFactor = 16

// denser reports whether docs are so dense, compared with l, that findByBlock is faster than find.
func (r *run) denser(l *list, docs []uint32) bool {
	span := uint64(docs[len(docs)-1]-docs[0]) + 1
	return uint64(l.List().N)*span < uint64(len(docs))*denseFactor*uint64(r.part.seg.Docs())
}
