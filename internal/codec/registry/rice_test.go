package registry

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/rice"
)

// TestRiceGolden compares the bytes of small blocks, field by field.
func TestRiceGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		freqs []uint32
		words []string
	}{
		{"nothing but ones", []uint32{1, 1, 1, 1, 1, 1}, nil},
		// b = 0 and the quotients 1, 0, 1, 0, 13, 1 from bit 5 on.
		{"unary", []uint32{2, 1, 2, 1, 14, 2}, []string{"c0060005"}},
		// b = 4, quotients 6, 4, 8, 3: bits 11, 16, 25 and 29; binary parts 4, 1, 0, 15.
		{"both parts", []uint32{101, 66, 129, 64}, []string{"04080122", "04000000", "01000000", "00000000", "0f000000"}},
	} {
		got, err := rice.Codec{}.AppendFreqsBlock(nil, c.freqs)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
}

// TestRiceFrequencyThatWraps decodes blocks of one frequency of 2^32, of every width that has a
// quotient for that.
func TestRiceFrequencyThatWraps(t *testing.T) {
	const maxWidth, widthBits = 31, 5
	for width := uint(22); width <= maxWidth; width++ {
		at := widthBits + 1<<(32-width) - 1 // of the bit that ends the quotient
		high := at/32 + 1
		p := format.AlignedBytes(4 * (high + 4))
		p[at/8] = 1 << (at % 8)
		p[0] |= byte(width)
		binary.LittleEndian.PutUint32(p[4*high:], 1<<width-1)
		s := &format.Sequence{N: 1, Payload: p, Ends: []uint32{0, uint32(high + 4)}}
		dst := make([]uint32, rice.BlockLen)
		if n, err := (rice.Codec{}).DecodeFreqs(dst, s, 0, 1); !errors.Is(err, codec.ErrBlock) {
			t.Errorf("width %d: %d values, the first %d, and error %v", width, n, dst[0], err)
		}
	}
}
