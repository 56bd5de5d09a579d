package patch

import "encoding/binary"

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

// Fields reads the fields of width bits, 0 to 32, from bit on to dst, as many as it has
// elements. The words that the fields touch must lie within src.
func Fields(dst []uint32, src []byte, bit, width uint) {
	d, ok := sourceOf(src)
	if !ok {
		for i := range dst {
			dst[i] = Get(src, bit, width)
			bit += width
		}
		return
	}
	mask := fieldMask(width)
	for i := range dst {
		dst[i] = uint32(d.at(bit) & mask)
		bit += width
	}
}
