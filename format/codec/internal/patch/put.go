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
		for i := range uint(4) {
			w.Put(uint32(t.bitmap[i/2]>>(i%2*32)), 32)
		}
	} else {
		w.PutFields(t.positions[:p.Count], positionBits)
	}
	w.PutFields(t.overflows[:p.Count], p.Over)
}

// taken are the exceptions of a block, taken out of its values.
type taken struct {
	positions, overflows [bitmapBits]uint32 // overflows less one
	bitmap               [2]uint64
}

// split takes those of 1 to 128 values out that need more than width bits, at most 31.
func (t *taken) split(v []uint32, width uint) {
	if worthVectors(len(v)) {
		t.bitmap = aboveVectors(v, 1<<(width&31))
	} else {
		t.bitmap = above(v, 1<<(width&31))
	}
	n := uint(0)
	for half, set := range t.bitmap {
		for ; set != 0; set &= set - 1 {
			i := uint(64*half + bits.TrailingZeros64(set))
			t.positions[n%bitmapBits] = uint32(i)
			t.overflows[n%bitmapBits] = v[i]>>(width&31) - 1
			n++
		}
	}
}

// above returns a bitmap of those of 1 to 128 values that are at least least, 1 or more.
func above(v []uint32, least uint32) (bitmap [2]uint64) {
	limit := uint64(least) - 1
	for half := range bitmap {
		first := min(64*half, len(v))
		set := uint64(0)
		for i := min(first+64, len(v)) - 1; i >= first; i-- { // without branches
			set = set<<1 | (limit-uint64(v[i]))>>63
		}
		bitmap[half] = set
	}
	return bitmap
}
