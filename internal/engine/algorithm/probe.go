package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// finish adds the scores of lists i and up to the candidates, drops those that can no longer
// pass the threshold, and offers the rest.
func (r disjunction) finish(i int) {
	if r.Static != nil {
		statics(r).drop(float64(r.suffix[i]))
	}
	r.Candidates += uint64(len(r.cand.docs))
	var normed *posting.Field // whose norms the candidates have
	for ; i < len(r.Lists) && len(r.cand.docs) > 0 && !r.Stopped(); i++ {
		l := r.Lists[i]
		d := r.dense(l)
		if d == nil {
			lookups(r).probe(l, r.suffix[i+1])
			normed = nil
			continue
		}
		if normed != l.In {
			normed = l.In
			r.cand.norms = bm25.Grow(r.cand.norms, len(r.cand.docs))
			normed.Norms(r.cand.norms, r.cand.docs)
		}
		lookups(r).addDense(l, d)
		r.cand.dropNormed(r.passing(i + 1))
	}
	for j, doc := range r.cand.docs {
		r.accept(doc, r.cand.sums[j])
	}
}

// probe adds the scores of l's postings to the candidates and drops those that cannot pass the
// threshold, given that the lists after l add at most rest. It decodes a block only for a candidate
// that can pass with the bound of the block.
func (r lookups) probe(l *posting.List, rest float32) {
	docs, sums, kept := r.cand.docs, r.cand.sums[:len(r.cand.docs)], 0
	prune := r.Top.Prune
	block, bound := uint32(posting.End), float32(0) // last docID of the block whose bound is known, and the bound
	for i, doc := range docs {
		sum := sums[i]
		if doc > l.Doc() {
			if last := l.Shallow(doc); prune >= 0 && last != posting.End {
				if last != block {
					block, bound = last, l.BlockBound()
				}
				if sum+bound+rest <= prune {
					continue
				}
			}
			l.Probes++
			l.NextGEQ(doc)
		}
		if doc == l.Doc() {
			l.Found++
			sum += r.score(l, doc)
		}
		if sum+rest > prune {
			docs[kept], sums[kept] = doc, sum
			kept++
		}
	}
	r.cand.docs, r.cand.sums = docs[:kept], sums[:kept]
}
