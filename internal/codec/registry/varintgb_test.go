package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec/varintgb"
	"github.com/pinion-index/pinion/internal/codectest"
)

func TestVarintGBGolden(t *testing.T) {
	// Gaps minus one: 5, 0, 0x1234, 0x56789a, 0x1000000.
	codectest.Golden(t, varintgb.Codec{}, []uint32{5, 6, 0x123b, 0x568ad6, 0x1568ad7},
		"90 05 00 3412 9a7856 03 00000001 000000", []uint32{1, 256, 257}, "10 00 ff 0001 000000")
}
