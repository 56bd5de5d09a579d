package algorithm

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/topk"
)

// evaluateTree offers the matches of the query's tree.
func (r *Run) evaluateTree() {
	t := r.tree
	if !r.bounded {
		r.SumBounds()
		r.bounded = true
		t.prepare()
	}
	if t.root.op == OpPhrase && t.root.leaf.all() {
		return
	}
	t.from, t.end = max(t.from, r.lo), min(r.hi, r.Part.Seg.Docs())
	t.plan()
	for !r.Stopped() && !t.over() {
		statics{r}.most()
		if t.planned != r.Top.Prune {
			t.plan()
		}
		if !t.window() {
			return
		}
		statics{r}.mostIn(t.lo, t.hi)
		t.lift = 0
		if t.planned >= 0 {
			t.lift = max(float64(r.Top.Prune)-float64(t.planned), 0)
		}
		r.Pivots++
		if t.words {
			summed{t}.evaluateWords()
		} else if t.evaluate(); r.Err != nil {
			return
		}
		t.from = t.hi
		r.risen(t.lo)
	}
}

// evaluate offers the matches in the window.
func (t *tree) evaluate() {
	if t.sum.on {
		summed{t}.gatherSums()
	} else if t.gather(); t.run.Err != nil {
		return
	}
	t.run.Candidates += uint64(len(t.docs))
	if len(t.docs) > 0 {
		m := matching{t}
		m.matchAll()
		m.score()
	}
}

// over reports whether no document that is left can be a hit, since as many as are wanted score as much as any can.
func (t *tree) over() bool {
	r := t.run
	most := float32(0)
	for _, n := range t.addend {
		if n.op != OpAll && n.op != OpConst {
			return false
		}
		most += n.score // in the order in which scores are summed, so that no sum is greater
	}
	base := r.Part.Seg.Base()
	return r.Static == nil && t.from < t.end && r.Top.Full(topk.Key(base+t.from, most))
}

// firstPostings is the target number of postings of the first window. It doubles from one to the next, so that there is
// a threshold soon.
const firstPostings = 1 << 8

// usualNodes is how many nodes a tree has at most in whose windows memory is no matter.
const usualNodes = 512

// window sets the bounds of the next window. It returns false if there is none.
func (t *tree) window() bool {
	r := t.run
	t.lo = posting.End
	cost := uint64(1)
	for _, n := range t.sources {
		t.lo = min(t.lo, t.next(n))
		cost += n.cost
	}
	if r.filter.sifted && t.lo < t.end {
		t.lo = r.filter.next(t.lo)
	}
	if t.lo >= t.end {
		return false
	}
	least := uint64(minWindow)
	if t.used > usualNodes && !t.words { // what the candidates of a window take grows with the nodes
		least = max(minWindow*usualNodes/uint64(t.used), 64)
	}
	size := uint32(min(max(t.postings*uint64(r.Part.Seg.Docs())/cost, least), maxWindow))
	if t.size > 0 {
		size = t.size
	}
	t.postings = min(2*t.postings, windowPostings)
	t.hi = t.lo + min(size, t.end-t.lo)
	if t.dotsUsed > 0 && t.planned >= 0 { // windows of sums, whole
		t.hi = windowEnd(t.hi-1, t.end)
	}
	t.from = t.lo
	return true
}

// gather makes the documents of the sources in the window the candidates.
func (t *tree) gather() {
	if len(t.sources) > 1 {
		t.set.Reset(t.lo, t.hi-1)
	}
	for _, n := range t.sources {
		if t.run.Due() {
			t.set.Clear()
			return
		}
		t.read(n)
	}
	if len(t.sources) == 1 {
		n := t.sources[0]
		t.docs = append(t.docs[:0], t.look.own...)
		n.which = grow(n.which, len(t.docs))
		for i := range n.which {
			n.which[i] = uint32(i)
		}
	} else {
		t.join()
	}
	t.born()
	if t.run.filter.sifted {
		for i, doc := range t.docs {
			if !t.run.filter.has(doc) {
				t.alive[i/64] &^= 1 << (i % 64)
			}
		}
	}
	t.mark()
}

// born makes all candidates alive.
func (t *tree) born() {
	t.normed = nil
	t.alive = grow(t.alive, (len(t.docs)+63)/64)
	fill(t.alive, len(t.docs))
}

// mark sets the masks of the sources.
func (t *tree) mark() {
	held := t.sources
	if t.sum.on {
		held = t.sum.lists
	}
	for _, s := range held {
		s.match = grow(s.match, len(t.alive))
		clear(s.match)
		set(s.match, s.which)
	}
}

// join makes the union of the documents of several sources, which are in their which, the candidates.
func (t *tree) join() {
	t.enumerate()
	lo, words := t.set.Contents()
	for _, n := range t.sources {
		kept := 0
		for i, doc := range n.which {
			j := doc - lo
			if w := int(j / 64); w < len(words) { // a damaged list may have others
				n.which[kept] = t.ranks[w] + uint32(bits.OnesCount64(words[w]&(1<<(j%64)-1)))
				if len(n.at) > 0 {
					n.at[kept] = n.at[i]
				}
				kept++
			}
		}
		n.which, n.at = n.which[:kept], n.at[:min(kept, len(n.at))]
	}
	t.set.Clear()
}

// enumerate makes the members of t.set the candidates, and counts them in t.ranks.
func (t *tree) enumerate() {
	lo, words := t.set.Contents()
	t.docs, t.ranks = t.docs[:0], grow(t.ranks, len(words))
	for i, w := range words {
		t.ranks[i] = uint32(len(t.docs))
		for ; w != 0; w &= w - 1 {
			t.docs = append(t.docs, lo+uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
}

// read sets n.which to the documents of a source in the window, and n.at to where they are; or t.look.own, if it is
// the only source.
func (t *tree) read(n *node) {
	docs, members := n.which[:0], &t.set
	n.at, n.scored = n.at[:0], false
	if len(t.sources) == 1 {
		docs, members = t.look.own[:0], nil
	}
	switch n.op {
	case OpWord:
		s := stretch{docs: docs, places: n.at}
		reading{t.run}.read(&s, reading{t.run}.walk(n.list, t.lo, t.hi, passOf(n.need), members), withPlaces)
		docs, n.at = s.docs, s.places
	case OpPhrase, opDot:
		docs, n.at = n.leaf.read(docs, n.at, t.lo, t.hi, n.need, members)
	case OpSet:
		docs = n.own.AppendDocs(docs, t.lo, t.hi)
	default:
		for doc := t.lo; doc < t.hi; doc++ {
			docs = append(docs, doc)
		}
	}
	if len(t.sources) == 1 {
		t.look.own = docs
	} else {
		n.which = docs
		t.set.Add(docs)
	}
}

// grow returns a slice of n elements, in the memory of v if it is large enough.
func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		v = make([]T, n+n/2)
	}
	return v[:n]
}

// fill sets the first n bits of a mask.
func fill(mask []uint64, n int) {
	for i := range mask {
		mask[i] = ^uint64(0)
	}
	if n%64 != 0 {
		mask[n/64] = 1<<(n%64) - 1
	}
}

// set sets bits of a mask.
func set(mask []uint64, which []uint32) {
	for _, i := range which {
		mask[i/64] |= 1 << (i % 64)
	}
}
