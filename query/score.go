package query

import "github.com/pinion-index/pinion/segment"

// lengths are the lengths of a segment's documents as vector code reads them.
type lengths struct {
	table   segment.LengthTable
	vectors bool // vector code may read the table
}

// vectorSlack is how far beyond an element of the table a vector load may reach.
const vectorSlack = 4

func newLengths(t segment.LengthTable, maxLen uint32) lengths {
	b := t.Bytes()
	return lengths{t, t.Width() <= 2 && maxLen < maxNormTable && len(b) > 0 && cap(b)-len(b) >= vectorSlack}
}

// scorePortable writes the scores of the postings of the current block to
// l.scores.
func (r *run) scorePortable(l *list) {
	docs := l.docs
	freqs, dst := l.freqs[:len(docs)], l.scores[:len(docs)]
	lens, s, w := r.part.lens.table, r.s.scorer, l.weight
	for i, d := range docs {
		dst[i] = Score(w, float32(freqs[i]), s.Norm(lens.Get(d)))
	}
}
