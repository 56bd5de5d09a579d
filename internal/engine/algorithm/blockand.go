package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// conjunction is a Run that intersects lists, a block of the shortest at a time.
type conjunction struct{ *Run }

// blockMaxAnd computes And a block of the shortest list at a time. It looks up the documents of the
// block in one list after another, decoding only the blocks that contain them, or intersects bitmaps, and decodes
// frequencies only for documents that all lists hold. Once there is a threshold, it skips the
// blocks of the shortest list whose bounds, with those of the other lists, cannot pass it, undecoded. In the
// other blocks it looks up only the documents that can pass it, if looking up costs more than scoring.
// A list that is the only one proves a threshold by its k-th impacts.
func (r conjunction) blockMaxAnd() {
	if !r.Open(1) {
		return
	}
	if len(r.Lists) == 1 {
		r.SumBounds()
		r.bounded = true
		thresholds(r).raise()
	}
	r.start(r.Lists[:1])
	first, dense := r.Lists[0], r.denseLists()
	for w := reading(r).walk(first, r.lo, r.hi, -1, nil); w.doc < w.hi && !r.Stopped(); {
		last := first.Shallow(w.doc) // of the block
		if last == posting.End {
			return
		}
		statics(r).mostIn(w.doc, min(last, r.Part.Seg.Docs()-1)+1)
		if r.Top.Prune >= 0 {
			if !r.bounded {
				if !r.Open(len(r.Lists)) {
					return
				}
				r.SumBounds()
				r.bounded = true
			}
			w.pass = r.passing(1)
		}
		at, ok := w.enter()
		switch {
		case !ok:
		case dense > 1:
			if !r.intersectDense(dense, at, min(last, w.hi-1)) {
				return
			}
			w.doc = last + 1
		case !w.decode(at) || len(w.docs) == 0 || !r.intersect(w.docs):
			return
		}
	}
}

// intersect scores the documents among docs, the next postings of the first list, that all lists
// hold. It returns false if no later block can have matches.
func (r conjunction) intersect(docs []uint32) (more bool) {
	m := &r.match
	m.Reset(len(r.Lists))
	r.Candidates += uint64(len(docs))
	if !r.beginMatches(m, docs) {
		return false
	}
	return r.lookUpFrom(1)
}

// A list with at least 1/veryDense of a segment's documents is intersected as a bitmap. Decoding the blocks of shorter
// lists costs less than going over words that are mostly zero.
const veryDense = 32

// denseLists returns how many of the first lists are to be intersected as bitmaps, none or several.
func (r conjunction) denseLists() (n int) {
	if len(r.Lists) < 2 || uint64(r.Lists[0].Entry.DF)*veryDense < uint64(r.Part.Seg.Docs()) {
		return 0
	}
	for n < len(r.Lists) && r.dense(r.Lists[n]) != nil {
		n++
	}
	return n
}

// intersectDense is intersect for documents lo to last if the first n lists are cached.
func (r conjunction) intersectDense(n int, lo, last uint32) (more bool) {
	m := &r.match
	m.Reset(len(r.Lists))
	words := r.Lists[0].Dense.Words()
	from, to := int(lo/64), min(int(last/64)+1, len(words))
	if from >= to {
		return true // damage
	}
	all := append(r.words[:0], words[from:to]...)
	for _, l := range r.Lists[1:n] {
		bitset.And(all, l.Dense.Words()[from:to])
	}
	all[0] &= ^uint64(0) << (lo % 64)
	all[len(all)-1] &= ^uint64(0) >> (63 - last%64)
	r.words = all
	m.own = bitset.AppendDocs(m.own[:0], all, lo&^63)
	m.Docs = m.own
	r.Candidates += uint64(len(m.Docs))
	if len(m.Docs) == 0 {
		return true
	}
	for _, l := range r.Lists[:n] {
		l.Huge = l.Dense.Huge
	}
	return r.lookUpFrom(n)
}

// lookUpFrom looks the matches of the lists before list j up in the others, and scores what is left. It returns false if
// no later document can match.
func (r conjunction) lookUpFrom(j int) (more bool) {
	m, n := &r.match, len(r.Lists)
	more = true
	for ; j < n && len(m.Docs) > 0; j++ {
		l := r.Lists[j]
		if d := r.dense(l); d != nil {
			m.findDense(l, j, d)
			m.keep(j)
			continue
		}
		if !r.Open(j + 1) {
			return false
		}
		m.find(l, j)
		m.keep(j)
		more = more && l.Doc() != posting.End
	}
	if len(m.Docs) > 0 && r.Err == nil {
		at := m.Docs[0]
		if r.Later != nil {
			for j, l := range r.Lists {
				m.complete(j, l.Dense)
			}
		}
		if r.Later == nil || !r.Later.Postpone(m, n) {
			r.ScoreMatches(m)
		}
		r.risen(at)
	}
	return more && r.Err == nil
}

// beginMatches makes the documents among docs, the next postings of the first list, that can pass
// the threshold the matches. It returns false on damage.
func (r conjunction) beginMatches(m *Matches, docs []uint32) bool {
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

// testFirst is how many times as many documents a second list must have at least for scoring the documents of the first
// list before they are looked up there. The blocks of the second then hold four of them or fewer.
const testFirst = 32

// cheaplyTested reports whether looking up documents in the second list costs less than scoring
// them in the first.
func (r conjunction) cheaplyTested(lists []*posting.List) bool {
	return len(lists) > 1 && (uint64(lists[1].Entry.DF) < testFirst*uint64(lists[0].Entry.DF) || r.dense(lists[1]) != nil)
}

// denseFactor is how many postings can be looked up in a bitmap in the time that looking up one
// document in a list takes.
const denseFactor = 16

// denser reports whether l, of a segment of all documents, has fewer than most postings for each of docs where these are.
func denser(l *posting.List, docs []uint32, all uint32, most uint64) bool {
	span := uint64(docs[len(docs)-1]-docs[0]) + 1
	return uint64(l.List().N)*span < uint64(len(docs))*most*uint64(all)
}
