package colblock

import (
	"encoding/binary"
	"math/bits"
)

// Block is the content of a block of n documents.
type Block struct {
	Entry
	N int

	bitmap []byte // of the documents with a value, unless all have one
	before []byte // of documents with several values
	counts packed
	values packed
	sorted sorted
}

// Open finds the parts of b, the bytes of a block of n documents whose entry is valid. It reports
// whether they have the lengths that e and they say. Numbers may lie behind b within its capacity,
// which makes decoding fastest.
func (x *Block) Open(b []byte, e *Entry, n int) bool {
	*x = Block{Entry: *e, N: n}
	if e.Docs == 0 {
		return len(b) == 0
	}
	width, docs := uint(e.Width), int(e.Docs)
	if e.Form >= Ascend {
		var ok bool
		x.sorted, ok = parseSorted(b, n, width)
		return ok
	}
	if docs < n {
		size := int(bitmapSize(n))
		if len(b) < size {
			return false
		}
		x.bitmap, b = b[:size], b[size:]
	}
	if x.several() {
		head := int(countsHead(docs))
		if len(b) < head || b[head-1] > 32 {
			return false
		}
		x.before, x.counts = b[:head-1], packed{n: docs, width: uint(b[head-1])}
		b = b[head:]
		size := int(packedSize(docs, x.counts.width))
		if len(b) < size {
			return false
		}
		x.counts.b, b = b[:size], b[size:]
	}
	x.values = packed{b, int(e.Values), width}
	if e.Form == Slots {
		x.values.n = n
	}
	return int64(len(b)) == packedSize(x.values.n, width)
}

// BitmapSize returns the bytes of the bitmap that begins a block of n documents: 0 if it has none.
func (e *Entry) BitmapSize(n int) int64 {
	if e.Docs == 0 || int(e.Docs) == n {
		return 0
	}
	return bitmapSize(n)
}

func (x *Block) several() bool { return x.Values > uint32(x.Docs) }

// value returns the value that stands for an offset.
func (e *Entry) value(off uint64) int64 { return int64(uint64(e.Min) + off*e.Gcd) }

// Present sets dst to the documents with a value, and reports whether the bitmap is what the entry
// says.
func (x *Block) Present(dst *[Words]uint64) bool { return x.Entry.Present(dst, x.bitmap, x.N) }

// Present is Block.Present for the bitmap of a block of n documents.
func (e *Entry) Present(dst *[Words]uint64, bitmap []byte, n int) bool {
	clear(dst[:])
	if e.Docs == 0 {
		return true
	}
	if int(e.Docs) == n {
		Ones(dst, 0, n)
		return true
	}
	docs := 0
	for i := range len(bitmap) / 8 {
		w := binary.LittleEndian.Uint64(bitmap[8*i:])
		dst[i] = w
		docs += bits.OnesCount64(w)
	}
	return docs == int(e.Docs) && (n%64 == 0 || dst[n/64]>>(n%64) == 0)
}

// Ones sets the bits from lo up to, but not including, hi.
func Ones(dst *[Words]uint64, lo, hi int) {
	if lo >= hi {
		return
	}
	first, last := lo/64, (hi-1)/64
	for i := first; i <= last; i++ {
		dst[i] = ^uint64(0)
	}
	keep := ^uint64(0) << (lo % 64)
	if first != last {
		dst[first] &= keep
		keep = ^uint64(0)
	}
	dst[last] &= keep & (^uint64(0) >> (63 - (hi-1)%64))
}

// rank returns the number of documents with a value before document i, and whether it has one.
func (x *Block) rank(i int) (rank int, has bool) {
	if x.bitmap == nil {
		return i, true
	}
	at := i / 64 * 8
	w := binary.LittleEndian.Uint64(x.bitmap[at:])
	if w>>(i%64)&1 == 0 {
		return 0, false
	}
	rank = bits.OnesCount64(w & (1<<(i%64) - 1))
	for ; at > 0; at -= 8 {
		rank += bits.OnesCount64(binary.LittleEndian.Uint64(x.bitmap[at-8:]))
	}
	return rank, true
}

// Append appends the values of document i, ascending. It returns false if they are not there.
func (x *Block) Append(dst []int64, i int) ([]int64, bool) {
	if x.Docs == 0 {
		return dst, true
	}
	if x.Form >= Ascend {
		off := x.sorted.at(i)
		if x.Form == Descend {
			return append(dst, int64(uint64(x.Max)-off*x.Gcd)), true
		}
		return append(dst, x.value(off)), true
	}
	if x.Form == Slots {
		if x.bitmap != nil && binary.LittleEndian.Uint64(x.bitmap[i/64*8:])>>(i%64)&1 == 0 {
			return dst, true
		}
		return append(dst, x.value(x.values.at(i))), true
	}
	rank, has := x.rank(i)
	if !has {
		return dst, true
	}
	if rank >= int(x.Docs) {
		return dst, false
	}
	if !x.several() {
		return append(dst, x.value(x.values.at(rank))), true
	}
	at := uint64(binary.LittleEndian.Uint32(x.before[rank/row*4:]))
	for j := rank &^ (row - 1); j < rank; j++ {
		at += x.counts.at(j) + 1
	}
	end := at + x.counts.at(rank) + 1
	if end > uint64(x.Values) {
		return dst, false
	}
	for ; at < end; at++ {
		dst = append(dst, x.value(x.values.at(int(at))))
	}
	return dst, true
}
