package registry

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/parapfor"
)

// TestParaPForGolden compares the bytes of small blocks, field by field.
func TestParaPForGolden(t *testing.T) {
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
		got, err := parapfor.Codec{}.AppendFreqsBlock(nil, c.freqs)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
}
