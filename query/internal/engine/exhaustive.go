package engine

// exhaustive computes Or a document at a time: it scores the least current docID of all lists, then
// advances the lists that hold it.
func (r *run) exhaustive() {
	r.start(r.lists)
	for !r.due() {
		doc := uint32(end)
		for _, l := range r.lists {
			doc = min(doc, l.Doc())
		}
		if doc >= r.hi {
			return
		}
		r.Candidates++
		score, norm := float32(0), r.norm(doc)
		for _, l := range r.lists {
			if l.Doc() == doc {
				score += Score(l.weight, float32(l.Freq()), norm)
				l.Next()
			}
		}
		r.accept(doc, score)
	}
}

// scoreAt returns the score of a document. Every list that holds it must be at it.
func (r *run) scoreAt(doc uint32) float32 {
	score, norm := float32(0), r.norm(doc)
	for _, l := range r.lists {
		if l.Doc() == doc {
			score += Score(l.weight, float32(l.Freq()), norm)
		}
	}
	return score
}
