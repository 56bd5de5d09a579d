//go:build !amd64 || purego

package unary

func positions(dst []uint32, src []byte, from uint, n int) bool {
	return positionsPortable(dst, src, from, n)
}

func addSums(dst, p []uint32, n int, width uint) { addSumsPortable(dst, p, n, width) }

func addNumbers(dst, p []uint32, n int, width uint) uint32 {
	return addNumbersPortable(dst, p, n, width)
}

func join(dst, p []uint32, n int, width uint, base uint32) bool {
	return joinPortable(dst, p, n, width, base)
}

func differ(dst, p []uint32, n int, width uint) bool { return differPortable(dst, p, n, width) }
