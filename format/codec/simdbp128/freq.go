package simdbp128

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// Freq returns frequency i of the list.
func (Codec) Freq(s *codec.Sequence, i int) (uint32, error) {
	p, n, w, err := parts(s, i/BlockLen)
	if err != nil {
		return 0, err
	}
	if i%BlockLen >= n {
		return 0, codec.ErrBlock
	}
	f := bitpack.Value(p, i%BlockLen, w) + 1
	if f == 0 {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	return f, nil
}
