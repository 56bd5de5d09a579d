//go:build !purego

package bytepack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// row decodes count blocks of n values from block on and returns how many it decoded. n is a
// multiple of step unless count is 1.
func row(dst []uint32, s *format.Sequence, block, count, n int, sel []byte, docs bool) int {
	if simd.Level() == simd.Portable || count <= 0 || n <= 0 || sel != nil && len(sel) < count*SelectorBytes(n) {
		return 0
	}
	d := &dst[:count*((n+step-1)&^(step-1))][0]
	if docs {
		return docsRowAVX2(d, (*byte)(unsafe.Pointer(s)), block, count, n, unsafe.SliceData(sel), &tables[0])
	}
	return freqsRowAVX2(d, (*byte)(unsafe.Pointer(s)), block, count, n, unsafe.SliceData(sel), &tables[0])
}

// packVectors begins Pack: it returns how many values it packed and the bytes that they take.
func packVectors(sel, data []byte, v []uint32) (n, used int) {
	n = len(v) &^ 7
	if n == 0 || simd.Level() == simd.Portable {
		return 0, 0
	}
	_, _ = sel[n/4-1], data[4*n-1]
	return n, packAVX2(&sel[0], &data[0], &v[0], n, &tables[0])
}

// The offsets that the assembly has for the fields of a Sequence; a difference does not compile.
const (
	_ = -unsafe.Offsetof(format.Sequence{}.Payload)
	_ = 24 - unsafe.Offsetof(format.Sequence{}.Ends)
	_ = unsafe.Offsetof(format.Sequence{}.Ends) - 24
	_ = 48 - unsafe.Offsetof(format.Sequence{}.Last)
	_ = unsafe.Offsetof(format.Sequence{}.Last) - 48
	_ = 72 - unsafe.Offsetof(format.Sequence{}.N)
	_ = unsafe.Offsetof(format.Sequence{}.N) - 72
)

// Tables of the assembly, aligned to cache lines:
//
//	short   256 byte shuffles of 32 bytes: eight values of one byte, or of two where
//	        the bit is set, from the 16 bytes that both halves of a register hold
//	quad    256 byte shuffles of 16 bytes: four values by their selectors
//	length  256 bytes: how many bytes four values take by their selectors
//	pack    256 byte shuffles of 16 bytes: the bytes of four values moved together
//
// A shuffle writes a zero where its byte is 0x80.
const (
	shortTable  = 0
	quadTable   = shortTable + 256*32
	lengthTable = quadTable + 256*16
	packTable   = lengthTable + 256
	tablesSize  = packTable + 256*16
)

var tables = newTables()

func newTables() []byte {
	t := make([]byte, tablesSize+64)
	t = t[-uintptr(unsafe.Pointer(&t[0]))&63:][:tablesSize]
	for i := range t {
		t[i] = 0x80
	}
	for key := range 256 {
		at := byte(0)
		for v := range 8 {
			for b := range 1 + key>>v&1 {
				t[shortTable+32*key+4*v+b] = at
				at++
			}
		}
		at = 0
		for v := range 4 {
			for b := range 1 + key>>(2*v)&3 {
				t[quadTable+16*key+4*v+b] = at
				t[packTable+16*key+int(at)] = byte(4*v + b)
				at++
			}
		}
		t[lengthTable+key] = at
	}
	return t
}
