package algorithm

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// scorePostings writes the scores of postings of l to dst, which is as long.
func (r *Run) scorePostings(l *posting.List, dst []float32, docs, freqs []uint32) {
	l.In.Norms(dst, docs)
	l.ScoreNorms(dst, freqs[:len(dst)])
}

// ScoreMatches scores matches, list after list, and offers them.
func (r *Run) ScoreMatches(m *Matches) {
	m.fill()
	r.scores = bm25.Grow(r.scores, len(m.Docs))
	sums := r.scores
	var in *posting.Field // whose norms m has
	for j, l := range r.Lists {
		if in != l.In {
			in = l.In
			m.norms = bm25.Grow(m.norms, len(m.Docs))
			in.Norms(m.norms, m.Docs)
		}
		if l.Dense != nil && len(m.at[j]) == 0 {
			m.readDense(l.Dense)
		} else if err := m.readFreqs(l, m.at[j]); err != nil {
			r.fail(format.Locate(err, r.Place(l)))
			return
		}
		m.addScores(l, sums, j == 0)
		if r.bounded && r.Top.Prune >= 0 && j+1 < len(r.Lists) {
			if pass := r.passing(j + 1); pass >= 0 {
				if sums = m.keepAbove(sums, len(r.Lists), pass); len(sums) == 0 {
					return
				}
			}
		}
	}
	for i, doc := range m.Docs {
		r.accept(doc, sums[i])
	}
}
