//go:build !purego

package bitpack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
)

// The assembly reads up to 32 bytes past a packed block.

// docsAVX2 is docsPortable for widths up to widest.
//
//go:noescape
func docsAVX2(dst *uint32, src *byte, width uint, prev uint32)

// docsRunAVX2 is DocsRun for count >= 1.
//
//go:noescape
func docsRunAVX2(dst *uint32, s *format.Sequence, block, count, size int) int

// unpackAVX2 is unpackPortable.
//
//go:noescape
func unpackAVX2(dst *uint32, src *byte, width uint, plus uint32)

// freqsRunAVX2 is FreqsRun for count >= 1.
//
//go:noescape
func freqsRunAVX2(dst *uint32, s *format.Sequence, block, count, size int) int

// The offsets of the fields of a Sequence in the assembly. If they are wrong, this does
// not compile.
const (
	_ = -unsafe.Offsetof(format.Sequence{}.Payload)
	_ = 24 - unsafe.Offsetof(format.Sequence{}.Ends)
	_ = unsafe.Offsetof(format.Sequence{}.Ends) - 24
	_ = 48 - unsafe.Offsetof(format.Sequence{}.Last)
	_ = unsafe.Offsetof(format.Sequence{}.Last) - 48
	_ = 72 - unsafe.Offsetof(format.Sequence{}.N)
	_ = unsafe.Offsetof(format.Sequence{}.N) - 72
)

// widthSteps are the parameters of unpackAVX2 for a width.
type widthSteps struct {
	// A step loads 32 bits of each lane starting at two rows, which are one, two or four
	// rows apart: as many as fit in 32 bits.
	step [16]struct {
		shift [8]uint32 // bit offsets of the rows in their vectors, for each lane
		at    [2]uint32 // byte offsets of these vectors
		_     [6]uint32
	}
	mask, width, wordBits uint32
	_                     [13]uint32
}

// steps has the parameters of every width.
var steps = newSteps()

var _ = &steps // used by the assembly alone

func newSteps() *[MaxWidth + 1]widthSteps {
	var t [MaxWidth + 1]widthSteps
	for width := range t {
		w := &t[width]
		w.mask, w.width, w.wordBits = uint32(1<<width-1), uint32(width), 32
		rows := 1
		for rows < 4 && 2*rows*width <= 32 {
			rows *= 2
		}
		for i := range 32 / rows {
			s, bit := &w.step[i/2], i*rows*width
			s.at[i%2] = uint32(bit / 32 * VectorSize)
			for lane := range 4 {
				s.shift[i%2*4+lane] = uint32(bit % 32)
			}
		}
	}
	return &t
}

// packAVX2 is packPortable.
//
//go:noescape
func packAVX2(dst *byte, v *uint32, width uint)

// widest is the greatest width, in bits, that docsAVX2 supports.
const widest = 24
