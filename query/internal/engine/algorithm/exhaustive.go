package algorithm

import (
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// exhaustive computes Or a document at a time: it scores the least current docID of all lists, then
// advances the lists that hold it.
func (r *Run) exhaustive() {
	r.start(r.Lists)
	for !r.Due() {
		doc := uint32(posting.End)
		for _, l := range r.Lists {
			doc = min(doc, l.Doc())
		}
		if doc >= r.hi {
			return
		}
		r.Candidates++
		score, norm := float32(0), r.norm(doc)
		for _, l := range r.Lists {
			if l.Doc() == doc {
				score += bm25.Score(l.Weight, float32(l.Freq()), norm)
				l.Next()
			}
		}
		r.accept(doc, score)
	}
}
