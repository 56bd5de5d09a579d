package rice

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codectest"
)

func TestConformance(t *testing.T) { codectest.Run(t, Codec{}) }

func Benchmark(b *testing.B) { codectest.Bench(b, Codec{}) }

func FuzzDecode(f *testing.F) { codectest.Fuzz(f, Codec{}) }

// TestGolden compares the bytes of small blocks, field by field.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		freqs []uint32
		words []string
	}{
		{"nothing but ones", []uint32{1, 1, 1, 1, 1, 1}, nil},
		// b = 0 and the quotients 1, 0, 1, 0, 13, 1 from bit 5 on.
		{"unary", []uint32{2, 1, 2, 1, 14, 2}, []string{"c0060005"}},
		// b = 4, quotients 6, 4, 8, 3: bits 11, 16, 25 and 29; binary parts 4, 1, 0, 15.
		{"both parts", []uint32{101, 66, 129, 64}, []string{"04080122", "04000000", "01000000", "00000000", "0f000000"}},
	} {
		got, err := Codec{}.AppendFreqsBlock(nil, c.freqs)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
}
