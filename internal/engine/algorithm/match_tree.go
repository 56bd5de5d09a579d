package algorithm

import (
	"errors"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// TreeMatcher is Matcher for a tree over words, of which the current segment has lists, in lists by the numbers of the
// words; nil is one that it does not have.
func (r *Run) TreeMatcher(e *Expr, lists []*posting.List) *Matcher {
	m := beginMatcher(r)
	if !r.Open(arrange(r, false)) {
		return m
	}
	if m.root = m.matchExpr(e, lists); m.root != nil {
		m.bitmaps = !m.sparse(m.root.cost())
	}
	return m
}

// sparse reports whether n documents of the segment are few: looking at them costs less than at a bitmap of all.
func (m *Matcher) sparse(n uint64) bool { return n < uint64(m.run.Part.Seg.Docs())/64 }

var errExpr = errors.New("query: a part of a tree that was not resolved")

// matchExpr returns a node of what matches e in the current segment, or nil for nothing.
func (m *Matcher) matchExpr(e *Expr, lists []*posting.List) matchNode {
	r := m.run
	switch e.Op {
	case OpNone:
		return nil
	case OpAll:
		return matchAll{uint64(r.Part.Seg.Docs())}
	case OpWord:
		if l := lists[e.Word]; l != nil {
			return m.leaf(l, 0)
		}
		return nil
	case OpSet:
		return matchDocs(e.Sets[r.segment], r.Part.Seg.Docs())
	case OpNear:
		return matchDocs(docset.FromDocs(e.Near.Found[r.segment].Docs), r.Part.Seg.Docs())
	case OpSimilar:
		return nil
	case OpBest:
		return anyOf(m.matchExprs(e.Kids, lists))
	case OpConst:
		return m.matchExpr(&e.Kids[0], lists)
	case OpBool:
		return m.matchBool(e, lists)
	case OpPhrase:
		if s := e.Sequence.enter(r, func(word int) *posting.List { return lists[word] }); s != nil && r.Open(len(r.Lists)) {
			return s
		}
		return nil
	}
	r.fail(errExpr)
	return nil
}

// matchExprs returns nodes of those of kids that match something.
func (m *Matcher) matchExprs(kids []Expr, lists []*posting.List) (nodes []matchNode) {
	for i := range kids {
		if n := m.matchExpr(&kids[i], lists); n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (m *Matcher) matchBool(e *Expr, lists []*posting.List) matchNode {
	kids := e.Kids
	take := func(n int) []Expr {
		some := kids[:n]
		kids = kids[n:]
		return some
	}
	must := m.matchExprs(take(e.Must), lists)
	should := take(e.Should)
	not := take(e.Not)
	if must = append(must, m.matchExprs(take(e.Filter), lists)...); len(must) < e.Must+e.Filter {
		return nil
	}
	if e.AtLeast > 0 {
		alternatives := m.matchExprs(should, lists)
		if len(alternatives) < e.AtLeast {
			return nil
		}
		must = append(must, someOf(alternatives, e.AtLeast))
	}
	if len(must) == 0 {
		return nil
	}
	return everyOf(must, m.matchExprs(not, lists))
}

// wordsOf returns the matches of n in the window as a bitmap, in one or elsewhere.
func (m *Matcher) wordsOf(n matchNode, one []uint64) []uint64 {
	if b, ok := n.(*matchWords); ok {
		words := tail(b.words, int(m.lo/64))
		return words[:min(len(words), len(one))]
	}
	n.fill(m, one)
	return one
}

// add adds the matches of n in the window to w.
func (m *Matcher) add(n matchNode, w []uint64) {
	switch n := n.(type) {
	case *matchWords:
		bitset.Or(w, tail(n.words, int(m.lo/64)))
	case *matchList:
		m.part = n.docs(m, m.part[:0], m.hi)
		bitset.Add(w, m.lo, m.part)
	default:
		one := m.takeWords(len(w))
		n.fill(m, one)
		bitset.Or(w, one)
		m.giveWords(one)
	}
}

// takeDocs returns memory for documents, to be given back.
func (m *Matcher) takeDocs() []uint32 {
	if n := len(m.spareDocs); n > 0 {
		docs := m.spareDocs[n-1]
		m.spareDocs = m.spareDocs[:n-1]
		return docs[:0]
	}
	return nil
}

func (m *Matcher) giveDocs(docs []uint32) { m.spareDocs = append(m.spareDocs, docs) }

// takeWords returns memory for a bitmap of n words, to be given back.
func (m *Matcher) takeWords(n int) []uint64 {
	if k := len(m.spareWords); k > 0 {
		words := m.spareWords[k-1][:n]
		m.spareWords = m.spareWords[:k-1]
		return words
	}
	return make([]uint64, n, matchWindow/64)
}

func (m *Matcher) giveWords(words []uint64) { m.spareWords = append(m.spareWords, words) }
