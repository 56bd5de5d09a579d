package patch

import "math/bits"

// PutExceptions writes the exceptions of v under the plan p.
func (w *Writer) PutExceptions(v []uint32, p Plan) {
	if p.Count == 0 {
		return
	}
	var t taken
	t.split(v, p.Width)
	if p.Count > ListMax {
		for _, x := range [4]uint32{uint32(t.lo), uint32(t.lo >> 32), uint32(t.hi), uint32(t.hi >> 32)} {
			w.Put(x, 32)
		}
	} else {
		w.PutFields(t.positions[:p.Count], positionBits)
	}
	w.PutFields(t.overflows[:p.Count], p.Over)
}

// taken are the exceptions of a block, taken out of its values.
type taken struct {
	positions, overflows [bitmapBits]uint32 // overflows less one
	lo, hi               uint64             // a bitmap of the positions
}

// split takes those of 1 to 128 values out that need more than width bits, at most 31.
func (t *taken) split(v []uint32, width uint) {
	if least := uint32(1) << (width & 31); worthVectors(len(v)) {
		t.lo, t.hi = aboveVectors(v, least)
	} else {
		t.lo, t.hi = above(v[:min(64, len(v))], least), above(v[min(64, len(v)):], least)
	}
	n := t.take(0, v, 0, t.lo, width)
	t.take(n, v, 64, t.hi, width)
}

// take takes the values from first on that have a bit in set. n have been taken before; it
// returns how many have been then.
func (t *taken) take(n uint, v []uint32, first int, set uint64, width uint) uint {
	for ; set != 0; set &= set - 1 {
		i := first + bits.TrailingZeros64(set)
		t.positions[n%bitmapBits] = uint32(i)
		t.overflows[n%bitmapBits] = v[i]>>(width&31) - 1
		n++
	}
	return n
}

// above returns a bitmap of those of up to 64 values that are at least least, 1 or more.
func above(v []uint32, least uint32) (set uint64) {
	limit := uint64(least) - 1
	for i := len(v) - 1; i >= 0; i-- { // without branches
		set = set<<1 | (limit-uint64(v[i]))>>63
	}
	return set
}
