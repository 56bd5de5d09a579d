package posting

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/segment"
)

// Lengths are the lengths of a segment's documents in a field. If the table's elements are one or two
// bytes wide, bytes or words is the table.
type Lengths struct {
	Table segment.LengthTable
	bytes []uint8
	words []uint16
}

// NewLengths returns the lengths in a table.
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
func (l *Lengths) Norm(doc uint32, s *bm25.Scorer) float32 {
	if s.Lens() == bm25.Coded && uint(doc) < uint(len(l.bytes)) {
		return s.Norms()[l.bytes[doc]]
	}
	return s.Norm(l.Table.Get(doc))
}

// Norms writes the norms of docs to dst, which is as long. Scalar loads are as fast as gather
// instructions at best, and several times as fast on CPUs whose microcode slows gathers down.
func (l *Lengths) Norms(dst []float32, docs []uint32, s *bm25.Scorer) {
	dst, norms := dst[:len(docs)], s.Norms()
	switch {
	case l.bytes != nil:
		lens, norms := l.bytes, (*[1 << 8]float32)(norms)
		for i, d := range docs {
			if uint(d) < uint(len(lens)) {
				dst[i] = norms[lens[d]]
			}
		}
	case l.words != nil && len(norms) == 1<<16:
		lens, norms := l.words, (*[1 << 16]float32)(norms)
		for i, d := range docs {
			if uint(d) < uint(len(lens)) {
				dst[i] = norms[lens[d]]
			}
		}
	case s.Lens() == bm25.Even:
		for i := range dst {
			dst[i] = norms[0]
		}
	default:
		for i, d := range docs {
			dst[i] = s.Norm(l.Table.Get(d))
		}
	}
}
