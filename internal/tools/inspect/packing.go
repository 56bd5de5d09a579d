package inspect

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
)

// Packing is what the payload of a block says about it.
type Packing struct {
	Values     int     `json:"-"`
	Width      float64 `json:"width"`      // bits of a packed value; of codecs without a width, bits a value on average
	Exceptions int     `json:"exceptions"` // values that do not fit into the width; -1 where the codec has none
}

// PackingOf describes block i of s, a sequence in the codec of that number. The error is that of endpoints
// that are not within the payload.
func PackingOf(number uint8, s *format.Sequence, i int) (Packing, error) {
	c := registry.Of(number)
	p, n, err := codec.Block(s, i, c.BlockLen())
	b := Packing{Values: n, Exceptions: -1}
	if err != nil || n == 0 {
		return b, err
	}
	b.Width = 8 * float64(len(p)) / float64(n)
	switch c.ID() {
	case codec.NewPFD: // a head of width (6 bits), exceptions (7 bits) and more
		b.Width, b.Exceptions = 0, 0
		if len(p) >= 4 {
			head := binary.LittleEndian.Uint32(p)
			b.Width, b.Exceptions = float64(head&63), int(head>>6&127)
		}
	case codec.ParaPFor: // a byte each of width, two other widths and exceptions
		b.Width, b.Exceptions = 0, 0
		if len(p) >= 4 {
			b.Width, b.Exceptions = float64(p[0]), int(p[3])
		}
	case codec.BP128, codec.BP256: // whole vectors of 16 bytes, of four values each
		b.Width = float64(min(32, 8*len(p)/(4*((n+3)/4))))
	}
	return b, nil
}
