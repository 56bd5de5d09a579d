package bm25

import (
	"unsafe"

	"github.com/pinion-index/pinion/segment"
)

// Lengths are the lengths of a segment's documents in a field. If the table's elements are one or two
// bytes wide, bytes or words is the table.
type Lengths struct {
	Table segment.LengthTable
	bytes []uint8
	words []uint16
}

func NewLengths(t segment.LengthTable) Lengths {
	l := Lengths{Table: t}
	b := t.Bytes()
	switch p := unsafe.SliceData(b); {
	case t.Width() == 1:
		l.bytes = b
	case t.Width() == 2 && uintptr(unsafe.Pointer(p))%2 == 0:
		l.words = unsafe.Slice((*uint16)(unsafe.Pointer(p)), len(b)/2)
	}
	return l
}

// Norm returns the norm of a document.
func (l *Lengths) Norm(doc uint32, s *Scorer) float32 {
	if s.lenses == Coded && uint(doc) < uint(len(l.bytes)) {
		return s.norms[l.bytes[doc]]
	}
	return s.Norm(l.Table.Get(doc))
}

// Norms writes the norms of docs to dst, which is as long. Scalar loads are as fast as gather
// instructions at best, and several times as fast on CPUs whose microcode slows gathers down.
func (l *Lengths) Norms(dst []float32, docs []uint32, s *Scorer) {
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
	case s.lenses == Even:
		for i := range dst {
			dst[i] = s.norms[0]
		}
	default:
		for i, d := range docs {
			dst[i] = s.Norm(l.Table.Get(d))
		}
	}
}

// Slack is how many elements after the last posting vector code may read and write, since it
// computes whole vectors.
const Slack = 16

// Grow returns a slice of n elements, in the memory of v if it is large enough, with Slack
// more elements of capacity.
func Grow(v []float32, n int) []float32 {
	if cap(v) < n+Slack {
		v = make([]float32, max(n, 128)+Slack)
	}
	return v[:n]
}

// ScoreNorms replaces the norms in v by the scores of postings with frequencies freqs, which are as many.
// huge says that some may be 2^31 or more.
func (s *Scorer) ScoreNorms(v []float32, freqs []uint32, w float32, huge bool) {
	if s.lenses == Coded {
		scoreCodedNorms(v, freqs, w, huge)
		return
	}
	scoreNorms(v, freqs, w, huge)
}

// scoreCodedPortable replaces the norms in v by scores.
func scoreCodedPortable(v []float32, freqs []uint32, w float32) {
	freqs = freqs[:len(v)]
	for i, norm := range v {
		v[i] = ScoreCoded(w, float32(freqs[i]), norm)
	}
}

// scorePortable replaces the norms in v by scores.
func scorePortable(v []float32, freqs []uint32, w float32) {
	freqs = freqs[:len(v)]
	for i, norm := range v {
		v[i] = Score(w, float32(freqs[i]), norm)
	}
}
