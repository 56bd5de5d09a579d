package pfordelta

import (
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/format/codec/codectest"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) { codectest.Fuzz(f, Codec{}) }

// TestLevels runs the suite at every level.
func TestLevels(t *testing.T) {
	for level := range MaxLevel + 1 {
		c, err := Level(level)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strconv.Itoa(level), func(t *testing.T) { codectest.Run(t, c) })
	}
	for _, level := range []int{-1, MaxLevel + 1} {
		if _, err := Level(level); err == nil {
			t.Errorf("level %d is taken", level)
		}
	}
}
