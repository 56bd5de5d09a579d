package bp128

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codectest"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) { codectest.Fuzz(f, Codec{}) }
