package registry

import (
	"bytes"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/bp256"
	"github.com/pinion-index/pinion/internal/codectest"
)

func TestBP256Golden(t *testing.T) {
	// Gaps minus one: 5, 0, 7, 2 and 1: two rows in one vector have 16 bits per value.
	codectest.Golden(t, bp256.Codec{}, []uint32{5, 6, 14, 17, 19}, "05000100 00000000 07000000 02000000",
		[]uint32{1, 1, 1}, "")
}

// TestBP256GapsThatWrap checks blocks whose 256 gaps of 24 bits sum to 2^32 or slightly less,
// so that they end at or before the docID that precedes the block.
func TestBP256GapsThatWrap(t *testing.T) {
	const width = 24
	for _, under := range []uint32{0, 1, 77} {
		block := format.AlignedBytes(width * 32)
		copy(block, bytes.Repeat([]byte{0xff}, len(block)))
		block[0] -= byte(under)
		s := &format.Sequence{N: 2 * bp256.BlockLen, Payload: block, Ends: []uint32{0, 0, width * 8},
			Last: []uint32{bp256.BlockLen - 1, bp256.BlockLen - 1 - under}}
		codectest.Hostile(t, bp256.Codec{}, s)
		if _, err := (bp256.Codec{}).DecodeDocs(make([]uint32, bp256.BlockLen), s, 1, 1); err == nil {
			t.Errorf("docIDs that end %d below the block before pass", under)
		}
	}
}
