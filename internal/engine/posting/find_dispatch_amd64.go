//go:build !purego

package posting

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/simd"
)

func find(docs []uint32, i int, chunk *[ChunkLen]uint32, first int, kept []uint32, at []uint64) (found, next int) {
	if simd.Level() < simd.AVX2 {
		return findPortable(docs, i, chunk, first, kept, at)
	}
	return findAVX2(unsafe.SliceData(docs), i, len(docs), chunk, first, unsafe.SliceData(kept), unsafe.SliceData(at))
}
