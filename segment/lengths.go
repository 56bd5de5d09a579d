package segment

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
)

// LengthTable holds the exact number of tokens of every document. The zero value is empty.
type LengthTable struct {
	b     []byte // width bytes each, little-endian
	width int
	n     uint32
}

// NewLengthTable returns a table of lengths, which it shares.
func NewLengthTable(lengths []uint32) LengthTable {
	return LengthTable{b: format.BytesOf(lengths), width: 4, n: uint32(len(lengths))}
}

// PackedLengths returns a table of the lengths in b, which it shares: little-endian, width
// bytes (1, 2 or 4) for each document, aligned to their width.
func PackedLengths(b []byte, width int) LengthTable {
	return LengthTable{b: b, width: width, n: uint32(len(b) / width)}
}

// DocLens returns the lengths of all documents. The first call reads and checks them.
func (s *Segment) DocLens() (LengthTable, error) {
	if v := s.views.lengths.Load(); v != nil {
		return *v, nil
	}
	b, err := s.rangeOf(&s.docLengths, 0, s.docLengths.Length)
	if err != nil {
		return LengthTable{}, err
	}
	t := LengthTable{b: b, width: s.meta.LenWidth, n: s.meta.Docs}
	s.views.lengths.Store(&t)
	return t, nil
}

// DocLen returns the number of tokens of doc, or 0 if there is no such document.
func (s *Segment) DocLen(doc uint32) (uint32, error) {
	t, err := s.DocLens()
	return t.Get(doc), err
}

// Len returns the number of documents.
func (t LengthTable) Len() int { return int(t.n) }

// Width returns the number of bytes of an entry: 1, 2 or 4.
func (t LengthTable) Width() int { return t.width }

// Bytes returns the table as it is stored: little-endian, Width bytes for each document. It
// must not be modified.
func (t LengthTable) Bytes() []byte { return t.b }

// Get returns the number of tokens of doc, or 0 if there is no such document.
func (t LengthTable) Get(doc uint32) uint32 {
	if doc >= t.n {
		return 0
	}
	switch t.width {
	case 1:
		return uint32(t.b[doc])
	case 2:
		return uint32(binary.LittleEndian.Uint16(t.b[2*int(doc):]))
	}
	return binary.LittleEndian.Uint32(t.b[4*int(doc):])
}

// Exceeded returns the index of the first of freqs that is above the length of its document,
// docs[i]-base, or -1 if there is none. No document is shorter than least.
func (t LengthTable) Exceeded(docs, freqs []uint32, base, least uint32) int {
	docs = docs[:len(freqs)]
	for i, f := range freqs {
		if f > least && f > t.Get(docs[i]-base) {
			return i
		}
	}
	return -1
}

// GatherLengths sets dst[i] to the length of docs[i], or to 0 if there is no such document.
func (t LengthTable) GatherLengths(dst, docs []uint32) {
	dst = dst[:len(docs)]
	switch t.width {
	case 1:
		b := t.b
		for i, d := range docs {
			v := uint32(0)
			if uint(d) < uint(len(b)) {
				v = uint32(b[d])
			}
			dst[i] = v
		}
	case 2:
		b := t.b
		for i, d := range docs {
			v := uint32(0)
			if at := 2 * uint(d); at+2 <= uint(len(b)) {
				v = uint32(binary.LittleEndian.Uint16(b[at : at+2]))
			}
			dst[i] = v
		}
	default:
		for i, d := range docs {
			dst[i] = t.Get(d)
		}
	}
}
