package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec/bp32"
	"github.com/pinion-index/pinion/internal/codectest"
)

func TestBP32Golden(t *testing.T) {
	// Gaps minus one: 5, 0, 7, 2 in 3 bits; 31 times 0, then 9 and 1, in 4 bits.
	docs := []uint32{5, 6, 14, 17}
	freqs := make([]uint32, 34)
	for i := range freqs {
		freqs[i] = 1
	}
	freqs[32], freqs[33] = 10, 2
	codectest.Golden(t, bp32.Codec{}, docs, "03000000 c5050000", freqs, "00040000 19000000")
}
