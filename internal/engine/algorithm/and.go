package algorithm

// leapfrog computes And: it looks up every document of the shortest list in the others, shortest
// first. The first list that lacks it determines the next document.
func (r stepwise) leapfrog() {
	r.start(r.Lists[:1])
	first, rest := r.Lists[0], r.Lists[1:]
	doc := first.Doc()
candidates:
	for doc < r.hi && !r.Due() {
		r.Candidates++
		for _, l := range rest {
			l.Probes++
			if next := l.NextGEQ(doc); next != doc {
				doc = first.NextGEQ(next)
				continue candidates
			}
			l.Found++
		}
		r.accept(doc, r.scoreAt(doc))
		doc = first.Next()
	}
}

// smallAdaptive computes And by the modified Small Adaptive of Tatikonda 2011, section 3.1: it
// looks up the eliminator in one list after another, cyclically. If a list lacks the eliminator,
// the list's next docID becomes the eliminator. If all lists have it, it is scored, and the first
// list provides the next one.
func (r stepwise) smallAdaptive() {
	lists := r.Lists
	r.start(lists[:1])
	eliminator := lists[0].Doc()
	at, have := 0, 1 // the last list searched; how many lists have the eliminator
	for eliminator < r.hi && !r.Due() {
		r.Candidates++
		for have < len(lists) {
			if at++; at == len(lists) {
				at = 0
			}
			l := lists[at]
			l.Probes++
			if l.NextGEQ(eliminator) != eliminator {
				break
			}
			l.Found++
			have++
		}
		if have < len(lists) {
			eliminator, have = lists[at].Doc(), 1
			continue
		}
		r.accept(eliminator, r.scoreAt(eliminator))
		eliminator, at, have = lists[0].Next(), 0, 1
	}
}
