package query

// leapfrog computes And: it looks for every document of the shortest list in the others, shortest
// first; the first list that lacks it gives the next document.
func (r *run) leapfrog() {
	r.start(r.lists[:1])
	first, rest := r.lists[0], r.lists[1:]
	doc := first.Doc()
candidates:
	for doc < r.hi && !r.due() {
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

// smallAdaptive computes And by the modified Small Adaptive of Tatikonda 2011,
// section 3.1: it looks for the eliminator in list after list, cyclically. A list that lacks the
// eliminator gives the next one, its least docID above. Once all lists have the eliminator, it is
// scored and the first list gives the next.
func (r *run) smallAdaptive() {
	lists := r.lists
	r.start(lists[:1])
	eliminator := lists[0].Doc()
	at, have := 0, 1 // the list that was looked into last; how many have the eliminator
	for eliminator < r.hi && !r.due() {
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
