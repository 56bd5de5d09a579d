package bp256

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// Freq returns frequency i of the list.
func (Codec) Freq(s *codec.Sequence, i int) (uint32, error) {
	p, n, err := s.Block(i/BlockLen, BlockLen)
	if err != nil {
		return 0, err
	}
	if uint(n-1) >= BlockLen || i%BlockLen >= n {
		return 0, codec.ErrBlock
	}
	w, ok := width(len(p), n)
	if !ok {
		return 0, codec.ErrBlock
	}
	at := i % BlockLen
	if at >= half {
		p, at = p[w*bitpack.VectorSize:], at-half
	}
	f := bitpack.Value(p, at, w) + 1
	if f == 0 {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	return f, nil
}
