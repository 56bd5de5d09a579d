package colblock

import (
	"math/bits"
	"slices"
)

// Values are all values of a block.
type Values struct {
	// Present are the documents with a value.
	Present [Words]uint64
	// Numbers has one for each document, 0 where there is no value. If Ends is not nil, it has
	// all values, document after document, ascending in each.
	Numbers []int64
	// Ends are where the values of each document end in Numbers. Nil unless a document has
	// several.
	Ends []uint32
}

// Read sets dst to the values of x, and reports whether they are there.
func (x *Block) Read(dst *Values) bool {
	room := dst.Ends
	dst.Ends = nil
	if !x.Present(&dst.Present) {
		return false
	}
	n := x.N
	if x.several() {
		n = int(x.Values)
	}
	dst.Numbers = slices.Grow(dst.Numbers[:0], n)[:n]
	switch {
	case x.Docs == 0:
		clear(dst.Numbers)
	case x.Form >= Ascend:
		x.readSorted(dst.Numbers)
	case x.Form == Slots:
		x.readSlots(dst)
	case x.several():
		x.readValues(dst.Numbers)
		dst.Ends = room
		return x.readEnds(dst)
	default:
		x.spread(dst)
	}
	return true
}

// readValues decodes the packed values in their order.
func (x *Block) readValues(dst []int64) {
	if x.Width > 32 {
		x.values.each(func(first int, v []uint64) {
			for i, off := range v {
				dst[first+i] = x.value(off)
			}
		})
		return
	}
	var v [row]uint32
	least, gcd := uint64(x.Min), x.Gcd
	for r := 0; r*row < x.values.n; r++ {
		n := x.values.row32(&v, r)
		to := dst[r*row : r*row+n]
		if gcd == 1 {
			for i := range to {
				to[i] = int64(least + uint64(v[i&(row-1)]))
			}
			continue
		}
		for i := range to {
			to[i] = int64(least + uint64(v[i&(row-1)])*gcd)
		}
	}
}

func (x *Block) readSlots(dst *Values) {
	x.readValues(dst.Numbers)
	if x.bitmap == nil {
		return
	}
	for i, w := range dst.Present[:(x.N+63)/64] {
		for w = ^w; w != 0; w &= w - 1 {
			doc := i*64 + bits.TrailingZeros64(w)
			if doc >= x.N {
				break
			}
			dst.Numbers[doc] = 0
		}
	}
}

// spread decodes values of the documents that have one.
func (x *Block) spread(dst *Values) {
	var room [Docs]int64
	v := room[:x.Docs]
	x.readValues(v)
	if x.bitmap == nil {
		copy(dst.Numbers, v)
		return
	}
	clear(dst.Numbers)
	k := 0
	for i, w := range dst.Present {
		for ; w != 0; w &= w - 1 {
			dst.Numbers[i*64+bits.TrailingZeros64(w)] = v[k]
			k++
		}
	}
}

// readEnds decodes where the values of each document end.
func (x *Block) readEnds(dst *Values) bool {
	dst.Ends = slices.Grow(dst.Ends[:0], x.N)[:x.N]
	var counts [row]uint32
	end, k := uint64(0), 0
	for i := range dst.Ends {
		if dst.Present[i/64]>>(i%64)&1 != 0 {
			if k%row == 0 {
				x.counts.row32(&counts, k/row)
			}
			end += uint64(counts[k%row]) + 1
			k++
		}
		dst.Ends[i] = uint32(end)
		if end > uint64(x.Values) {
			return false
		}
	}
	return end == uint64(x.Values)
}

func (x *Block) readSorted(dst []int64) {
	var v [row]uint64
	at, step := uint64(x.Min), x.Gcd
	if x.Form == Descend {
		at, step = uint64(x.Max), -step
	}
	for r := range x.sorted.widths {
		n := x.sorted.row(&v, r)
		for i, off := range v[:n] {
			dst[r*row+i] = int64(at + off*step)
		}
	}
}
