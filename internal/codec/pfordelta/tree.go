package pfordelta

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/codec/internal/patch"
)

// array is one array of a list: the values, or the offsets or overflows of another
// array's exceptions.
type array struct {
	width uint // of its fields
	count uint // width of the number of exceptions in a block; 0 in a flat array
}

// arrays returns the number of arrays in the tree of an array of the given depth and its
// exceptions. A flat array has depth 0.
func arrays(depth int) int { return 2<<depth - 1 }

// headWords returns the number of words of a list header.
func headWords(level int) int { return (1 + 2*arrays(level+1) + 3) / 4 }

// parts are the values of one array, block by block.
type parts struct {
	values []uint32
	counts []uint8 // values in each block
	price  uint    // of an exception in addition to its bits, in half bits
}

// split returns the offsets and overflows of the values of more than width bits.
func (p parts) split(width uint) (offsets, overflows parts, most uint) {
	offsets.counts, offsets.price = make([]uint8, len(p.counts)), p.price
	at := 0
	for block, n := range p.counts {
		next, count := uint32(0), uint8(0)
		for i, x := range p.values[at : at+int(n)] {
			if x>>width != 0 {
				offsets.values = append(offsets.values, uint32(i)-next)
				overflows.values = append(overflows.values, x>>width-1)
				next = uint32(i) + 1
				count++
			}
		}
		offsets.counts[block] = count
		most = max(most, uint(count))
		at += int(n)
	}
	overflows.counts, overflows.price = offsets.counts, p.price
	return offsets, overflows, most
}

// plan appends the arrays for p and, recursively, its exceptions to list, and adds the
// bits of each block to cost; the fields of the topmost array are counted elsewhere. It
// uses the width with the lowest cost in bits and the price of exceptions.
func (p parts) plan(list []array, depth int, top bool, cost []uint) []array {
	if depth == 0 {
		width := uint(bits.Len32(or(p.values)))
		for block, n := range p.counts {
			cost[block] += uint(n) * width
		}
		return append(list, array{width: width})
	}
	var best []array
	var bestCost []uint
	least := ^uint(0)
	for _, width := range estimate(p.values) {
		try, tryCost, exceptions := p.planWidth(nil, depth, top, width)
		sum := exceptions * p.price / 2
		for block, c := range tryCost {
			sum += c
			if top {
				sum += uint(p.counts[block]) * width
			}
		}
		if sum < least {
			best, bestCost, least = try, tryCost, sum
		}
	}
	for block, c := range bestCost {
		cost[block] += c
	}
	return append(list, best...)
}

// planWidth is plan for one width. It returns the number of exceptions too.
func (p parts) planWidth(list []array, depth int, top bool, width uint) ([]array, []uint, uint) {
	offsets, overflows, most := p.split(width)
	a := array{width: width, count: uint(bits.Len(most))}
	list = append(list, a)
	cost := make([]uint, len(p.counts))
	for block, n := range p.counts {
		if !top && n > 0 {
			cost[block] += uint(n)*width + a.count
		}
		if top && offsets.counts[block] > 0 {
			cost[block] += a.count
		}
	}
	list = offsets.plan(list, depth-1, false, cost)
	list = overflows.plan(list, depth-1, false, cost)
	return list, cost, uint(len(offsets.values))
}

// estimate returns up to three widths around the best width for values, assuming that an
// exception costs its overflow and 8 bits.
func estimate(values []uint32) []uint {
	var h [33]uint
	for _, x := range values {
		h[bits.Len32(x)&63]++
	}
	full := uint(bits.Len32(or(values)))
	best, least := full, uint(len(values))*full
	count, over := uint(0), uint(0)
	for b := full; b > 0; {
		b--
		count += h[b+1]
		over += count // each greater value has one more overflow bit
		if c := uint(len(values))*b + 8*count + over; c < least {
			best, least = b, c
		}
	}
	widths := []uint{best}
	if best > 0 {
		widths = append(widths, best-1)
	}
	if best < full {
		widths = append(widths, best+1)
	}
	return widths
}

func or(v []uint32) uint32 {
	var o uint32
	for _, x := range v {
		o |= x
	}
	return o
}

// put writes the exceptions of v, a block's values of the first array of list, which is
// not flat.
func put(w *patch.Writer, list []array, depth int, v []uint32) {
	a := list[0]
	var offsets, overflows [BlockLen]uint32
	count, next := 0, uint32(0)
	for i, x := range v {
		if x>>a.width != 0 {
			offsets[count], overflows[count] = uint32(i)-next, x>>a.width-1
			next = uint32(i) + 1
			count++
		}
	}
	w.Put(uint32(count), a.count)
	if count == 0 {
		return
	}
	putArray(w, list[1:], depth-1, offsets[:count])
	putArray(w, list[1+arrays(depth-1):], depth-1, overflows[:count])
}

// putArray writes a block's values of the first array of list.
func putArray(w *patch.Writer, list []array, depth int, v []uint32) {
	for _, x := range v {
		w.Put(x, list[0].width)
	}
	if depth > 0 {
		put(w, list, depth, v)
	}
}
