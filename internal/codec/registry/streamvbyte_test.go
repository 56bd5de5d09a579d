package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec/streamvbyte"
	"github.com/pinion-index/pinion/internal/codectest"
)

func TestStreamVByteGolden(t *testing.T) {
	// Gaps minus one: 5, 0, 0x1234, 0x56789a, 0x1000000.
	codectest.Golden(t, streamvbyte.Codec{}, []uint32{5, 6, 0x123b, 0x568ad6, 0x1568ad7},
		"90030000 05 00 3412 9a7856 00000001 00", []uint32{1, 256, 257}, "10000000 00 ff 0001")
}

// The control bytes of all blocks precede the bytes of the first.
func TestStreamVByteControlStream(t *testing.T) {
	docs := make([]uint32, streamvbyte.BlockLen+1)
	for i := range docs {
		docs[i] = uint32(2 * i)
	}
	docs[streamvbyte.BlockLen] += 256
	ends := make([]uint32, 3)
	p, err := streamvbyte.Codec{}.AppendDocs(nil, ends, docs)
	if err != nil || len(p) != 36+streamvbyte.BlockLen+4 || p[32] != 1 || p[36] != 0 || p[37] != 1 {
		t.Fatalf("%x, error %v", p, err)
	}
	if ends[0] != 9 || ends[1] != 9+streamvbyte.BlockLen/4 || ends[2] != ends[1]+1 {
		t.Fatalf("endpoints %v", ends)
	}
}
