package engine

// maxScore computes Or by MaxScore (Turtle and Flood 1995) a document at a time. The longest lists
// whose bounds together do not pass the threshold are non-essential: a document that only they hold
// is not a hit. So candidates come from the essential lists, and a non-essential list is probed for
// a candidate only while its score can still pass. With blockMax (Dimopoulos, Nepomnyachiy and Suel
// 2013), the lists are probed only if the bounds of the blocks around the candidate allow it to
// pass.
//
// Lists stay in canonical order, so the essential lists are a prefix, and scores are summed in the
// defined order.
func (r *run) maxScore(blockMax bool) {
	r.sumBounds()
	essential := r.essential(len(r.lists))
	r.start(r.lists[:essential])
	for essential > 0 && !r.due() {
		doc := uint32(end)
		for _, l := range r.lists[:essential] {
			doc = min(doc, l.Doc())
		}
		if doc >= r.hi {
			return
		}
		r.Candidates++
		score, norm := float32(0), r.norm(doc)
		for _, l := range r.lists[:essential] {
			if l.Doc() == doc {
				score += Score(l.weight, float32(l.Freq()), norm)
				l.Next()
			}
		}
		full := score+r.suffix[essential] > r.top.prune
		if full && blockMax {
			full = r.blocksPass(essential, doc, score)
		}
		if full {
			score, full = r.complete(essential, doc, score, norm)
		}
		if full {
			r.accept(doc, score)
			r.trace.threshold(r, doc)
			essential = r.essential(essential)
		}
	}
}

// essential returns the least number of lists such that the bounds of the others together do not
// pass the threshold, given that it is at most n.
func (r *run) essential(n int) int {
	for n > 0 && r.suffix[n-1] <= r.top.prune {
		n--
	}
	return n
}

// complete adds the scores of lists i and up to the score of doc. ok becomes false as soon as doc
// cannot be a hit.
func (r *run) complete(i int, doc uint32, score, norm float32) (full float32, ok bool) {
	for ; i < len(r.lists); i++ {
		if score+r.suffix[i] <= r.top.prune {
			return 0, false
		}
		l := r.lists[i]
		l.Probes++
		if l.NextGEQ(doc) == doc {
			l.Found++
			score += Score(l.weight, float32(l.Freq()), norm)
		}
	}
	return score, true
}

// blocksPass reports whether score can pass the threshold with the bounds of the blocks around doc
// in lists i and up.
func (r *run) blocksPass(i int, doc uint32, score float32) bool {
	for ; i < len(r.lists); i++ {
		l := r.lists[i]
		if l.Shallow(doc) != end {
			score += l.blockBound(r.s.scorer)
		}
		if score+r.suffix[i+1] <= r.top.prune {
			return false
		}
	}
	return true
}
