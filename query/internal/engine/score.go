package engine

import (
	"unsafe"

	"github.com/pinion-index/pinion/segment"
)

// lengths are the lengths of a segment's documents. If the table's elements are one or two bytes
// wide, bytes or words is the table.
type lengths struct {
	table segment.LengthTable
	bytes []uint8
	words []uint16
}

func newLengths(t segment.LengthTable) lengths {
	l := lengths{table: t}
	b := t.Bytes()
	switch p := unsafe.SliceData(b); {
	case t.Width() == 1:
		l.bytes = b
	case t.Width() == 2 && uintptr(unsafe.Pointer(p))%2 == 0:
		l.words = unsafe.Slice((*uint16)(unsafe.Pointer(p)), len(b)/2)
	}
	return l
}

// norms writes the norms of docs to dst, which is as long. Scalar loads are as fast as gather
// instructions at best, and several times as fast on CPUs whose microcode slows gathers down.
func (l *lengths) norms(dst []float32, docs []uint32, s *Scorer) {
	dst = dst[:len(docs)]
	switch {
	case l.bytes != nil:
		lens, norms := l.bytes, (*[1 << 8]float32)(s.norms)
		for i, d := range docs {
			if uint(d) < uint(len(lens)) {
				dst[i] = norms[lens[d]]
			}
		}
	case l.words != nil && len(s.norms) == 1<<16:
		lens, norms := l.words, (*[1 << 16]float32)(s.norms)
		for i, d := range docs {
			if uint(d) < uint(len(lens)) {
				dst[i] = norms[lens[d]]
			}
		}
	default:
		for i, d := range docs {
			dst[i] = s.Norm(l.table.Get(d))
		}
	}
}

// vectorSlack is how many elements after the last posting vector code may read and write, since it
// computes whole vectors.
const vectorSlack = 16

// scorePostings writes the scores of postings of l to dst, which is as long.
func (r *run) scorePostings(l *list, dst []float32, docs, freqs []uint32) {
	r.part.lens.norms(dst, docs, r.s.scorer)
	scoreNorms(dst, freqs[:len(dst)], l.weight, l.huge)
}

// scorePortable replaces the norms in v by scores.
func scorePortable(v []float32, freqs []uint32, w float32) {
	freqs = freqs[:len(v)]
	for i, norm := range v {
		v[i] = Score(w, float32(freqs[i]), norm)
	}
}
