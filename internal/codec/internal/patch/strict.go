package patch

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// Tight reports whether the exceptions at bit of src leave no bit unused: their overflows need
// as many bits as they have, none without exceptions; each exception has one, which fits into
// 32 bits with its low bits; and what follows, up to the end of their last word, is zero. The
// words of the exceptions must lie within src.
func (p Plan) Tight(src []byte, bit uint) bool {
	l := layout{Plan: p, bit: bit, pos: p.form(), plus: 1}
	return l.tight(src)
}

func (l *layout) tight(src []byte) bool {
	at := l.bit
	switch {
	case l.Count == 0 && l.Over != 0:
		return false
	case l.pos == asBitmap:
		at += bitmapBits
	default:
		at += l.Count * l.pos
	}
	end := at + l.Count*l.Over
	if Get(src, end, -end%32) != 0 {
		return false
	}
	most := uint32(0)
	for ; at < end; at += l.Over {
		over := Get(src, at, l.Over)
		if over+l.plus == 0 { // no exception
			return false
		}
		most = max(most, over)
	}
	if l.Count > 0 && l.Width+uint(bits.Len64(uint64(most)+uint64(l.plus))) > bitpack.MaxWidth {
		return false // the overflow is lost
	}
	return uint(bits.Len32(most)) == l.Over
}

// TightLow reports whether the n packed values at the beginning of src leave no bit unused.
func TightLow(src []byte, n int, width uint) bool {
	return n == bitpack.BlockLen || bitpack.ZeroTail(src[:bitpack.Size(n, width)], n, width)
}

// StrictDocs implements codec.Strict.
func (f Form) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	if len(docs) < BlockLen {
		var gaps [BlockLen]uint32
		or, _ := bitpack.Gaps(gaps[:len(docs)], docs, codec.Prev(s, block))
		return f.strict(s, block, uint(bits.Len32(or)))
	}
	return f.strict(s, block, anyWidth)
}

// StrictFreqs implements codec.Strict.
func (f Form) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	if len(freqs) < BlockLen {
		var less [BlockLen]uint32
		or, _ := bitpack.LessOne(less[:len(freqs)], freqs)
		return f.strict(s, block, uint(bits.Len32(or)))
	}
	return f.strict(s, block, anyWidth)
}

// anyWidth stands in for the width of full blocks: another width gives another length.
const anyWidth = 64

// strict checks a block, which without exceptions must have the given width.
func (f Form) strict(s *format.Sequence, block int, width uint) error {
	p, n, err := codec.Block(s, block, BlockLen)
	if err != nil {
		return err
	}
	var l layout
	if uint(n-1) >= BlockLen || !l.open(f, p, n) {
		return codec.ErrBlock
	}
	switch {
	case block == 0 && s.Ends[0] != 0:
		return codec.ErrEndpoints
	case len(p) == 0:
		return nil
	case !l.tight(p) || f == ParaPFor && !l.tightPositions(p),
		width != anyWidth && (l.Count == 0 && l.Width != width || !TightLow(p[l.low:], n, l.Width)):
		return codec.ErrLoose
	}
	return nil
}

// tightPositions reports whether the positions of parapfor have as many bits as the last, and
// largest, needs.
func (l *layout) tightPositions(p []byte) bool {
	if l.Count == 0 {
		return l.pos == 0
	}
	last := Get(p, l.bit+(l.Count-1)*l.pos, l.pos)
	return uint(bits.Len32(last)) == l.pos
}
