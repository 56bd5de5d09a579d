//go:build !amd64 || purego

package patch

func unpack(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less uint32) bool {
	return unpackPortable(dst, n, src, low, bit, p, pos, less)
}

func unpackFreqs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less uint32) bool {
	return unpackFreqsPortable(dst, n, src, low, bit, p, pos, less)
}

func unpackDocs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less, prev uint32) bool {
	return unpackDocsPortable(dst, n, src, low, bit, p, pos, less, prev)
}

func fields(dst []uint32, src []byte, bit, width uint, n int) {
	fieldsPortable(dst, src, bit, width, n)
}

func listedFreqs(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32) bool {
	return listedFreqsPortable(dst, n, src, width, positions, overflows)
}

func listedDocs(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32, prev uint32) bool {
	return listedDocsPortable(dst, n, src, width, positions, overflows, prev)
}

func exceed(count *[33]uint32, v []uint32, full uint) uint32 { return exceedPortable(count, v, full) }

func (e *exceptions) split(v []uint32, width uint) { e.splitPortable(v, width) }
