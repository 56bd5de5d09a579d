//go:build !purego

package patch

import (
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/simd"
)

// widthTable says where the values of one width lie, for the assembly.
type widthTable struct {
	mask, thirtyTwo uint32
	// Each step unpacks four rows, in the order 0, 2, 1, 3.
	steps [8]struct {
		offset [4]uint16   // byte of the vector in which the row begins
		shift  [4][4]uint8 // bit of the word in which it does, for each lane
	}
}

var widthTables = func() (t [bitpack.MaxWidth + 1]widthTable) {
	for b := range t {
		t[b].mask, t[b].thirtyTwo = uint32(1<<b-1), 32
		for step := range t[b].steps {
			s := &t[b].steps[step]
			for i, row := range [4]int{0, 2, 1, 3} {
				bit := (4*step + row) * b
				s.offset[i] = uint16(bit / 32 * bitpack.VectorSize)
				for lane := range s.shift[i] {
					s.shift[i][lane] = uint8(bit % 32)
				}
			}
		}
	}
	return t
}()

// wideTable is widthTable for AVX-512: for each step, the quadwords of the vectors in
// which its rows begin, counted from the byte at which the first does.
type wideTable [8]struct {
	quads  [8]uint8
	offset uint16
	_      [6]byte
}

var wideTables = func() (t [bitpack.MaxWidth + 1]wideTable) {
	for b := range t {
		for step := range t[b] {
			s, first := &t[b][step], 4*step*b/32
			s.offset = uint16(first * bitpack.VectorSize)
			for i := range s.quads {
				s.quads[i] = uint8(2*((4*step+i/2)*b/32-first) + i%2)
			}
		}
	}
	return t
}()

// ranks has, for each byte of a bitmap, the shuffle that brings the next numbers to the
// bits that are set, and zero to the others.
var ranks = func() (t [256][8]byte) {
	for m := range t {
		for i := range t[m] {
			t[m][i] = 0x80
			if m>>i&1 != 0 {
				t[m][i] = byte(bits.OnesCount(uint(m) & (1<<i - 1)))
			}
		}
	}
	return t
}()

// vectors reports whether blocks in src can be unpacked with vectors.
func vectors(src []byte) bool {
	return simd.Level() >= simd.AVX2 && cap(src)-len(src) >= format.ReadablePadding
}

// wide reports whether the block in src can be unpacked with AVX-512: the exceptions must be
// those of newpfd.
func (l *layout) wide(src []byte, k kind) bool {
	return simd.Level() >= simd.AVX512 && k != plain && l.plus == 1 &&
		(l.pos == asBitmap || l.pos == positionBits && l.Count <= ListMax) &&
		cap(src)-len(src) >= format.ReadablePadding
}

// unpackWide is unpack with AVX-512.
func (l *layout) unpackWide(dst *[bitpack.BlockLen]uint32, n int, src []byte, k kind, prev uint32) bool {
	from := unsafe.Pointer(unsafe.SliceData(src))
	low, tab := (*byte)(unsafe.Add(from, l.low)), (*byte)(unsafe.Pointer(&wideTables[l.Width]))
	if k == docs {
		return docsAVX512(&dst[0], (*byte)(from), low, tab, uint64(l.bit), uint64(l.Count), uint64(l.Over), uint64(asBitmap-l.pos), uint64(n), uint32(l.Width), prev)
	}
	return freqsAVX512(&dst[0], (*byte)(from), low, tab, uint64(l.bit), uint64(l.Count), uint64(l.Over), uint64(asBitmap-l.pos), uint64(n), uint32(l.Width), 0)
}

// unpackVectors is unpack for a block with a bitmap and overflows of at most octetBits bits.
func (l *layout) unpackVectors(dst *[bitpack.BlockLen]uint32, n int, src []byte, d source, k kind, prev uint32) bool {
	var e exceptions
	e.lo, e.hi = d.at64(l.bit), d.at64(l.bit+64)
	last := bits.Len64(e.lo)
	if e.hi != 0 {
		last = 64 + bits.Len64(e.hi)
	}
	if last > n || uint(bits.OnesCount64(e.lo)+bits.OnesCount64(e.hi)) != l.Count {
		return false
	}
	e.overflows.read(d, l.bit+bitmapBits, l.Over, l.Count, uint(l.plus))
	e.unpack(dst, n, unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), l.low), l.Width, k, prev)
	return true
}

// exceptions are the overflows of a block and a bitmap of the values that have one.
type exceptions struct {
	overflows octets
	_         uint64 // read with the last overflows
	lo, hi    uint64
}

func (e *exceptions) unpack(dst *[bitpack.BlockLen]uint32, n int, low unsafe.Pointer, width uint, k kind, prev uint32) {
	tab, ranks := (*byte)(unsafe.Pointer(&widthTables[width])), (*byte)(unsafe.Pointer(&ranks))
	over := (*byte)(unsafe.Pointer(&e.overflows))
	steps := uint32(n+15) / 16
	switch k {
	case docs:
		docsAVX2(&dst[0], (*byte)(low), tab, ranks, over, e.lo, e.hi, uint32(width), prev, steps)
	case freqs:
		freqsAVX2(&dst[0], (*byte)(low), tab, ranks, over, e.lo, e.hi, uint32(width), 0, steps)
	default:
		plainAVX2(&dst[0], (*byte)(low), tab, ranks, over, e.lo, e.hi, uint32(width), 0, steps)
	}
}

// leastVectors is the number of values from which on it pays to fill a block up with zeros,
// which are never exceptions, and to encode it with vectors.
const leastVectors = 64

// worthVectors reports whether n values are encoded with vectors.
func worthVectors(n int) bool { return n >= leastVectors && simd.Level() >= simd.AVX2 }

// exceedVectors is exceed for full below 32.
func exceedVectors(count *[33]uint32, v []uint32, full uint) (most uint32) {
	if len(v) < bitpack.BlockLen {
		return exceedShort(count, v, full)
	}
	return exceedAVX2(&count[0], unsafe.SliceData(v), uint64(full))
}

//go:noinline
func exceedShort(count *[33]uint32, v []uint32, full uint) (most uint32) {
	var block [bitpack.BlockLen]uint32
	copy(block[:], v)
	return exceedAVX2(&count[0], &block[0], uint64(full))
}

// aboveVectors is above for up to 128 values.
func aboveVectors(v []uint32, least uint32) (lo, hi uint64) {
	if len(v) < bitpack.BlockLen {
		return aboveShort(v, least)
	}
	return aboveAVX2(unsafe.SliceData(v), least)
}

//go:noinline
func aboveShort(v []uint32, least uint32) (lo, hi uint64) {
	var block [bitpack.BlockLen]uint32
	copy(block[:], v)
	return aboveAVX2(&block[0], least)
}
