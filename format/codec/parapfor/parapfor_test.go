package parapfor

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codectest"
	"github.com/pinion-index/pinion/internal/synthetic"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) { codectest.Fuzz(f, Codec{}) }

// TestGolden holds the bytes of small blocks, field by field.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		freqs []uint32
		words []string
	}{
		{"nothing but ones", []uint32{1, 1, 1, 1, 1, 1}, nil},
		{"four exceptions", []uint32{2, 1, 2, 1, 1, 1, 1, 14, 1, 2}, []string{
			"00040404", // b 0, ib 4, hb 4, en 4
			"2097111d", // indices 0, 2, 7, 9, overflows 1, 1, 13, 1
		}},
		{"no exceptions", slices.Repeat([]uint32{8}, 20), []string{
			"03000000", "ff7f0000", "ff7f0000", "ff7f0000", "ff7f0000",
		}},
	} {
		got, err := Codec{}.AppendFreqsBlock(nil, c.freqs)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
}

// TestList requires that full blocks of an ordinary list are decoded in a row: one by one
// they come out the same, only later.
func TestList(t *testing.T) {
	const n = 1 << 14
	l, err := codectest.Encode(Codec{}, synthetic.Uniform(1, n, synthetic.Range), synthetic.Freqs(2, n, 1000))
	if err != nil {
		t.Fatal(err)
	}
	if got := docsList(make([]uint32, n), &l.DocSeq, 0, n/BlockLen); got != n/BlockLen {
		t.Errorf("%d blocks of %d", got, n/BlockLen)
	}
}
