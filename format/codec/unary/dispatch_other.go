package unary

func positions(dst []uint32, src []byte, from uint, n int) bool {
	return positionsPortable(dst, src, from, n)
}
