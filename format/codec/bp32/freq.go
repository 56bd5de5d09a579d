package bp32

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format/codec"
)

// Freq returns frequency i of the list: the widths of the parts before its own say
// where that begins.
func (Codec) Freq(s *codec.Sequence, i int) (uint32, error) {
	p, n, err := s.Block(i/BlockLen, BlockLen)
	if err != nil {
		return 0, err
	}
	at := i % BlockLen
	if len(p) < header || at >= n {
		return 0, codec.ErrBlock
	}
	widths, p := p[:header], p[header:]
	for k, w := range widths {
		size := partSize(min(PartLen, n-k*PartLen), uint(w))
		if w > 32 || size > len(p) {
			return 0, codec.ErrBlock
		}
		if at >= PartLen {
			p, at = p[size:], at-PartLen
			continue
		}
		f := valueAt(p[:size], at, uint(w)) + 1
		if f == 0 {
			return 0, codec.ErrBlock // 2^32 is not a frequency
		}
		return f, nil
	}
	return 0, codec.ErrBlock
}

// valueAt returns value i of a part.
func valueAt(p []byte, i int, width uint) uint32 {
	if width == 0 {
		return 0
	}
	bit := uint(i) * width
	x := uint64(binary.LittleEndian.Uint32(p[bit/32*4:]))
	if bit%32+width > 32 {
		x |= uint64(binary.LittleEndian.Uint32(p[bit/32*4+4:])) << 32
	}
	return uint32(x >> (bit % 32) & (1<<width - 1))
}
