package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// What follows makes a phrase a matchNode.

func (x *phrasing) cost() uint64 { return uint64(x.own.Entry.DF) }

func (x *phrasing) first(doc uint32) uint32 {
	next := uint32(posting.End)
	for _, l := range x.columns[0].lists {
		next = min(next, l.NextGEQ(doc))
	}
	return next
}

func (x *phrasing) fill(m *Matcher, w []uint64) {
	docs := x.docs(m, m.takeDocs(), m.hi)
	clear(w)
	bitset.Add(w, m.lo, docs)
	m.giveDocs(docs)
}

func (x *phrasing) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	l := x.lead()
	if l == nil {
		x.union(m.at, hi)
		return x.matching(dst, 1)
	}
	for w := (reading{x.run}).walk(l, m.at, hi, -1, nil); w.next(); {
		x.begin(w.docs, l.Pos())
		dst = x.matching(dst, 1)
	}
	return dst
}

// matching appends the candidates that match to docs, once columns from first on have been looked at.
func (x *phrasing) matching(docs []uint32, first int) []uint32 {
	r := x.run
	if !x.conjoin(first) {
		return docs
	}
	vets := r.vets()
	for i, doc := range x.m.Docs {
		if (!vets || r.Allowed(doc)) && x.count(i, 1) > 0 {
			docs = append(docs, doc)
		}
		if r.Err != nil || r.Due() {
			break
		}
	}
	return docs
}

func (x *phrasing) keep(m *Matcher, docs []uint32, not bool) []uint32 {
	found := m.takeDocs()
	if x.among(docs) {
		found = x.matching(found, len(x.columns))
	}
	if not {
		docs = bitset.Subtract(docs, found)
	} else {
		docs = docs[:copy(docs, found)]
	}
	m.giveDocs(found)
	return docs
}
