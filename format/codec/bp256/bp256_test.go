package bp256

import (
	"testing"

	"github.com/pinion-index/pinion/format/codec/codectest"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func TestGolden(t *testing.T) {
	// Gaps less one: 5, 0, 7, 2 and 1: two rows of one vector have 16 bits a value.
	codectest.Golden(t, Codec{}, []uint32{5, 6, 14, 17, 19}, "05000100 00000000 07000000 02000000",
		[]uint32{1, 1, 1}, "")
}

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) { codectest.Fuzz(f, Codec{}) }
