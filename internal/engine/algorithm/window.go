package algorithm

// Sizes of windows, in documents.
const (
	minWindow = 1 << 12
	maxWindow = 1 << 19
)

// windowPostings is the target number of postings of a window: enough to amortize the cost of a
// window, and few enough to stay in the caches.
const windowPostings = 1 << 12

// disjunction is a Run that adds up lists in windows of documents.
type disjunction struct{ *Run }

// enter makes the tree of the current segment the disjunction of its lists, for algorithm a.
func (r disjunction) enter(a Name) {
	if r.tree == nil {
		r.tree = new(tree)
	}
	t := r.tree
	t.begin(r.Run, Tree{})
	t.root, t.words, t.all = t.room(OpBool), true, a != RangeMaxScore
	if a == Exhaustive {
		t.size = subWindow
	}
	for _, l := range r.Lists {
		n := t.room(OpWord)
		n.list, n.scores, n.place, n.cost = l, true, l.Term, uint64(l.Entry.DF)
		t.root.kids = append(t.root.kids, n)
	}
	t.root.should, t.root.scores = t.root.kids, true
}

// planWords is plan for a tree of words: its sources are the essential lists. Lists stay in canonical order, so that sums are scores.
func (t summed) planWords() {
	r, s := disjunction{t.run}, &t.sum
	e := len(t.addend)
	if t.all {
		t.planned = -1
	} else {
		e = r.essential(e)
	}
	n := r.worthReading(e)
	t.sources = append(t.sources[:0], t.addend[:e]...)
	s.lists, s.pass = append(s.lists[:0], t.addend[:n]...), -1
	if t.planned >= 0 {
		s.pass = r.passing(n)
	}
	for i, list := range t.sources {
		if list.need = -1; t.planned >= 0 && r.worthTesting(i) {
			list.need = float64(t.planned) - float64(r.suffix[i+1])
		}
	}
}

// evaluateWords offers the hits in the window of a tree of words. Its candidates are the documents of the sources that can pass the
// threshold. The shorter lists among the others are read too, but only their postings of documents of the sources. The longest are probed
// for the candidates.
func (t summed) evaluateWords() {
	r, w, e, n := disjunction{t.run}, &t.run.win, len(t.sources), len(t.sum.lists)
	t.readSums()
	r.gather(e, n, t.planned < 0, !t.all)
	w.members.Clear()
	if r.filter.sifted {
		r.cand.keepIn(&r.filter, w.lo, w.hi)
	}
	r.finish(n)
}

// A non-essential list of at most readAlways postings is always read. A longer one is read if it
// has at most readAlways more postings than the essential lists together.
const readAlways = 16000

// worthReading returns how many lists to read if the first e are essential: these, and the short
// ones among the others.
func (r disjunction) worthReading(e int) int {
	postings := 0
	for _, l := range r.Lists[:e] {
		postings += l.List().N
	}
	for e < len(r.Lists) && r.Lists[e].List().N <= readAlways+postings && r.Lists[e].Dense == nil {
		e++
	}
	return e
}

// windowFor returns how many documents have about windowPostings postings, of that many, at least one, in a segment of docs documents:
// from minWindow to maxWindow.
func windowFor(postings uint64, docs uint32) uint32 {
	size := windowPostings * uint64(docs) / postings
	return uint32(min(max(size, minWindow), maxWindow))
}

// Up to maxMerged postings of several lists are merged. More are added to accumulators, which costs
// less per posting.
const maxMerged = 128

// gather makes the documents of the first e lists candidates: all of them, or those that can pass the threshold with the scores of the
// first n lists. These have been read.
func (r disjunction) gather(e, n int, all, prune bool) {
	lists, postings := r.win.lists[:n], 0
	for i := range lists[:e] {
		postings += len(lists[i].docs)
	}
	if e == 1 || postings <= maxMerged {
		r.merge(e)
		for i := range lists[e:] {
			r.cand.update(&lists[e+i])
		}
		if prune && n < len(r.Lists) {
			r.raise(0)
		}
	} else {
		r.accumulate(e, n, all, prune)
	}
	if prune {
		r.cand.dropBelow(0, r.passing(n))
	}
}

// merge makes the documents of the first n lists candidates.
func (r disjunction) merge(n int) {
	lists := r.win.lists[:n]
	c := &r.cand
	c.docs, c.sums = append(c.docs[:0], lists[0].docs...), append(c.sums[:0], lists[0].scores...)
	for i := range lists[1:] {
		s := &lists[i+1]
		c.join(s, &r.other)
	}
}

// worthTesting reports whether blocks of essential list i may have bounds that, with the lists
// after it, do not pass the threshold, so that documents in no earlier list can be left out.
func (r disjunction) worthTesting(i int) bool {
	const low = 0.8 // few blocks have a lower bound than this part of the list's
	return low*r.Lists[i].Bound+r.suffix[i+1] <= r.Top.Prune
}
