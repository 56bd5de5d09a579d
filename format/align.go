package format

import (
	"bytes"
	"slices"
	"unsafe"
)

// Uint32s views b as little-endian 32-bit words without copying. b must be 4-byte aligned
// and its length a multiple of 4, as the alignment of sections and extents guarantees.
// Big-endian platforms are not supported (platform.go).
func Uint32s(b []byte) []uint32 {
	if len(b) < 4 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// Uint16s is like Uint32s for 16-bit words and 2-byte alignment.
func Uint16s(b []byte) []uint16 {
	if len(b) < 2 {
		return nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/2)
}

// Uint64s is like Uint32s for 64-bit words and 8-byte alignment.
func Uint64s(b []byte) []uint64 {
	if len(b) < 8 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// AlignedBytes returns a slice of n zero bytes at a 64-byte aligned address whose
// capacity exceeds n by at least ReadablePadding. It is suitable for reading an extent
// from a file that is not mapped.
func AlignedBytes(n int) []byte {
	b := make([]byte, n+ReadablePadding+64)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & 63)
	return b[off : off+n : off+n+ReadablePadding]
}

var zeros [512]byte

// NonZero returns the index of the first byte of b that is not zero, or -1.
func NonZero(b []byte) int {
	for at := 0; at < len(b); at += len(zeros) {
		if part := b[at:min(at+len(zeros), len(b))]; !bytes.Equal(part, zeros[:len(part)]) {
			return at + slices.IndexFunc(part, func(c byte) bool { return c != 0 })
		}
	}
	return -1
}

// BytesOf views words as their little-endian bytes without copying.
func BytesOf[T ~uint32 | ~uint64](words []T) []byte {
	if len(words) == 0 {
		return nil
	}
	var w T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*int(unsafe.Sizeof(w)))
}
