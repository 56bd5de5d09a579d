package bitpack

import "encoding/binary"

// Value returns value i of a block of values of width bits, 0 to 32, that src begins
// with. src must hold Size(i+1, width) bytes.
func Value(src []byte, i int, width uint) uint32 {
	if width == 0 {
		return 0
	}
	bit := uint(i/4) * width
	at := int(bit/32)*VectorSize + i%4*4
	x := uint64(binary.LittleEndian.Uint32(src[at:]))
	if bit%32+width > 32 {
		x |= uint64(binary.LittleEndian.Uint32(src[at+VectorSize:])) << 32
	}
	return uint32(x >> (bit % 32) & (1<<width - 1))
}
