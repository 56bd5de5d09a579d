package engine

import (
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/bm25"
)

// resolveTree makes the tree of the query's words, whose terms are resolved, one over terms.
func (r resolving) resolveTree() {
	t := &r.tree
	t.Expr, t.Terms = r.words.Tree, append(t.Terms[:0], make([]int, len(r.words.Words))...)
	for i := range r.terms {
		t.Terms[r.terms[i].Group-1] = i
	}
	t.Addends = len(r.terms)
	r.Tree = t
	r.countAddends(t.Expr)
	r.weigh(t.Expr)
}

// weigh makes the weights of the words of phrases those of the phrases.
func (r resolving) weigh(e *algorithm.Expr) {
	if s := e.Sequence; s != nil {
		words := r.tree.Terms
		weight := s.Weigh(func(word int) uint64 { return r.terms[words[word]].DF }, func(f int) *bm25.Scorer { return r.s.fields[f].Scorer })
		s.Words(func(word int) bool {
			r.terms[words[word]].Weight = weight
			return true
		})
	}
	for i := range e.Kids {
		r.weigh(&e.Kids[i])
	}
}

// countAddends counts what scores are summed of beside terms.
func (r resolving) countAddends(e *algorithm.Expr) {
	switch e.Op {
	case algorithm.OpAll, algorithm.OpConst, algorithm.OpNear, algorithm.OpSimilar:
		r.tree.Addends++
	case algorithm.OpBest:
		r.tree.Addends += 2 + len(e.Kids)
	}
	for i := range e.Kids {
		r.countAddends(&e.Kids[i])
	}
}

// addends returns how many numbers a score is the sum of, at most.
func (r *execution) addends() int {
	n := len(r.terms)
	if r.Tree != nil {
		n = r.Tree.Addends
	}
	if r.Static != nil {
		n++
	}
	return n
}
