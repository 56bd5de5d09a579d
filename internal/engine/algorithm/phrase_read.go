package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// read is sequence.read.
func (x *phrasing) read(docs []uint32, at []uint64, lo, hi uint32, need float64, members *bitset.Set) ([]uint32, []uint64) {
	l := x.lead()
	if l == nil {
		if lo = max(lo, x.from); lo < hi {
			x.union(lo, hi)
			docs, at = x.verify(docs, at, need, members)
			x.from = hi
		}
		return docs, at
	}
	for w := (reading{x.run}).walk(l, max(x.from, lo), hi, passOf(need), members); w.next(); {
		x.begin(w.docs, l.Pos())
		docs, at = x.verify(docs, at, need, members)
	}
	x.from = max(x.from, hi)
	return docs, at
}

// verify appends the candidates that match to docs and how often to at, as read does.
func (x *phrasing) verify(docs []uint32, at []uint64, need float64, members *bitset.Set) ([]uint32, []uint64) {
	m, r := &x.m, x.run
	r.Candidates += uint64(len(m.Docs))
	if !x.conjoin(1) {
		return docs, at
	}
	vets := r.vets()
	for i, doc := range m.Docs {
		if vets && !r.Allowed(doc) {
			continue
		}
		if need >= 0 && float64(x.score(doc, x.atMost(i))) <= need && (members == nil || members.Next(doc) != doc) {
			continue
		}
		if tf := x.count(i, int(^uint(0)>>1)); tf > 0 {
			docs, at = append(docs, doc), append(at, uint64(tf)<<32)
		}
		if r.Err != nil || r.Due() {
			break
		}
	}
	return docs, at
}

// find is sequence.find.
func (x *phrasing) find(docs, which []uint32, at []uint64) ([]uint32, []uint64) {
	if x.among(docs) {
		k := 0
		for i, doc := range x.m.Docs {
			tf := x.count(i, int(^uint(0)>>1))
			if x.run.Err != nil || x.run.Due() {
				break
			}
			if tf == 0 {
				continue
			}
			k += posting.LowerBound(docs[k:], doc)
			which, at = append(which, uint32(k)), append(at, uint64(tf)<<32)
		}
	}
	return which, at
}

// among makes those of docs that have all words the candidates. It reports whether there are any.
func (x *phrasing) among(docs []uint32) bool {
	m := &x.m
	m.Reset(len(x.columns))
	x.found = x.found[:0]
	if len(docs) == 0 {
		return false
	}
	m.Docs = append(m.Docs, docs...)
	m.own = m.Docs
	x.run.Candidates += uint64(len(docs))
	return x.conjoin(0)
}

// all is sequence.all: a block of the rarest word at a time.
func (x *phrasing) all() bool {
	l, r := x.lead(), x.run
	if l == nil {
		return false
	}
	for w := (reading{r}).walk(l, r.lo, r.hi, -1, nil); w.doc < w.hi && !r.Stopped(); {
		if r.Static != nil {
			statics{r}.mostIn(w.doc, min(l.Shallow(w.doc), r.Part.Seg.Docs()-1)+1)
		} else if r.Top.Prune >= 0 && x.own.Bound <= r.Top.Prune {
			break
		}
		if w.pass = r.Top.Prune; !w.step() {
			break
		}
		if len(w.docs) > 0 {
			x.offer(l, w.docs)
		}
	}
	return true
}

// offer offers the matches among docs, the next postings of the lead.
func (x *phrasing) offer(l *posting.List, docs []uint32) {
	m, r := &x.m, x.run
	r.Candidates += uint64(len(docs))
	first, vets := docs[0], r.vets()
	if x.begin(docs, l.Pos()); r.Top.Prune >= 0 && x.columns[0].times == 1 {
		freqs := l.Freqs()
		if len(freqs) < len(docs) {
			return // damage
		}
		r.scores = bm25.Grow(r.scores, len(docs))
		r.scorePostings(l, r.scores, docs, freqs[:len(docs)])
		m.kept = m.kept[:0]
		for i, s := range r.scores {
			if s > r.Top.Prune {
				m.kept = append(m.kept, uint32(i))
			}
		}
		m.keep(0)
	}
	if !x.conjoin(1) {
		return
	}
	for i, doc := range m.Docs {
		if vets && !r.Allowed(doc) || r.Top.Prune >= 0 && x.score(doc, x.atMost(i)) <= r.Top.Prune {
			continue
		}
		tf := x.count(i, int(^uint(0)>>1))
		if r.Err != nil || r.Due() {
			return
		}
		if tf > 0 {
			r.accept(doc, x.score(doc, uint32(tf)))
		}
	}
	r.risen(first)
}
