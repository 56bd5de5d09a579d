package bytepack

import "github.com/pinion-index/pinion/format/codec/bitpack"

func unpack(dst []uint32, sel, data []byte, n int) bool { return unpackPortable(dst, sel, data, n) }

func unpackFreqs(dst []uint32, sel, data []byte, n int) bool {
	ok := unpackPortable(dst, sel, data, n)
	for i := range dst[:n] {
		dst[i]++
	}
	return ok
}

func unpackDocs(dst []uint32, sel, data []byte, n int, prev uint32) bool {
	ok := unpackPortable(dst, sel, data, n)
	bitpack.PrefixSum(dst[:n], prev)
	return ok
}
