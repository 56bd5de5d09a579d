//go:build !purego

package regress

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/simd"
)

// addVectors processes the first elements of Add with vector instructions. It returns
// their number, and whether they are valid.
func (l Local) addVectors(v []uint32, prev uint32) (n int, ok bool) {
	n = len(v) &^ 7
	if n == 0 || simd.Level() == simd.Portable {
		return 0, true
	}
	return n, addAVX2(&v[0], n, (*uint32)(unsafe.Pointer(&l)), prev)
}
