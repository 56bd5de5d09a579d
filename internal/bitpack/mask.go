package bitpack

import "math/bits"

// Mask sets dst to which of the values of width bits in src are from first to last: a bit for
// each, in blocks of BlockLen values, which begin where the one before ends. dst has two words for
// each block, and src Size(BlockLen, width) bytes. Width is 0 to 32, and first is at most last. It
// is fastest if the capacity of src is format.ReadablePadding greater than that.
func Mask(dst []uint64, src []byte, width uint, first, last uint32) {
	n, size := len(dst)/2, int(width)*VectorSize
	if ready := min(n, (cap(src)-slack)/max(size, 1)); ready > 0 {
		mask(dst[:2*ready], src[:ready*size], width, first, last)
		dst, src, n = dst[2*ready:], src[ready*size:], n-ready
	}
	for range n {
		var buf [BlockLen*4 + slack]byte
		copy(buf[:], src[:size])
		mask(dst[:2], buf[:size], width, first, last)
		dst, src = dst[2:], src[size:]
	}
}

// maskPortable is Mask for blocks behind which there is slack.
func maskPortable(dst []uint64, src []byte, width uint, first, last uint32) {
	var v [BlockLen]uint32
	for i := range dst {
		if i%2 == 0 {
			unpackPortable(&v, src[i/2*int(width)*VectorSize:], width, 0)
		}
		var w uint64
		for j, x := range v[i%2*64 : i%2*64+64] {
			_, above := bits.Sub32(last-first, x-first, 0)
			w |= uint64(above^1) << j
		}
		dst[i] = w
	}
}
