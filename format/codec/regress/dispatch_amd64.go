//go:build !purego

package regress

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec/simd"
)

func add(v []uint32, l Local, prev uint32) bool {
	if len(v) == 0 {
		return true
	}
	switch simd.Level() {
	case simd.AVX512:
		return add512(&v[0], uint64(len(v)), (*uint32)(unsafe.Pointer(&l)), prev)
	case simd.AVX2:
		return addAVX2(&v[0], uint64(len(v)), (*uint32)(unsafe.Pointer(&l)), prev)
	}
	return addPortable(v, l, prev)
}
