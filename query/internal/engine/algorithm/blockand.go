package algorithm

import (
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// blockMaxAnd computes And a block of the shortest list at a time. It looks up the documents of the
// block in one list after another, decoding only the blocks that contain them, and decodes
// frequencies only for documents that all lists hold. Once there is a threshold, it skips the
// blocks of the shortest list whose bounds, with those of the other lists, cannot pass it, undecoded. In the
// other blocks it looks up only the documents that can pass it. A list that is the only one proves a
// threshold by its k-th impacts.
func (r *Run) blockMaxAnd() {
	if !r.Open(1) {
		return
	}
	if len(r.Lists) == 1 {
		r.SumBounds()
		r.bounded = true
		r.Estimate()
	}
	r.start(r.Lists[:1])
	first := r.Lists[0]
	for doc := first.Doc(); doc < r.hi && !r.Stopped(); {
		last := first.Shallow(doc) // of the block
		if last == posting.End {
			return
		}
		r.staticIn(doc, min(last, r.Part.Seg.Docs()-1)+1)
		if r.Top.Prune >= 0 {
			if !r.bounded {
				if !r.Open(len(r.Lists)) {
					return
				}
				r.SumBounds()
				r.bounded = true
			}
			if first.BlockBound()+r.suffix[1] <= r.Top.Prune {
				first.Skipped(last)
				doc = last + 1
				continue
			}
		}
		first.NextGEQ(doc)
		docs := first.Docs()
		if n := len(docs); n > 0 && docs[n-1] >= r.hi {
			docs = docs[:posting.LowerBound(docs, r.hi)]
		}
		if len(docs) == 0 || !r.intersect(docs) {
			return
		}
		doc = last + 1
	}
}

// intersect scores the documents among docs, the next postings of the first list, that all lists
// hold. It returns false if no later block can have matches.
func (r *Run) intersect(docs []uint32) (more bool) {
	m, n := &r.match, len(r.Lists)
	m.Reset(n)
	r.Candidates += uint64(len(docs))
	if !r.beginMatches(m, docs) {
		return false
	}
	more = true
	for j := 1; j < n && len(m.Docs) > 0; j++ {
		l := r.Lists[j]
		if d := r.dense(l); d != nil {
			m.findDense(l, j, d)
			m.keep(j)
			continue
		}
		if !r.Open(j + 1) {
			return false
		}
		if r.denser(l, m.Docs) {
			m.findByBlock(l, j, &r.win.members)
		} else {
			m.find(l, j)
		}
		m.keep(j)
		more = more && l.Doc() != posting.End
	}
	if len(m.Docs) > 0 && r.Err == nil {
		at := m.Docs[0]
		if r.Later == nil || !r.Later.Postpone(m, n) {
			r.ScoreMatches(m)
		}
		r.risen(at)
	}
	return more && r.Err == nil
}

// beginMatches makes the documents among docs, the next postings of the first list, that can pass
// the threshold the matches. It returns false on damage.
func (r *Run) beginMatches(m *Matches, docs []uint32) bool {
	first := r.Lists[0]
	pass := float32(-1)
	if r.bounded && !r.cheaplyTested(r.Lists) {
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
	r.scores = bm25.Grow(r.scores, len(docs))
	r.scorePostings(first, r.scores, docs, freqs[:len(docs)])
	m.beginAbove(docs, freqs, r.scores, pass)
	return true
}

// cheaplyTested reports whether looking up documents in the second list costs less than scoring
// them in the first, and drops most of them.
func (r *Run) cheaplyTested(lists []*posting.List) bool {
	return len(lists) > 1 && uint64(lists[1].Entry.DF)*4 < uint64(r.Part.Seg.Docs()) && r.dense(lists[1]) != nil
}

// denseFactor is how many postings can be looked up in a bitmap in the time that looking up one
// document in a list takes.
const denseFactor = 16

// denser reports whether docs are so dense, compared with l, that findByBlock is faster than find.
func (r *Run) denser(l *posting.List, docs []uint32) bool {
	span := uint64(docs[len(docs)-1]-docs[0]) + 1
	return uint64(l.List().N)*span < uint64(len(docs))*denseFactor*uint64(r.Part.Seg.Docs())
}
