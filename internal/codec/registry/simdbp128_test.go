package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec/simdbp128"
	"github.com/pinion-index/pinion/internal/codectest"
)

func TestSIMDBP128Golden(t *testing.T) {
	// Gaps minus one: 5, 0, 7, 2 and 1 in 3 bits: the fifth follows the first in lane 0.
	codectest.Golden(t, simdbp128.Codec{}, []uint32{5, 6, 14, 17, 19},
		"03000000000000000000000000000000 0d000000 00000000 07000000 02000000",
		[]uint32{1, 1, 1}, "00000000000000000000000000000000")
}

// TestSIMDBP128Groups checks that every sixteenth block starts with the selectors of sixteen
// blocks.
func TestSIMDBP128Groups(t *testing.T) {
	const group = 16 // blocks whose widths stand together
	const blocks = 2*group + 1
	docs := make([]uint32, blocks*simdbp128.BlockLen)
	for i := range docs {
		docs[i] = uint32(2 * i) // gaps minus one: 0 once, then 1
	}
	ends := make([]uint32, blocks+1)
	p, err := simdbp128.Codec{}.AppendDocs(nil, ends, docs)
	if err != nil || len(p) != 3*16+blocks*16 {
		t.Fatalf("%d bytes, error %v", len(p), err)
	}
	for i := range blocks {
		words := uint32(4)
		if i%group == 0 {
			words = 8
		}
		if ends[i+1]-ends[i] != words || p[ends[i-i%group]*4+uint32(i%group)] != 1 {
			t.Errorf("block %d: words %d to %d", i, ends[i], ends[i+1])
		}
	}
}
