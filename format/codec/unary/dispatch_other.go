package unary

func positions(dst []uint32, src []byte, from uint, n int) bool {
	return positionsPortable(dst, src, from, n)
}

func addSums(dst, p []uint32, width uint) { addSumsPortable(dst, p, width) }

func addNumbers(dst, p []uint32, width uint) bool { return addNumbersPortable(dst, p, width) }
