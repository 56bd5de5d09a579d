package patch

import (
	"encoding/binary"
	"unsafe"
)

// Words returns the 4-byte words that bits take.
func Words(bits uint) uint { return (bits + 31) / 32 }

// Get returns the field of width bits, 0 to 32, at bit of src. The words that the
// field touches must lie within src.
func Get(src []byte, bit, width uint) uint32 {
	if width == 0 {
		return 0
	}
	at, shift := bit/32*4, bit%32
	x := uint64(binary.LittleEndian.Uint32(src[at:]))
	if shift+width > 32 {
		x |= uint64(binary.LittleEndian.Uint32(src[at+4:])) << 32
	}
	return uint32(x>>shift) & uint32(uint64(1)<<width-1)
}

// Fields reads n fields of width bits, 0 to 32, from bit on to dst, which must have n
// elements rounded up to a multiple of 16, and of which those from n on may be
// overwritten. The words that the fields touch must lie within src.
func Fields(dst []uint32, src []byte, bit, width uint, n int) {
	fields(dst[:(n+15)&^15], src, bit, width, n)
}

func fieldsPortable(dst []uint32, src []byte, bit, width uint, n int) {
	d, ok := start(src)
	if !ok {
		for i := range dst[:n] {
			dst[i] = Get(src, bit, width)
			bit += width
		}
		return
	}
	mask := fieldMask(width)
	for i := range dst[:n] {
		dst[i] = uint32(peek(d, bit) & mask)
		bit += width
	}
}

// start returns where src begins; ok is false where fewer than 8 bytes of memory follow
// src, so that peek may not be used for every field in it.
func start(src []byte) (d unsafe.Pointer, ok bool) {
	return unsafe.Pointer(unsafe.SliceData(src)), cap(src)-len(src) >= 8
}

// peek returns 57 bits and more from bit on.
func peek(d unsafe.Pointer, bit uint) uint64 {
	return *(*uint64)(unsafe.Add(d, bit>>3)) >> (bit & 7)
}

// fieldMask masks a field of width bits, 0 to 32.
func fieldMask(width uint) uint64 { return 1<<(width&63) - 1 }

// Writer appends bit fields to a slice of bytes.
type Writer struct {
	Dst []byte // complete words; the rest is in the writer until Flush
	acc uint64
	n   uint
}

// Put appends the low width bits of v, 0 to 32 of them.
func (w *Writer) Put(v uint32, width uint) {
	w.acc |= uint64(v) & (1<<width - 1) << w.n
	w.n += width
	if w.n >= 32 {
		w.Dst = binary.LittleEndian.AppendUint32(w.Dst, uint32(w.acc))
		w.acc >>= 32
		w.n -= 32
	}
}

// PutFields appends the low width bits, 0 to 32, of every v.
func (w *Writer) PutFields(v []uint32, width uint) {
	dst, acc, n := w.Dst, w.acc, w.n
	mask := uint64(1)<<width - 1
	for width <= 8 && len(v) > 3 { // four at a time
		four := uint64(v[0])&mask | uint64(v[1])&mask<<width | (uint64(v[2])&mask|uint64(v[3])&mask<<width)<<(2*width)
		acc |= four << n
		v, n = v[4:], n+4*width
		if n >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(acc))
			acc >>= 32
			n -= 32
		}
	}
	for width <= 16 && len(v) > 1 { // two at a time
		acc |= (uint64(v[0])&mask | uint64(v[1])&mask<<width) << n
		v, n = v[2:], n+2*width
		if n >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(acc))
			acc >>= 32
			n -= 32
		}
	}
	for _, x := range v {
		acc |= uint64(x) & mask << n
		n += width
		if n >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(acc))
			acc >>= 32
			n -= 32
		}
	}
	w.Dst, w.acc, w.n = dst, acc, n
}

// Flush pads with zero bits to a whole word and returns Dst.
func (w *Writer) Flush() []byte {
	if w.n > 0 {
		w.Dst = binary.LittleEndian.AppendUint32(w.Dst, uint32(w.acc))
	}
	w.acc, w.n = 0, 0
	return w.Dst
}

// Low returns value i of those that package bitpack packed with width bits in src.
func Low(src []byte, width, i uint) uint32 {
	if width == 0 {
		return 0
	}
	bit := i / 4 * width
	at, shift := bit/32*16+i%4*4, bit%32
	x := uint64(binary.LittleEndian.Uint32(src[at:]))
	if shift+width > 32 {
		x |= uint64(binary.LittleEndian.Uint32(src[at+16:])) << 32
	}
	return uint32(x>>shift) & uint32(uint64(1)<<width-1)
}
