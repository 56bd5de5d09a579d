package pfordelta

import (
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/codectest"
	"github.com/pinion-index/pinion/format/codec/synthetic"
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

// TestList requires that full blocks of ordinary lists are decoded eight fields at a time:
// the other way gives the same values, only later.
func TestList(t *testing.T) {
	const n = 1 << 14
	for name, docs := range map[string][]uint32{
		"uniform":   synthetic.Uniform(1, n, synthetic.Range),
		"clustered": synthetic.Clustered(1, n, synthetic.Range),
	} {
		l, err := codectest.Encode(Codec{}, docs, synthetic.Freqs(2, n, 1000))
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]uint32, n)
		if got := docsList(dst, &l.DocSeq, 0, n); got != n/BlockLen {
			t.Errorf("%s: %d blocks of docIDs of %d", name, got, n/BlockLen)
		}
		for i := range codec.Blocks(n, BlockLen) {
			if !freqsList(dst[i*BlockLen:], &l.TFSeq, i) {
				t.Fatalf("%s: not the frequencies of block %d", name, i)
			}
		}
	}
}
