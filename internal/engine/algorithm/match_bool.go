package algorithm

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// matchEvery is matched by what matches all of must, of which there is at least one, and none of not.
type matchEvery struct {
	must  []matchNode // the first generates candidates
	not   []matchNode
	least uint64 // cost of must
}

// everyOf returns a node for all of must and none of not.
func everyOf(must, not []matchNode) matchNode {
	if len(must) == 1 && len(not) == 0 {
		return must[0]
	}
	slices.SortStableFunc(must, byCost)
	return &matchEvery{must, not, must[0].cost()}
}

func byCost(a, b matchNode) int { return cmp.Compare(a.cost(), b.cost()) }

func (e *matchEvery) cost() uint64 { return e.least }

func (e *matchEvery) first(doc uint32) uint32 {
	for i := 0; i < len(e.must) && doc != posting.End; i++ {
		doc = e.must[i].first(doc)
	}
	return doc
}

func (e *matchEvery) fill(m *Matcher, w []uint64) {
	if m.sparse(e.cost()) {
		docs := e.docs(m, m.takeDocs(), m.hi)
		clear(w)
		bitset.Add(w, m.lo, docs)
		m.giveDocs(docs)
		return
	}
	one := m.takeWords(len(w))
	e.must[0].fill(m, w)
	for _, n := range e.must[1:] {
		bitset.And(w, m.wordsOf(n, one))
	}
	for _, n := range e.not {
		bitset.AndNot(w, m.wordsOf(n, one))
	}
	m.giveWords(one)
}

func (e *matchEvery) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	n := len(dst)
	dst = e.must[0].docs(m, dst, hi)
	return dst[:n+len(e.rest(m, dst[n:]))]
}

// rest keeps those of docs, which match the first of must, that match all else.
func (e *matchEvery) rest(m *Matcher, docs []uint32) []uint32 {
	for _, n := range e.must[1:] {
		docs = n.keep(m, docs, false)
	}
	for _, n := range e.not {
		docs = n.keep(m, docs, true)
	}
	return docs
}

func (e *matchEvery) keep(m *Matcher, docs []uint32, not bool) []uint32 {
	if !not {
		return e.rest(m, e.must[0].keep(m, docs, false))
	}
	found := e.keep(m, append(m.takeDocs(), docs...), false)
	docs = bitset.Subtract(docs, found)
	m.giveDocs(found)
	return docs
}

// matchAny is matched by what matches at least one of nodes.
type matchAny struct {
	nodes []matchNode
	total uint64
}

// anyOf returns a node for at least one of nodes, nil if there are none.
func anyOf(nodes []matchNode) matchNode {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	slices.SortStableFunc(nodes, byCost)
	a := &matchAny{nodes: nodes}
	for _, n := range nodes {
		a.total += n.cost()
	}
	return a
}

func (a *matchAny) cost() uint64 { return a.total }

func (a *matchAny) first(doc uint32) uint32 {
	next := uint32(posting.End)
	for i := len(a.nodes) - 1; i >= 0 && next > doc; i-- { // of bitmaps nothing is known
		next = min(next, a.nodes[i].first(doc))
	}
	return next
}

func (a *matchAny) fill(m *Matcher, w []uint64) {
	last := len(a.nodes) - 1
	a.nodes[last].fill(m, w)
	for _, n := range a.nodes[:last] {
		m.add(n, w)
	}
}

func (a *matchAny) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	n := len(dst)
	dst = a.nodes[0].docs(m, dst, hi)
	part, union := m.takeDocs(), m.takeDocs()
	for _, node := range a.nodes[1:] {
		if part = node.docs(m, part[:0], hi); len(part) == 0 {
			continue
		}
		if union = bitset.Merge(union[:0], dst[n:], part); n == 0 {
			dst, union = union, dst
		} else {
			dst = append(dst[:n], union...)
		}
	}
	m.giveDocs(part)
	m.giveDocs(union)
	return dst
}

func (a *matchAny) keep(m *Matcher, docs []uint32, not bool) []uint32 {
	left := append(m.takeDocs(), docs...) // that no node matches
	for i := len(a.nodes) - 1; i >= 0 && len(left) > 0; i-- {
		left = a.nodes[i].keep(m, left, true)
	}
	if not {
		docs = docs[:copy(docs, left)]
	} else {
		docs = bitset.Subtract(docs, left)
	}
	m.giveDocs(left)
	return docs
}

// matchSome is matched by what matches at least least of nodes: more than one, and not all.
type matchSome struct {
	nodes []matchNode // by ascending cost
	least int
	total uint64
}

// someOf returns a node for at least least of nodes.
func someOf(nodes []matchNode, least int) matchNode {
	switch {
	case least <= 1:
		return anyOf(nodes)
	case least == len(nodes):
		return everyOf(nodes, nil)
	}
	slices.SortStableFunc(nodes, byCost)
	s := &matchSome{nodes: nodes, least: least}
	for _, n := range s.generators() {
		s.total += n.cost()
	}
	return s
}

// generators returns the nodes of which a match matches one at least.
func (s *matchSome) generators() []matchNode { return s.nodes[:len(s.nodes)-s.least+1] }

func (s *matchSome) cost() uint64 { return s.total }

func (s *matchSome) first(doc uint32) uint32 {
	next := uint32(posting.End)
	for _, n := range s.generators() {
		if next = min(next, n.first(doc)); next == doc {
			break
		}
	}
	return next
}

// fill counts in bits: planes[i] has bit i of the number of nodes that match each document.
func (s *matchSome) fill(m *Matcher, w []uint64) {
	planes := make([][]uint64, bits.Len(uint(len(s.nodes))))
	for i := range planes {
		planes[i] = m.takeWords(len(w))
		clear(planes[i])
	}
	one := m.takeWords(len(w))
	for _, n := range s.nodes {
		for i, carry := range m.wordsOf(n, one) {
			for p := 0; carry != 0; p++ {
				planes[p][i], carry = planes[p][i]^carry, planes[p][i]&carry
			}
		}
	}
	for i := range w {
		above, equal := uint64(0), ^uint64(0)
		for p := len(planes) - 1; p >= 0; p-- {
			bit := planes[p][i]
			if s.least>>p&1 != 0 {
				equal &= bit
			} else {
				above |= equal & bit
				equal &^= bit
			}
		}
		w[i] = above | equal
	}
	m.giveWords(one)
	for i := range planes {
		m.giveWords(planes[i])
	}
}

func (s *matchSome) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	generators := s.generators()
	found := make([][]uint32, len(generators))
	docs, union := m.takeDocs(), m.takeDocs()
	for i, n := range generators {
		found[i] = n.docs(m, m.takeDocs(), hi)
		union = bitset.Merge(union[:0], docs, found[i])
		docs, union = union, docs
	}
	counts := make([]uint16, len(docs))
	for i := range found {
		count(counts, docs, found[i])
		m.giveDocs(found[i])
	}
	docs = s.enough(m, docs, counts, s.nodes[len(generators):])
	dst = append(dst, docs...)
	m.giveDocs(docs)
	m.giveDocs(union)
	return dst
}

// count adds 1 to the counts of those of docs that were found. Both ascend.
func count(counts []uint16, docs, found []uint32) {
	i := 0
	for _, d := range found {
		for i < len(docs) && docs[i] < d {
			i++
		}
		if i < len(docs) && docs[i] == d {
			counts[i]++
		}
	}
}

// enough keeps those of docs that, with the nodes that counts says already, match least. It asks nodes for the others
// only while a document can still come to that.
func (s *matchSome) enough(m *Matcher, docs []uint32, counts []uint16, nodes []matchNode) []uint32 {
	for i, n := range nodes {
		k := 0
		for j, c := range counts {
			docs[k], counts[k] = docs[j], c
			if int(c)+len(nodes)-i >= s.least {
				k++
			}
		}
		docs, counts = docs[:k], counts[:k]
		found := n.keep(m, append(m.takeDocs(), docs...), false)
		count(counts, docs, found)
		m.giveDocs(found)
	}
	k := 0
	for j, c := range counts {
		docs[k] = docs[j]
		if int(c) >= s.least {
			k++
		}
	}
	return docs[:k]
}

func (s *matchSome) keep(m *Matcher, docs []uint32, not bool) []uint32 {
	found := s.enough(m, append(m.takeDocs(), docs...), make([]uint16, len(docs)), s.nodes)
	if not {
		docs = bitset.Subtract(docs, found)
	} else {
		docs = docs[:copy(docs, found)]
	}
	m.giveDocs(found)
	return docs
}
