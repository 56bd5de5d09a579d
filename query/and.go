package query

// leapfrog computes And: every document of the shortest list is looked for in
// the others, shortest first; the first that lacks it says where to go on.
func (r *run) leapfrog() {
	first, rest := r.lists[0], r.lists[1:]
	doc := first.doc
candidates:
	for doc != end {
		r.Candidates++
		for _, l := range rest {
			l.Probes++
			if l.seek(doc); l.doc != doc {
				first.seek(l.doc)
				doc = first.doc
				continue candidates
			}
			l.Found++
		}
		score := r.scoreAt(doc)
		if r.err != nil {
			return
		}
		r.accept(doc, score)
		first.next()
		doc = first.doc
	}
}

// smallAdaptive computes And by the modified Small Adaptive of Tatikonda 2011,
// section 3.1: the eliminator is looked for in list after list, cyclically. One
// that lacks it gives the next eliminator, its least docID above; once all have
// it, it is scored and the first list gives the next.
func (r *run) smallAdaptive() {
	lists := r.lists
	eliminator := lists[0].doc
	at, have := 0, 1 // the list that gave the eliminator; how many lists have it
	for eliminator != end {
		r.Candidates++
		for have < len(lists) {
			if at++; at == len(lists) {
				at = 0
			}
			l := lists[at]
			l.Probes++
			l.seek(eliminator)
			if l.doc != eliminator {
				break
			}
			l.Found++
			have++
		}
		if have < len(lists) {
			eliminator, have = lists[at].doc, 1
			continue
		}
		score := r.scoreAt(eliminator)
		if r.err != nil {
			return
		}
		r.accept(eliminator, score)
		lists[0].next()
		eliminator, at, have = lists[0].doc, 0, 1
	}
}
