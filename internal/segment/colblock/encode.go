package colblock

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Encoder makes the blocks of a column, document by document.
type Encoder struct {
	n       int // documents of the block
	docs    int // those with a value
	present [Words]uint64
	values  []int64  // of all documents
	ends    []uint32 // where those of each document with a value end, if one has several

	room  []int64
	nums  []uint64
	bytes []byte // of Check
}

// Docs returns the number of documents that the next block has so far.
func (x *Encoder) Docs() int { return x.n }

// Values returns the number of values that it has so far.
func (x *Encoder) Values() int { return len(x.values) }

// several reports whether a document has several values.
func (x *Encoder) several() bool { return len(x.values) > x.docs }

// Add adds the values of the next document, in any order. A block has at most Docs documents.
func (x *Encoder) Add(values ...int64) {
	i, several := x.n, x.several()
	x.n++
	if len(values) == 0 {
		return
	}
	x.present[i/64] |= 1 << (i % 64)
	if len(values) > 1 {
		x.room = append(x.room[:0], values...)
		slices.Sort(x.room)
		values = slices.Compact(x.room)
	}
	x.values = append(x.values, values...)
	x.docs++
	if several || len(values) > 1 {
		if !several {
			x.beginEnds(x.docs - 1)
		}
		x.ends = append(x.ends, uint32(len(x.values)))
	}
}

// AddAll adds what documents from up to, but not including, to of v have as the next documents.
func (x *Encoder) AddAll(v *Values, from, to int) {
	several, docs, base := x.several(), x.docs, len(x.values)
	first := uint32(0) // value of them
	x.docs += addBits(&x.present, x.n, &v.Present, from, to)
	x.n += to - from
	switch {
	case v.Ends != nil:
		if from > 0 {
			first = v.Ends[from-1]
		}
		x.values = append(x.values, v.Numbers[first:v.Ends[to-1]]...)
	case x.docs-docs == to-from:
		x.values = append(x.values, v.Numbers[from:to]...)
	default:
		for i := from; i < to; i = i&^63 + 64 {
			w, at := bitsAt(&v.Present, i, min(to, i&^63+64)), i
			for ; w != 0; w &= w - 1 {
				x.values = append(x.values, v.Numbers[at+bits.TrailingZeros64(w)])
			}
		}
	}
	if !several && !x.several() {
		return
	}
	if !several {
		x.beginEnds(docs)
	}
	if v.Ends == nil {
		for range x.docs - docs {
			base++
			x.ends = append(x.ends, uint32(base))
		}
		return
	}
	for i := from; i < to; i++ {
		if v.Present[i/64]>>(i%64)&1 != 0 {
			x.ends = append(x.ends, uint32(base)+v.Ends[i]-first)
		}
	}
}

// beginEnds sets where the values of the first documents with one value each end.
func (x *Encoder) beginEnds(docs int) {
	x.ends = x.ends[:0]
	for i := range uint32(docs) {
		x.ends = append(x.ends, i+1)
	}
}

// bitsAt returns bits lo up to, but not including, hi, which are at most 64.
func bitsAt(b *[Words]uint64, lo, hi int) uint64 {
	w := b[lo/64] >> (lo % 64)
	if lo%64 > 0 && hi > lo&^63+64 {
		w |= b[lo/64+1] << (64 - lo%64)
	}
	if hi-lo < 64 {
		w &= 1<<(hi-lo) - 1
	}
	return w
}

// addBits adds bits lo up to, but not including, hi of b to dst, from bit at on, where it has none,
// and returns how many of them are set.
func addBits(dst *[Words]uint64, at int, b *[Words]uint64, lo, hi int) (n int) {
	for lo < hi {
		next := min(hi, lo+64-at%64) // fills a word of dst
		w := bitsAt(b, lo, next)
		dst[at/64] |= w << (at % 64)
		n += bits.OnesCount64(w)
		at, lo = at+next-lo, next
	}
	return n
}

// AppendBlock appends the block of the documents that were added to dst, and returns its entry
// without an offset. It begins the next one.
func (x *Encoder) AppendBlock(dst []byte) ([]byte, Entry) {
	e := x.entry()
	if e.Docs > 0 {
		dst = x.choose(dst, &e)
	}
	x.reset()
	return dst, e
}

// reset begins the next block.
func (x *Encoder) reset() {
	x.n, x.docs = 0, 0
	x.values = x.values[:0]
	clear(x.present[:])
}

// entry returns what is said of the values, but their form.
func (x *Encoder) entry() Entry {
	e := Entry{Docs: uint16(x.docs), Values: uint32(len(x.values))}
	if e.Docs > 0 {
		e.Min, e.Max = limits(x.values)
		e.Gcd = x.gcd(e.Min)
		e.Width = uint8(bits.Len64(e.Span()))
	}
	return e
}

// limits returns the least and the greatest of v.
func limits(v []int64) (least, most int64) {
	least, most = v[0], v[0]
	for _, x := range v {
		least, most = min(least, x), max(most, x)
	}
	return least, most
}

// choose appends the block in the form that suits it, which it sets.
func (x *Encoder) choose(dst []byte, e *Entry) []byte {
	if x.docs == x.n && !x.several() && e.Width > 0 {
		e.Form = Ascend
		if x.values[0] > x.values[len(x.values)-1] {
			e.Form = Descend
		}
		if b, ok := x.appendSorted(dst, e); ok && int64(len(b)-len(dst)) < packedSize(x.n, uint(e.Width)) {
			return b
		}
	}
	e.Form = Slots
	if x.several() || 2*x.docs < x.n {
		e.Form = Dense
	}
	dst, _ = x.append(dst, e)
	return dst
}

// append appends the block in the form of e, and reports whether it can have that.
func (x *Encoder) append(dst []byte, e *Entry) ([]byte, bool) {
	if e.Form >= Ascend {
		return x.appendSorted(dst, e)
	}
	if x.docs < x.n {
		for _, w := range x.present[:(x.n+63)/64] {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	if e.Form == Dense && x.several() {
		dst = x.appendCounts(dst)
	}
	x.offsets(e)
	if e.Form == Slots && x.docs < x.n && !x.several() {
		x.spread()
	}
	return appendPacked(dst, x.nums, uint(e.Width)), e.Form == Dense || !x.several()
}

// offsets sets nums to what stands for the values.
func (x *Encoder) offsets(e *Entry) {
	x.nums = slices.Grow(x.nums[:0], max(Docs, len(x.values)))[:len(x.values)]
	least, gcd, nums := uint64(e.Min), e.Gcd, x.nums
	if gcd == 1 {
		for i, v := range x.values {
			nums[i] = uint64(v) - least
		}
		return
	}
	by := newDivisor(gcd)
	for i, v := range x.values {
		nums[i] = by.quotient(uint64(v) - least)
	}
}

// spread moves the nums of the documents with a value to their slots. Others have 0.
func (x *Encoder) spread() {
	k := len(x.nums)
	x.nums = x.nums[:x.n]
	for i := x.n - 1; i >= 0; i-- {
		if x.present[i/64]>>(i%64)&1 != 0 {
			k--
			x.nums[i] = x.nums[k]
		} else {
			x.nums[i] = 0
		}
	}
}

// Check is Read, and reports whether b, the block that Open was called with, is what these values
// are in the form of x, and its entry what they say.
func (x *Block) Check(b []byte, enc *Encoder, values *Values) bool {
	if !x.Read(values) {
		return false
	}
	if x.Docs == 0 {
		return len(b) == 0
	}
	if !values.ascend() {
		return false
	}
	enc.reset()
	enc.AddAll(values, 0, x.N)
	e := enc.entry()
	e.Form, e.Offset = x.Form, x.Offset
	var again []byte
	again, ok := enc.append(enc.bytes[:0], &e)
	enc.bytes = again
	return ok && e == x.Entry && bytes.Equal(again, b)
}

// ascend reports whether the values of each document do.
func (v *Values) ascend() bool {
	begin := uint32(0)
	for _, end := range v.Ends {
		for i := begin + 1; i < end; i++ {
			if v.Numbers[i-1] >= v.Numbers[i] {
				return false
			}
		}
		begin = end
	}
	return true
}

// gcd returns the greatest common divisor of the values' distances from least, 1 if all are 0.
func (x *Encoder) gcd(least int64) uint64 {
	g, by := uint64(0), divisor{}
	for _, v := range x.values {
		d := uint64(v) - uint64(least)
		if d == 0 || g != 0 && by.divides(d) {
			continue
		}
		for d != 0 {
			g, d = d, g%d
		}
		if g == 1 {
			break
		}
		by = newDivisor(g)
	}
	return max(g, 1)
}

// countsHead returns the bytes before the counts of that many documents: for each 128 of them, u32
// how many values are before theirs; and the width of a count.
func countsHead(docs int) int64 { return int64(docs+row-1)/row*4 + 1 }

// appendCounts appends how many values each document that has any has, less one.
func (x *Encoder) appendCounts(dst []byte) []byte {
	before, most := uint32(0), uint64(0)
	x.nums = x.nums[:0]
	for i, end := range x.ends {
		if i%row == 0 {
			dst = binary.LittleEndian.AppendUint32(dst, before)
		}
		n := uint64(end - before - 1)
		x.nums, most, before = append(x.nums, n), max(most, n), end
	}
	width := bits.Len64(most)
	return appendPacked(append(dst, byte(width)), x.nums, uint(width))
}
