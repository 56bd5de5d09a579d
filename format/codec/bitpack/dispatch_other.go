package bitpack

func or(v []uint32) uint32 { return orPortable(v) }

func pack(dst []byte, v []uint32, width uint) { packPortable(dst, v, width) }

func unpack(dst []uint32, src []byte, n int, width uint) { unpackPortable(dst, src, n, width) }

func unpackFreqs(dst []uint32, src []byte, n int, width uint) {
	unpackPortable(dst, src, n, width)
	for i := range dst {
		dst[i]++
	}
}

func unpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	unpackPortable(dst, src, n, width)
	prefixSumPortable(dst, prev)
}

func prefixSum(v []uint32, prev uint32) { prefixSumPortable(v, prev) }

func gapsOf(gaps, docs []uint32, prev uint32) (uint32, bool) { return gapsPortable(gaps, docs, prev) }

func lessOne(dst, v []uint32) (uint32, bool) { return lessOnePortable(dst, v) }
