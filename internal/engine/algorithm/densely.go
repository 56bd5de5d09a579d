package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// dense returns the cached form of l, a list of the current segment, or nil. It caches the list if
// that is due. A list that cannot be read whole is never cached: damage that queries do not meet
// does not change how they end.
func (r *Run) dense(l *posting.List) *posting.Dense {
	if l.Asked {
		return l.Dense
	}
	l.Asked = true
	c, docs := r.Part.Dense, uint64(r.Part.Seg.Docs())
	bytes := docs*3/16 + uint64(l.Entry.DF)
	if !c.Want(l.Entry.Offset, bytes) {
		return nil
	}
	var d *posting.Dense
	err := indexdir.Guard(func() (err error) { // a fault must not end the query
		d, err = posting.NewDense(r.Part.Seg, l.Entry)
		return err
	})
	if err != nil || uint64(len(d.Docs))*posting.ManyShare > docs {
		c.Refuse(bytes)
		return nil
	}
	c.Put(l.Entry.Offset, d)
	l.Dense = d
	return d
}

// addDense adds the scores of l's postings to the candidates. Their norms must be set; their order
// does not matter.
func (r lookups) addDense(l *posting.List, d *posting.Dense) {
	c := &r.cand
	r.freqs = r.freqs[:0]
	most := uint8(0)
	for _, doc := range c.docs {
		f := d.Freq(doc)
		most = max(most, f)
		r.freqs = append(r.freqs, uint32(f))
	}
	if most == posting.ManyFreq {
		for i, f := range r.freqs {
			if f == posting.ManyFreq {
				r.freqs[i] = d.ManyFreq(c.docs[i])
			}
		}
	}
	r.scores = bm25.Grow(r.scores, len(c.docs))
	copy(r.scores, c.norms)
	l.ScoreNorms(r.scores, r.freqs)
	if l.In.Scorer.Score(l.Weight, 0, 1) != 0 { // as of bm25+
		for i, f := range r.freqs {
			if f == 0 {
				r.scores[i] = 0
			}
		}
	}
	for i, s := range r.scores {
		c.sums[i] += s // 0 where the document is not in the list
	}
	l.Found += uint64(len(c.docs))
}
