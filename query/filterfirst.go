package query

// filterFirst computes Or or And by looking up the documents of the filter in every list.
func (r *run) filterFirst(conjunctive bool) {
	r.start(r.lists)
	base := uint64(r.part.seg.Base)
	docs := r.q.Filter.Iterator()
	docs.AdvanceIfNeeded(uint32(base + uint64(r.lo)))
	hi := min(base+uint64(r.hi), base+uint64(r.part.seg.Docs()))
	for docs.HasNext() && !r.due() {
		next := uint64(docs.Next())
		if next >= hi {
			return
		}
		doc := uint32(next - base)
		r.Candidates++
		have, score, norm := 0, float32(0), r.norm(doc)
		for _, l := range r.lists {
			l.Probes++
			if l.NextGEQ(doc) == doc {
				l.Found++
				have++
				score += Score(l.weight, float32(l.Freq()), norm)
			} else if conjunctive {
				break
			}
		}
		if have == len(r.lists) || have > 0 && !conjunctive {
			r.accept(doc, score)
		}
	}
}

// filterFactor is how many postings can be read in the time that looking up one document in a list
// takes.
const filterFactor = 32

// smallFilter reports whether looking up the documents of the filter is faster than reading the
// lists: the shortest for And, all for Or.
func (r *run) smallFilter(conjunctive bool) bool {
	if r.q.Filter == nil {
		return false
	}
	postings := uint64(0)
	for _, l := range r.lists {
		postings += uint64(l.entry.DF)
		if conjunctive {
			break
		}
	}
	probes := r.q.Filter.GetCardinality()
	if !conjunctive {
		probes *= uint64(len(r.lists))
	}
	return filterFactor*probes < postings
}
