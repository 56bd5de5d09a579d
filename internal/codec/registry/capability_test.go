package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
)

// whole are the codecs whose blocks depend on the rest of the list: they have a width or
// a line for the list, or store selectors of several blocks together.
var whole = map[codec.ID]bool{
	codec.PForDelta: true, codec.LRC: true, codec.LRCSeg: true, codec.HSLRC: true,
	codec.SIMDBP128: true, codec.StreamVByte: true,
}

// TestBlockCodecs checks that all other codecs are a codec.BlockCodec, whose blocks a
// merge copies.
func TestBlockCodecs(t *testing.T) {
	for _, c := range All() {
		if _, ok := c.(codec.BlockCodec); ok == whole[c.ID()] {
			t.Errorf("%v is a BlockCodec: %v", c.ID(), ok)
		}
	}
}
