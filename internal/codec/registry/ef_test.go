package registry

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/ef"
)

// TestEFGolden holds the bytes of small blocks.
func TestEFGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		prev  uint32
		docs  []uint32
		words []string
	}{
		{"consecutive", 6, []uint32{7, 8, 9, 10}, nil},
		// x = 1, 1, 2, 5 with 4 docIDs after 9: no low bits, 9 bits of unary part.
		{"dense", 9, []uint32{11, 12, 14, 18}, []string{"16010000"}},
		// x = 90, 1097, 4094, 1<<20: a single vector has 32 bits for each, enough for all
		// bits.
		{"sparse", 9, []uint32{100, 1108, 4106, 13 + 1<<20}, []string{"0f000000", "5a000000", "49040000", "fe0f0000", "00001000"}},
	} {
		got, err := ef.Codec{}.AppendDocsBlock(nil, c.docs, c.prev)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
	got, err := ef.Codec{}.AppendFreqsBlock(nil, []uint32{1, 3, 1})
	if want := "40060000"; err != nil || hex.EncodeToString(got) != want { // x = 0, 2, 2 after 6 bits of width
		t.Errorf("frequencies: %x, want %s, error %v", got, want, err)
	}
}

// TestEFBound compares random lists with Elias and Fano's bound of n*(2+ceil(log2(U/n)))
// bits per partition.
func TestEFBound(t *testing.T) {
	for _, gap := range []uint32{2, 3, 5, 17, 130, 1000, 8192, 12000} {
		rng := rand.New(rand.NewPCG(1, uint64(gap)))
		docs := make([]uint32, 1<<15)
		next, bound := uint32(0), 0.0
		for i := range docs {
			docs[i] = next + rng.Uint32N(2*gap-1)
			next = docs[i] + 1
		}
		for at := 0; at < len(docs); at += ef.BlockLen {
			universe := float64(docs[at+ef.BlockLen-1] - docs[max(at, 1)-1])
			bound += ef.BlockLen * (2 + math.Ceil(math.Log2(universe/ef.BlockLen)))
		}
		size, err := ef.Codec{}.DocsSize(docs)
		if err != nil || float64(size)*8 > 1.02*bound {
			t.Errorf("gaps of %d: %d bits, bound %.0f, error %v", gap, size*8, bound, err)
		}
	}
}
