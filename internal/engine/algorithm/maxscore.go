package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// stepwise is a Run that goes from one document to the next: the algorithms to compare with.
type stepwise struct{ *Run }

// maxScore computes Or by MaxScore (Turtle and Flood 1995) a document at a time. The longest lists
// whose bounds together do not pass the threshold are non-essential: a document that only they hold
// is not a hit. So candidates come from the essential lists, and a non-essential list is probed for
// a candidate only while its score can still pass. With blockMax (Dimopoulos, Nepomnyachiy and Suel
// 2013), the lists are probed only if the bounds of the blocks around the candidate allow it to
// pass.
//
// Lists stay in canonical order, so the essential lists are a prefix, and scores are summed in the
// defined order.
func (r stepwise) maxScore(blockMax bool) {
	r.SumBounds()
	essential := r.essential(len(r.Lists))
	r.start(r.Lists[:essential])
	for essential > 0 && !r.Due() {
		doc := uint32(posting.End)
		for _, l := range r.Lists[:essential] {
			doc = min(doc, l.Doc())
		}
		if doc >= r.hi {
			return
		}
		r.Candidates++
		score := float32(0)
		for _, l := range r.Lists[:essential] {
			if l.Doc() == doc {
				score += r.score(l, doc)
				l.Next()
			}
		}
		full := score+r.suffix[essential] > r.Top.Prune
		if full && blockMax {
			full = r.blocksPass(essential, doc, score)
		}
		if full {
			score, full = r.complete(essential, doc, score)
		}
		if full {
			r.accept(doc, score)
			r.risen(doc)
			essential = r.essential(essential)
		}
	}
}

// complete adds the scores of lists i and up to the score of doc. ok becomes false as soon as doc
// cannot be a hit.
func (r stepwise) complete(i int, doc uint32, score float32) (full float32, ok bool) {
	for ; i < len(r.Lists); i++ {
		if score+r.suffix[i] <= r.Top.Prune {
			return 0, false
		}
		l := r.Lists[i]
		l.Probes++
		if l.NextGEQ(doc) == doc {
			l.Found++
			score += r.score(l, doc)
		}
	}
	return score, true
}

// blocksPass reports whether score can pass the threshold with the bounds of the blocks around doc
// in lists i and up.
func (r stepwise) blocksPass(i int, doc uint32, score float32) bool {
	for ; i < len(r.Lists); i++ {
		l := r.Lists[i]
		if l.Shallow(doc) != posting.End {
			score += l.BlockBound()
		}
		if score+r.suffix[i+1] <= r.Top.Prune {
			return false
		}
	}
	return true
}
