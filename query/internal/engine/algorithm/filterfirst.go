package algorithm

import (
	"github.com/pinion-index/pinion/format"
)

// filterFirst computes Or or And by looking up the documents of the filter in every list.
func (r *Run) filterFirst(conjunctive bool) {
	r.start(r.Lists)
	base := uint64(r.Part.Seg.Base())
	docs := r.filter.all.Iterator()
	docs.AdvanceIfNeeded(uint32(base + uint64(r.lo)))
	hi := min(base+uint64(r.hi), base+uint64(r.Part.Seg.Docs()))
	for docs.HasNext() && !r.Due() {
		next := uint64(docs.Next())
		if next >= hi {
			return
		}
		doc := uint32(next - base)
		r.Candidates++
		have, score := 0, float32(0)
		for _, l := range r.Lists {
			l.Probes++
			if l.NextGEQ(doc) == doc {
				l.Found++
				have++
				score += r.score(l, doc)
			} else if conjunctive {
				break
			}
		}
		if have == len(r.Lists) || have > 0 && !conjunctive {
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
func (r *Run) smallFilter(conjunctive bool) bool {
	if r.filter.all == nil {
		return false
	}
	probes, postings, factor := r.filter.docs, uint64(0), uint64(readFactor)
	for _, l := range r.Lists {
		postings += uint64(l.Entry.DF)
		if conjunctive {
			break
		}
	}
	if !conjunctive {
		probes *= uint64(len(r.Lists))
		if r.likely(format.KthValues()[format.NumKth-1]) {
			factor = skipFactor
		}
	}
	return factor*probes*uint64(r.Part.Seg.Docs()) < postings*uint64(r.hi-r.lo)
}
