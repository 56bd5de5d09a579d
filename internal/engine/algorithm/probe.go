package algorithm

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bitset"
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
// threshold, given that the lists after l add at most rest. It looks up those alone that can pass with the bound of their block.
func (r lookups) probe(l *posting.List, rest float32) {
	c, m, pass := &r.cand, &r.match, float64(r.Top.Prune)-float64(rest)
	prune := r.Top.Prune >= 0
	if prune {
		c.docs, c.sums = reachable(l, c.docs, c.sums, nil, func() float32 { return float32Above(pass - float64(l.BlockBound())) })
	}
	if err := m.findFreqs(l, c.docs); err != nil {
		r.fail(format.Locate(err, r.Place(l)))
		return
	}
	r.scoreFound(l, m, c.docs)
	for i, k := range m.kept {
		c.sums[k] += r.scores[i]
	}
	if prune {
		c.dropBelow(0, float32Below(pass))
	}
}

// scoreFound sets r.scores to the scores of those of docs that m has found.
func (r lookups) scoreFound(l *posting.List, m *Matches, docs []uint32) {
	r.scores = bm25.Grow(r.scores, len(m.kept))
	if len(m.kept) < fewMatches {
		for i, k := range m.kept {
			r.scores[i] = l.In.Scorer.Score(l.Weight, float32(m.freqs[i]), l.In.Norm(docs[k]))
		}
		return
	}
	m.own = m.own[:0]
	for _, k := range m.kept {
		m.own = append(m.own, docs[k])
	}
	r.scorePostings(l, r.scores, m.own, m.freqs)
}

// reachable drops the documents, which ascend, whose sums are below what the block of l that they are in asks for: least returns
// it for the block at the block pointer. It drops no members, and no document that the cursor is at or has passed.
func reachable[S float32 | uint32](l *posting.List, docs []uint32, sums []S, members *bitset.Set, least func() S) ([]uint32, []S) {
	at, kept, known, need := l.Doc(), 0, uint32(0), S(0) // known is the last docID of the block that needs need
	sums = sums[:len(docs)]
	for i, doc := range docs {
		sum := sums[i]
		if doc > at {
			if doc > known {
				known = l.Shallow(doc)
				need = least()
			}
			if sum < need && (members == nil || members.Next(doc) != doc) {
				continue
			}
		}
		docs[kept], sums[kept] = doc, sum
		kept++
	}
	return docs[:kept], sums[:kept]
}
