package segment

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
)

// LengthTable holds the number of tokens of every document. The zero value is empty.
//
// Lengths are exact, unless the table is coded. A unit table, which has no bytes, is that of a
// field without lengths: every document has length 1.
type LengthTable struct {
	b     []byte // width bytes each, little-endian
	width int    // 0: all are 1
	n     uint32
	coded bool // a byte each, a length code
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

// CodedLengths returns a table of the lengths whose codes are in b (format.DecodeLen), which it
// shares.
func CodedLengths(b []byte) LengthTable {
	return LengthTable{b: b, width: 1, n: uint32(len(b)), coded: true}
}

// UnitLengths returns the unit table of that many documents.
func UnitLengths(docs uint32) LengthTable { return LengthTable{n: docs} }

// Code returns t if it is coded, and otherwise a table of the codes of its lengths, rounded down.
func (t LengthTable) Code() LengthTable {
	if t.coded {
		return t
	}
	b := make([]byte, t.n)
	for doc := range b {
		b[doc] = format.EncodeLen(t.Get(uint32(doc)))
	}
	return CodedLengths(b)
}

// Len returns the number of documents.
func (t LengthTable) Len() int { return int(t.n) }

// Width returns the number of bytes of an entry: 1, 2 or 4, or 0 of a unit table.
func (t LengthTable) Width() int { return t.width }

// Coded reports whether an entry is a length code instead of a length.
func (t LengthTable) Coded() bool { return t.coded }

// Bytes returns the table as it is stored: little-endian, Width bytes for each document. It
// must not be modified.
func (t LengthTable) Bytes() []byte { return t.b }

// codedLengths are the lengths of all codes.
var codedLengths = func() (t [256]uint32) {
	for c := range t {
		t[c] = format.DecodeLen(uint8(c))
	}
	return t
}()

// Get returns the number of tokens of doc, or 0 if there is no such document.
func (t LengthTable) Get(doc uint32) uint32 {
	if doc >= t.n {
		return 0
	}
	switch t.width {
	case 0:
		return 1
	case 1:
		if t.coded {
			return codedLengths[t.b[doc]]
		}
		return uint32(t.b[doc])
	case 2:
		return uint32(binary.LittleEndian.Uint16(t.b[2*int(doc):]))
	}
	return binary.LittleEndian.Uint32(t.b[4*int(doc):])
}

// Exceeded returns the index of the first of freqs that is above what the length of its
// document, docs[i]-base, allows, or -1 if there is none. No document is shorter than least.
func (t LengthTable) Exceeded(docs, freqs []uint32, base, least uint32) int {
	docs = docs[:len(freqs)]
	for i, f := range freqs {
		if f > least && f > t.Get(docs[i]-base) && !(t.coded && CodedAllows(f, t.Get(docs[i]-base))) {
			return i
		}
	}
	return -1
}

// CodedAllows reports whether a term may occur freq times in a document whose length was
// rounded down to length.
func CodedAllows(freq, length uint32) bool { return codedLengths[format.EncodeLen(freq)] <= length }

// GatherLengths sets dst[i] to the length of docs[i], or to 0 if there is no such document.
func (t LengthTable) GatherLengths(dst, docs []uint32) {
	dst = dst[:len(docs)]
	switch {
	case t.width == 1 && !t.coded:
		b := t.b
		for i, d := range docs {
			v := uint32(0)
			if uint(d) < uint(len(b)) {
				v = uint32(b[d])
			}
			dst[i] = v
		}
	case t.width == 2:
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
