//go:build !amd64 || purego

package patch

func apply(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	return applyPortable(dst, n, src, bit, p, pos, less)
}

func applyFreqs(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	return applyFreqsPortable(dst, n, src, bit, p, pos, less)
}

func applyDocs(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less, prev uint32) bool {
	return applyDocsPortable(dst, n, src, bit, p, pos, less, prev)
}
