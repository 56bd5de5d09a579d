package pfordelta

import (
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/format/codec/codectest"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) {
	for _, top := range []uint32{1, 100, 1 << 20} {
		l, err := codectest.Encode(Codec{}, spread(200, top), spread(200, top))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(codectest.Seed(&l.DocSeq))
		f.Add(codectest.Seed(&l.TFSeq))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, _ := codectest.Arbitrary(Codec{}, data); s != nil {
			codectest.Hostile(t, Codec{}, s)
		}
	})
}

// spread returns n ascending values with a jump of top every 7.
func spread(n int, top uint32) []uint32 {
	v := make([]uint32, n)
	next := uint32(1)
	for i := range v {
		v[i] = next
		next += 1 + uint32(i)%3
		if i%7 == 6 {
			next += top
		}
	}
	return v
}

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
