package patch

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
	positions, overflows [bitmapBits + 16]uint32 // overflows less one
	bitmap               [2]uint64
}

// split takes those values out that need more than width bits, in one pass without branches: every value is noted, exceptions
// are kept.
func (e *taken) split(v []uint32, width uint) {
	n := uint32(0)
	e.bitmap = [2]uint64{}
	for i, x := range v {
		over := x >> (width & 31) // below 32: there are exceptions
		is := (over | -over) >> 31
		e.positions[n&(bitmapBits-1)] = uint32(i)
		e.overflows[n&(bitmapBits-1)] = over - 1
		e.bitmap[i/64&1] |= uint64(is) << (i & 63)
		n += is
	}
}
