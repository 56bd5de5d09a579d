//go:build !purego

package bitpack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
)

// The assembly reads 32 bytes past a packed block and writes 128 values. width is
// 0 to 32.

//go:noescape
func docsAVX2(dst *uint32, src *byte, width uint, prev uint32)

//go:noescape
func docsAVX512(dst *uint32, src *byte, width uint, prev uint32)

//go:noescape
func plainAVX2(dst *uint32, src *byte, width uint)

//go:noescape
func freqsAVX2(dst *uint32, src *byte, width uint)

//go:noescape
func packAVX2(dst *byte, src *uint32, width uint)

// The block functions decode block of s, of 128 or 256 values, or return false
// without having read beyond s: see DocsBlock.

//go:noescape
func docsBlock128AVX2(dst *uint32, s *codec.Sequence, block int) bool

//go:noescape
func docsBlock128AVX512(dst *uint32, s *codec.Sequence, block int) bool

//go:noescape
func docsBlock256AVX2(dst *uint32, s *codec.Sequence, block int) bool

//go:noescape
func docsBlock256AVX512(dst *uint32, s *codec.Sequence, block int) bool

//go:noescape
func freqsBlock128AVX2(dst *uint32, s *codec.Sequence, block int) bool

//go:noescape
func freqsBlock256AVX2(dst *uint32, s *codec.Sequence, block int) bool

// The run functions decode blocks from block on, count of them, and return how many
// they did: see DocsRun. count is at least 1.

//go:noescape
func docsRun128AVX2(dst *uint32, s *codec.Sequence, block, count int) int

//go:noescape
func docsRun128AVX512(dst *uint32, s *codec.Sequence, block, count int) int

//go:noescape
func docsRun256AVX2(dst *uint32, s *codec.Sequence, block, count int) int

//go:noescape
func docsRun256AVX512(dst *uint32, s *codec.Sequence, block, count int) int

//go:noescape
func freqsRun128AVX2(dst *uint32, s *codec.Sequence, block, count int) int

//go:noescape
func freqsRun256AVX2(dst *uint32, s *codec.Sequence, block, count int) int

// The offsets that the functions above have for a Sequence; a difference does not
// compile.
const (
	_ = -unsafe.Offsetof(codec.Sequence{}.Payload)
	_ = 24 - unsafe.Offsetof(codec.Sequence{}.Ends)
	_ = unsafe.Offsetof(codec.Sequence{}.Ends) - 24
	_ = 48 - unsafe.Offsetof(codec.Sequence{}.Last)
	_ = unsafe.Offsetof(codec.Sequence{}.Last) - 48
	_ = 72 - unsafe.Offsetof(codec.Sequence{}.N)
	_ = unsafe.Offsetof(codec.Sequence{}.N) - 72
)
