//go:build !amd64 || purego

package bitpack

func packBlock(dst []byte, v []uint32, width uint) { packPortable(dst, v, width) }

func unpackBlock(dst *[BlockLen]uint32, src []byte, width uint) { plainPortable(dst, src, width) }

func freqsBlock(dst *[BlockLen]uint32, src []byte, width uint) { freqsPortable(dst, src, width) }

func docsBlock(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	docsPortable(dst, src, width, prev)
}

func or(v []uint32) uint32 { return orPortable(v) }

func prefixSum(v []uint32, prev uint32) { sumPortable(v, prev) }

func gapsOf(gaps, docs []uint32, prev uint32) (uint32, bool) { return gapsPortable(gaps, docs, prev) }

func lessOne(dst, v []uint32) (uint32, bool) { return lessOnePortable(dst, v) }
