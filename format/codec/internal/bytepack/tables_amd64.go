//go:build !purego

package bytepack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
)

// The offsets that the assembly has for a Sequence; a difference does not compile.
const (
	_ = -unsafe.Offsetof(codec.Sequence{}.Payload)
	_ = 24 - unsafe.Offsetof(codec.Sequence{}.Ends)
	_ = unsafe.Offsetof(codec.Sequence{}.Ends) - 24
	_ = 48 - unsafe.Offsetof(codec.Sequence{}.Last)
	_ = unsafe.Offsetof(codec.Sequence{}.Last) - 48
	_ = 72 - unsafe.Offsetof(codec.Sequence{}.N)
	_ = unsafe.Offsetof(codec.Sequence{}.N) - 72
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
