package algorithm

import (
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// Node is a part of a query: a stream of the documents of a segment that match it, in ascending order, with scores.
// What it is asked for never goes back. Scores may come from any norms and models, and be combined in any way, if they
// are not negative; integers are exact up to 2^24.
type Node interface {
	// NextGEQ returns the first match from doc on, or posting.End.
	NextGEQ(doc uint32) uint32
	// Shallow decodes nothing. It returns a bound of the scores of all matches from doc to last, or posting.End if
	// there are no more matches.
	Shallow(doc uint32) (last uint32, bound float32)
	// Docs returns the matches from one document to another. They are valid until the next call.
	Docs(from, last uint32) []uint32
	// AddScores adds the scores of those of docs that the last call of Docs has returned to sums. docs ascend.
	// A sum adds up leaf by leaf, terms in canonical order.
	AddScores(docs []uint32, sums []float32)
}

// maxRange is how many documents evaluate considers at once.
const maxRange = 1 << 14

// nodes is a Run that goes through Nodes.
type nodes struct{ *Run }

// evaluate offers all matches of a node. If prune, it skips ranges of documents whose bounds do not pass the threshold.
func (r nodes) evaluate(n Node, prune bool) {
	for doc := r.lo; doc < r.hi && !r.Stopped(); {
		last := r.hi - 1
		if prune {
			to, bound := n.Shallow(doc)
			if to == posting.End {
				return
			}
			if last = min(last, to); bound <= r.Top.Prune {
				doc = last + 1
				continue
			}
		}
		first := n.NextGEQ(doc)
		if first > last {
			doc = last + 1
			continue
		}
		last = first + min(maxRange, last-first)
		docs := n.Docs(first, last)
		doc = last + 1
		r.Candidates += uint64(len(docs))
		r.scores = bm25.Grow(r.scores, len(docs))
		clear(r.scores)
		n.AddScores(docs, r.scores)
		for i, d := range docs {
			r.accept(d, r.scores[i])
		}
		r.risen(first)
	}
}

// exhaustive computes Or by scoring every posting, range after range.
func (r nodes) exhaustive() {
	a := &r.any
	a.Nodes = a.Nodes[:0]
	for i := range r.Lists {
		a.Nodes = append(a.Nodes, r.leaf(i))
	}
	r.evaluate(a, false)
}

// Leaf is a Node, but for AddScores, over a list that is open.
type Leaf struct {
	List *posting.List
	// Read are the postings of the last call of Docs.
	Read struct{ Docs, Freqs []uint32 }
	run  *Run
}

// NextGEQ is Node.NextGEQ.
func (f *Leaf) NextGEQ(doc uint32) uint32 { return f.List.NextGEQ(doc) }

// Shallow is Node.Shallow for scores of BM25.
func (f *Leaf) Shallow(doc uint32) (last uint32, bound float32) {
	l := f.List
	if next := l.Doc(); doc < next {
		return next - 1, 0
	}
	if last = l.Shallow(doc); last == posting.End {
		return posting.End, 0
	}
	return last, l.BlockBound()
}

// Docs is Node.Docs.
func (f *Leaf) Docs(from, last uint32) []uint32 {
	l := f.List
	docs, freqs := f.Read.Docs[:0], f.Read.Freqs[:0]
	for doc := l.NextGEQ(from); doc <= last && doc != posting.End; doc = l.Doc() {
		block, its := l.Docs(), l.Freqs()
		if len(block) == 0 || len(its) < len(block) {
			break // damage
		}
		n := len(block)
		if block[n-1] > last {
			n = posting.LowerBound(block, last+1)
		}
		docs, freqs = append(docs, block[:n]...), append(freqs, its[:n]...)
		if n < len(block) {
			l.NextGEQ(last + 1)
			break
		}
		l.NextBlock()
	}
	f.Read.Docs, f.Read.Freqs = docs, freqs
	return docs
}

// Add adds scores of the postings read, by posting, to the sums of docs.
func (f *Leaf) Add(docs []uint32, sums, scores []float32) {
	i := 0
	for k, d := range f.Read.Docs {
		for i < len(docs) && docs[i] < d {
			i++
		}
		if i == len(docs) {
			return
		}
		if docs[i] == d {
			sums[i] += scores[k]
		}
	}
}

// Term is a term scored by BM25.
type Term struct {
	Leaf
	scores []float32
}

// leaf returns a Node over list i.
func (r nodes) leaf(i int) *Term {
	for len(r.leaves) <= i {
		r.leaves = append(r.leaves, new(Term))
	}
	t := r.leaves[i]
	t.run, t.List = r.Run, r.Lists[i]
	return t
}

// AddScores is Node.AddScores.
func (t *Term) AddScores(docs []uint32, sums []float32) {
	t.Read.Freqs = slices.Grow(t.Read.Freqs, bm25.Slack)
	t.scores = bm25.Grow(t.scores, len(t.Read.Docs))
	t.run.scorePostings(t.List, t.scores, t.Read.Docs, t.Read.Freqs)
	t.Add(docs, sums, t.scores)
}

// Any is a disjunction, which scores the sum of the nodes that match.
type Any struct {
	Nodes []Node
	docs  []uint32
	set   bitset.Set
}

// NextGEQ is Node.NextGEQ.
func (a *Any) NextGEQ(doc uint32) uint32 {
	next := uint32(posting.End)
	for _, n := range a.Nodes {
		next = min(next, n.NextGEQ(doc))
	}
	return next
}

// Shallow is Node.Shallow.
func (a *Any) Shallow(doc uint32) (last uint32, bound float32) {
	last = posting.End
	for _, n := range a.Nodes {
		l, b := n.Shallow(doc)
		last, bound = min(last, l), bound+b
	}
	return last, bound
}

// Docs is Node.Docs.
func (a *Any) Docs(from, last uint32) []uint32 {
	set := &a.set
	set.Reset(from, last)
	for _, n := range a.Nodes {
		set.Add(n.Docs(from, last))
	}
	a.docs = a.docs[:0]
	for doc := set.Next(from); doc <= last; doc = set.Next(doc + 1) {
		a.docs = append(a.docs, doc)
	}
	set.Clear()
	return a.docs
}

// AddScores is Node.AddScores.
func (a *Any) AddScores(docs []uint32, sums []float32) {
	for _, n := range a.Nodes {
		n.AddScores(docs, sums)
	}
}
