package newpfd

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codectest"
	"github.com/pinion-index/pinion/internal/simd"
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
			"00810004", // b 0, count 4 at bit 6, over 4 at 13, positions 0 and 2 at 18 and 25
			"87040003", // positions 7 and 9, overflows less one 0, 0, 12, 0 from bit 14
		}},
	} {
		got, err := Codec{}.AppendFreqsBlock(nil, c.freqs)
		if want := strings.Join(c.words, ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s, error %v", c.name, got, want, err)
		}
	}
}

// TestBitmap encodes more exceptions than a list of positions may hold.
func TestBitmap(t *testing.T) {
	freqs := make([]uint32, BlockLen)
	for i := range freqs {
		freqs[i] = 1
		if i%5 == 2 {
			freqs[i] = 9 + uint32(i)%8
		}
	}
	p, err := Codec{}.AppendFreqsBlock(nil, freqs)
	if err != nil {
		t.Fatal(err)
	}
	plan, _, ok := head(p, BlockLen)
	if !ok || plan.Count <= 16 || plan.Width != 0 {
		t.Fatalf("plan %+v, %v: the list is meant to take a bitmap", plan, ok)
	}
	l, err := codectest.Encode(Codec{}, freqsDocs(), freqs)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]uint32, BlockLen)
	if n, err := (Codec{}).DecodeFreqs(dst, &l.TFSeq, 0, 1); n != BlockLen || err != nil {
		t.Fatal(n, err)
	}
	for i, f := range freqs {
		if g, err := (Codec{}).Freq(&l.TFSeq, i); dst[i] != f || g != f || err != nil {
			t.Fatalf("frequency %d is %d in the block, %d alone, not %d: %v", i, dst[i], g, f, err)
		}
	}
}

func freqsDocs() []uint32 {
	d := make([]uint32, BlockLen)
	for i := range d {
		d[i] = uint32(i)
	}
	return d
}

// TestRun decodes a list of full blocks, with exceptions listed and in bitmaps, in one run.
func TestRun(t *testing.T) {
	if simd.Best() < simd.VBMI2 {
		t.Skip("the CPU lacks VBMI2")
	}
	docs := synthetic.Uniform(1, 1<<14, 1<<27)
	l, err := codectest.Encode(Codec{}, docs, synthetic.Freqs(2, len(docs), 1000))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]uint32, len(docs))
	if n := docsRun(dst, &l.DocSeq, 0, len(docs)/BlockLen); n*BlockLen != len(docs) || !slices.Equal(dst, docs) {
		t.Fatalf("%d of %d blocks decoded, or not to what they hold", n, len(docs)/BlockLen)
	}
}
