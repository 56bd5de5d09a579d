package query

import "github.com/pinion-index/pinion/segment"

// lengths are the lengths of a segment's documents as vector code reads them.
type lengths struct {
	table   segment.LengthTable
	vectors bool // vector code may read the table
}

// Vector code computes whole vectors of up to vectorSlack scores, so it may read
// and write as many elements past the last posting, and vectorBytes past a
// length.
const (
	vectorSlack = 16
	vectorBytes = 4
)

func newLengths(t segment.LengthTable, maxLen uint32) lengths {
	b := t.Bytes()
	return lengths{t, t.Width() <= 2 && maxLen < maxNormTable && len(b) > 0 && cap(b)-len(b) >= vectorBytes}
}

// scorePortable writes the scores of postings of l to dst, which is as long.
func (r *run) scorePortable(l *list, dst []float32, docs, freqs []uint32) {
	freqs, dst = freqs[:len(docs)], dst[:len(docs)]
	lens, s, w := r.part.lens.table, r.s.scorer, l.weight
	for i, d := range docs {
		dst[i] = Score(w, float32(freqs[i]), s.Norm(lens.Get(d)))
	}
}
