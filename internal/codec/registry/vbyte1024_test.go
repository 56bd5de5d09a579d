package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec/vbyte1024"
	"github.com/pinion-index/pinion/internal/codectest"
)

func TestVByte1024Golden(t *testing.T) {
	// Gaps minus one: 5, 0, 0x1234, 0x56789a, 0x1000000.
	codectest.Golden(t, vbyte1024.Codec{}, []uint32{5, 6, 0x123b, 0x568ad6, 0x1568ad7},
		"90030000 05 00 3412 9a7856 00000001 00", []uint32{1, 256, 257}, "10000000 00 ff 0001")
}
