//go:build !amd64 || purego

package unary

func addSums(dst []uint32, n int, src []byte, from, width uint) bool {
	return addSumsPortable(dst, n, src, from, width)
}

func addNumbers(dst []uint32, n int, src []byte, from, width uint) bool {
	return addNumbersPortable(dst, n, src, from, width)
}

func join(dst []uint32, n int, src []byte, from, width uint, base uint32) bool {
	return joinPortable(dst, n, src, from, width, base)
}

func differ(dst []uint32, n int, src []byte, from, width uint) bool {
	return differPortable(dst, n, src, from, width)
}
