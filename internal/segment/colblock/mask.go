package colblock

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// Limits returns the least and the greatest offset of values from lo to hi. ok is false if no
// value of the block can be one of them. all is true if every value is. Values are there.
func (e *Entry) Limits(lo, hi int64) (first, last uint64, all, ok bool) {
	if e.Docs == 0 || lo > hi || lo > e.Max || hi < e.Min {
		return 0, 0, false, false
	}
	last = e.Span()
	if lo > e.Min {
		d := uint64(lo) - uint64(e.Min)
		if first = d / e.Gcd; d%e.Gcd != 0 {
			first++
		}
	}
	if hi < e.Max {
		last = (uint64(hi) - uint64(e.Min)) / e.Gcd
	}
	return first, last, first == 0 && last == e.Span(), first <= last
}

// Range sets dst to the documents with a value whose offset is from first to last, and reports
// whether the block is as it must be.
func (x *Block) Range(first, last uint64, dst *[Words]uint64) bool {
	clear(dst[:])
	if x.Form >= Ascend {
		if x.Form == Descend { // offsets count from Max
			first, last = x.Span()-last, x.Span()-first
		}
		hi := x.N
		if last < x.Span() {
			hi = x.sorted.search(last + 1)
		}
		Ones(dst, x.sorted.search(first), hi)
		return true
	}
	if x.Form == Slots || !x.several() && x.bitmap == nil {
		x.values.mask(dst[:], first, last)
		if x.bitmap == nil {
			return true
		}
		var present [Words]uint64
		if !x.Present(&present) {
			return false
		}
		for i := range dst {
			dst[i] &= present[i]
		}
		return true
	}
	var room [Words]uint64
	hits := room[:]
	if n := int(x.Values+63) / 64; n > len(room) {
		hits = make([]uint64, n)
	}
	x.values.mask(hits, first, last)
	return x.deposit(dst, hits)
}

// mask sets the bits in dst, which are 0, of the numbers from first to last.
func (p packed) mask(dst []uint64, first, last uint64) {
	if p.width > 32 {
		p.maskParts(dst, first, last)
		return
	}
	whole := p.n / row
	bitpack.Mask(dst[:2*whole], p.b, p.width, uint32(first), uint32(last))
	if p.n%row > 0 {
		p.maskRow(dst, whole, uint32(first), uint32(last))
	}
}

// maskRow is mask for row r, of numbers of up to 32 bits.
func (p packed) maskRow(dst []uint64, r int, first, last uint32) {
	var v [row]uint32
	n := p.row32(&v, r)
	for i, x := range v[:n] {
		if x-first <= last-first {
			dst[2*r+i/64] |= 1 << (i % 64)
		}
	}
}

// maskParts is mask for numbers of more than 32 bits. Most are in or out by their upper parts; the
// lower ones are read of those whose upper part is that of first or last.
func (p packed) maskParts(dst []uint64, first, last uint64) {
	low, high := p.parts()
	from, to := first>>32, last>>32
	high.mask(dst, from, to)
	var room [Words]uint64
	inside := room[:]
	if len(dst) > len(room) {
		inside = make([]uint64, len(dst))
	}
	if to-from > 1 {
		high.mask(inside[:len(dst)], from+1, to-1)
	}
	for i := 0; i < len(dst); i += row / 64 {
		open, left := [row / 64]uint64{}, 0 // what the upper parts of a row leave open
		for j := range dst[i:min(i+len(open), len(dst))] {
			open[j] = dst[i+j] &^ inside[i+j]
			left += bits.OnesCount64(open[j])
		}
		switch {
		case left == 0:
			continue
		case left > fewOpen:
			drop := low.row(i/2).outside(high.row(i/2), first, last)
			for j, w := range open {
				if w &= drop[j]; w != 0 {
					dst[i+j] &^= w
				}
			}
			continue
		}
		for j, w := range open {
			for ; w != 0; w &= w - 1 {
				if p.at((i+j)*64+bits.TrailingZeros64(w))-first > last-first {
					dst[i+j] &^= w & -w
				}
			}
		}
	}
}

// fewOpen is up to how many numbers of a row are read one by one.
const fewOpen = 12

// outside returns which numbers of a row are not from first to last, if low are their lower parts and high the upper
// ones, all of which are that of first or last.
func (low packed) outside(high packed, first, last uint64) (out [row / 64]uint64) {
	from, to := uint32(first), uint32(last)
	var atFirst, atLast [row / 64]uint64 // numbers that are in if their upper part is that of first, or of last
	if first>>32 == last>>32 {
		low.mask(atFirst[:], uint64(from), uint64(to))
		return [row / 64]uint64{^atFirst[0], ^atFirst[1]}
	}
	var isFirst [row / 64]uint64
	high.mask(isFirst[:], first>>32, first>>32)
	low.mask(atFirst[:], uint64(from), math.MaxUint32)
	low.mask(atLast[:], 0, uint64(to))
	for i, is := range isFirst {
		out[i] = ^(is&atFirst[i] | ^is&atLast[i])
	}
	return out
}

// deposit sets in dst the documents that have a value whose bit is set in hits, of a block whose
// values are those of documents that have any.
func (x *Block) deposit(dst *[Words]uint64, hits []uint64) bool {
	var present [Words]uint64
	if !x.Present(&present) {
		return false
	}
	var counts [row]uint32
	k, at := 0, uint64(0)
	for i, w := range present {
		for ; w != 0; w &= w - 1 {
			n := uint64(1)
			if x.several() {
				if k%row == 0 {
					x.counts.row32(&counts, k/row)
				}
				n += uint64(counts[k%row])
				k++
			}
			if at+n > uint64(x.Values) {
				return false
			}
			if anyBit(hits, at, at+n) {
				dst[i] |= w & -w
			}
			at += n
		}
	}
	return at == uint64(x.Values)
}

// anyBit reports whether one of the bits from lo to before hi is set.
func anyBit(hits []uint64, lo, hi uint64) bool {
	for ; lo < hi; lo = lo&^63 + 64 {
		w := hits[lo/64] >> (lo % 64)
		if left := hi - lo; left < 64-lo%64 {
			w &= 1<<left - 1
		}
		if w != 0 {
			return true
		}
	}
	return false
}

// fewRuns is up to how many runs of offsets In compares values with one run after the other.
const fewRuns = 6

// In sets dst to the documents with a value whose offset is one of offs, which ascend and are not
// above Span. It reports whether the block is as it must be.
func (x *Block) In(offs []uint64, dst *[Words]uint64) bool {
	if runs(offs) <= fewRuns {
		return x.inRuns(offs, dst)
	}
	clear(dst[:])
	var room [Words]uint64
	hits := room[:]
	if n := int(x.Values+63) / 64; n > len(room) {
		hits = make([]uint64, n)
	}
	var table [1 << tableWidth / 64]uint64
	if x.Width <= tableWidth {
		for _, off := range offs {
			table[off/64] |= 1 << (off % 64)
		}
	}
	x.offsets(func(at int, v []uint64) {
		for i, off := range v {
			has := table[off/64%uint64(len(table))]>>(off%64)&1 != 0
			if x.Width > tableWidth {
				_, has = slices.BinarySearch(offs, off)
			}
			if has {
				hits[(at+i)/64] |= 1 << ((at + i) % 64)
			}
		}
	})
	switch {
	case x.Form == Dense && (x.several() || x.bitmap != nil):
		return x.deposit(dst, hits)
	case x.bitmap != nil:
		if !x.Present(dst) {
			return false
		}
		for i := range dst {
			dst[i] &= hits[i]
		}
		return true
	}
	copy(dst[:], hits)
	return true
}

// tableWidth is up to which width of offsets In makes a table of those wanted.
const tableWidth = 14

// offsets calls f for pieces of the offsets, as they lie in the block.
func (x *Block) offsets(f func(first int, v []uint64)) {
	if x.Form < Ascend {
		x.values.each(f)
		return
	}
	var v [row]uint64
	for r := range x.sorted.widths {
		n := x.sorted.row(&v, r)
		if x.Form == Descend {
			for i := range v[:n] {
				v[i] = x.Span() - v[i]
			}
		}
		f(r*row, v[:n])
	}
}

// runs returns how many runs of consecutive offsets there are, at most fewRuns+1.
func runs(offs []uint64) (n int) {
	for i, off := range offs {
		if i == 0 || off != offs[i-1]+1 {
			if n++; n > fewRuns {
				break
			}
		}
	}
	return n
}

func (x *Block) inRuns(offs []uint64, dst *[Words]uint64) bool {
	var sum, one [Words]uint64
	for i := 0; i < len(offs); {
		j := i + 1
		for j < len(offs) && offs[j] == offs[j-1]+1 {
			j++
		}
		if !x.Range(offs[i], offs[j-1], &one) {
			return false
		}
		for k := range sum {
			sum[k] |= one[k]
		}
		i = j
	}
	*dst = sum
	return true
}
