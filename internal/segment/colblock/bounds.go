package colblock

import (
	"encoding/binary"
	"math/bits"
)

// Sizes of a column.
const (
	Docs  = 4096 // documents of a block
	Words = Docs / 64

	// HeadSize and EntrySize are the bytes that COLUMNBOUNDS has of a column, and then of
	// each of its blocks.
	HeadSize  = 64
	EntrySize = 40

	// MaxValues is the greatest number of values of a block.
	MaxValues = 1 << 30
)

// Blocks returns the number of blocks of that many documents.
func Blocks(docs uint32) int { return int((uint64(docs) + Docs - 1) / Docs) }

// DocsIn returns the number of documents of block b.
func DocsIn(docs uint32, b int) int { return min(Docs, int(docs)-b*Docs) }

// BoundsSize returns the bytes that COLUMNBOUNDS has of a column.
func BoundsSize(docs uint32) int64 { return HeadSize + EntrySize*int64(Blocks(docs)) }

// Form says how the values of a block are laid out.
type Form uint8

// The forms.
const (
	Slots  Form = iota // one for each document
	Dense              // those of the documents that have any
	Ascend             // differences of values that do not descend, one for each document
	Descend
)

// Head is what COLUMNBOUNDS says of a column. Offsets are in COLUMNS.
type Head struct {
	Values   uint64
	Min, Max int64  // 0 without values
	Docs     uint32 // with a value
	Keywords uint32 // in the dictionary
	Begin    uint64 // of the dictionary
	Index    uint64 // of the offsets of its blocks
	Blocks   uint64
	End      uint64
}

// AppendHead appends h to dst.
func AppendHead(dst []byte, h *Head) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, h.Values)
	dst = le.AppendUint64(dst, uint64(h.Min))
	dst = le.AppendUint64(dst, uint64(h.Max))
	dst = le.AppendUint32(le.AppendUint32(dst, h.Docs), h.Keywords)
	for _, off := range [...]uint64{h.Begin, h.Index, h.Blocks, h.End} {
		dst = le.AppendUint64(dst, off)
	}
	return dst
}

// ParseHead decodes the Head at the beginning of b.
func ParseHead(b []byte) (h Head) {
	le := binary.LittleEndian
	h.Values, h.Min, h.Max = le.Uint64(b), int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:]))
	h.Docs, h.Keywords = le.Uint32(b[24:]), le.Uint32(b[28:])
	h.Begin, h.Index, h.Blocks, h.End = le.Uint64(b[32:]), le.Uint64(b[40:]), le.Uint64(b[48:]), le.Uint64(b[56:])
	return h
}

// Entry is what COLUMNBOUNDS says of a block. A block without values has the zero Entry, but for
// Offset.
type Entry struct {
	Min, Max int64
	Gcd      uint64 // of the values' distances from Min, 1 if there are none
	Offset   uint64 // in COLUMNS
	Values   uint32
	Docs     uint16 // with a value
	Form     Form
	Width    uint8 // bits of the greatest distance over Gcd
}

// AppendEntry appends e to dst.
func AppendEntry(dst []byte, e *Entry) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(e.Min), uint64(e.Max), e.Gcd, e.Offset} {
		dst = le.AppendUint64(dst, v)
	}
	dst = le.AppendUint16(le.AppendUint32(dst, e.Values), e.Docs)
	return append(dst, byte(e.Form), e.Width)
}

// ParseEntry decodes the Entry at the beginning of b.
func ParseEntry(b []byte) (e Entry) {
	le := binary.LittleEndian
	b = b[:EntrySize]
	e.Min, e.Max, e.Gcd, e.Offset = int64(le.Uint64(b)), int64(le.Uint64(b[8:])), le.Uint64(b[16:]), le.Uint64(b[24:])
	e.Values, e.Docs, e.Form, e.Width = le.Uint32(b[32:]), le.Uint16(b[36:]), Form(b[38]), b[39]
	return e
}

// Span returns the greatest distance of a value from Min over Gcd, which is not 0.
func (e *Entry) Span() uint64 { return (uint64(e.Max) - uint64(e.Min)) / e.Gcd }

// Valid reports whether e can be that of a block of n documents, whatever the bytes of the block.
func (e *Entry) Valid(n int) bool {
	if e.Docs == 0 {
		return *e == Entry{Offset: e.Offset}
	}
	docs, single := int(e.Docs), e.Values == uint32(e.Docs)
	switch {
	case docs > n || e.Values < uint32(docs) || e.Values > MaxValues || e.Min > e.Max || e.Gcd == 0:
		return false
	case (uint64(e.Max)-uint64(e.Min))%e.Gcd != 0 || int(e.Width) != bits.Len64(e.Span()):
		return false
	case e.Width == 0 && e.Gcd != 1:
		return false
	}
	switch e.Form {
	case Slots:
		return single
	case Dense:
		return true
	case Ascend, Descend:
		return single && docs == n
	}
	return false
}

// least returns the number of bytes that a block of n documents has at least, and whether it has
// no more.
func (e *Entry) least(n int) (size int64, exact bool) {
	if e.Docs == 0 {
		return 0, true
	}
	if int(e.Docs) < n {
		size = bitmapSize(n)
	}
	switch {
	case e.Form == Slots:
		return size + packedSize(n, uint(e.Width)), true
	case e.Form == Dense && e.Values > uint32(e.Docs):
		return size + countsHead(int(e.Docs)) + packedSize(int(e.Values), uint(e.Width)), false
	case e.Form == Dense:
		return size + packedSize(int(e.Docs), uint(e.Width)), true
	}
	return sortedHead(n, uint(e.Width)), false
}

// Fits reports whether a block of n documents with entry e may have size bytes.
func (e *Entry) Fits(n int, size uint64) bool {
	least, exact := e.least(n)
	return size == uint64(least) || !exact && size > uint64(least) && size < 1<<40
}

func bitmapSize(n int) int64 { return int64(n+63) / 64 * 8 }
