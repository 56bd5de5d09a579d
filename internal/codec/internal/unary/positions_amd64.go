//go:build !purego

package unary

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/simd"
)

// find sets the positions of the ones of src, minus from. There are at most MaxOnes.
// first is the first word of src, with the bits before from cleared.
func (p *positions) find(src []byte, first uint32, from uint) {
	if simd.Level() == simd.Portable {
		p.findGo(src, first, from)
		return
	}
	positionsAVX2(&p[0], unsafe.SliceData(src), len(src)/4, first, uint32(from), &onesOf[0])
}

// onesOf has the positions of the ones in every byte value, one byte each.
var onesOf = newOnesOf()

func newOnesOf() (t [256]uint64) {
	for b := range t {
		n := 0
		for i := range 8 {
			if b>>i&1 == 1 {
				t[b] |= uint64(i) << (8 * n)
				n++
			}
		}
	}
	return t
}
