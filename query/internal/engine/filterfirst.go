package engine

import "github.com/pinion-index/pinion/format"

// filterFirst computes Or or And by looking up the documents of the filter in every list.
func (r *run) filterFirst(conjunctive bool) {
	r.start(r.lists)
	base := uint64(r.part.seg.Base())
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

// How many postings can be read in the time that looking up one document in a list takes: if no
// threshold can be guessed or all documents must be read, and if one can, so that most are skipped.
const (
	readFactor = 4
	skipFactor = 32
)

// smallFilter reports whether looking up the documents of the filter is faster than reading the
// lists: the shortest for And, all for Or.
func (r *run) smallFilter(conjunctive bool) bool {
	if r.q.Filter == nil {
		return false
	}
	probes, postings, factor := r.filter.docs, uint64(0), uint64(readFactor)
	for _, l := range r.lists {
		postings += uint64(l.entry.DF)
		if conjunctive {
			break
		}
	}
	if !conjunctive {
		probes *= uint64(len(r.lists))
		if r.likely(format.KthValues()[format.NumKth-1]) {
			factor = skipFactor
		}
	}
	return factor*probes*uint64(r.part.seg.Docs()) < postings*uint64(r.hi-r.lo)
}
