package registry

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codectest"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/simd"
	"github.com/pinion-index/pinion/internal/synthetic"
)

// TestPForDeltaGolden compares the bytes of a small block with those of the package comment.
func TestPForDeltaGolden(t *testing.T) {
	codectest.Golden(t, pfordelta.Codec{}, nil, "", []uint32{2, 1, 2, 1, 1, 1, 1, 14, 1, 2},
		"01010103 00000000 00030000 00000000 01000000 04000000 01000000 02000000 5f000000")
}

// TestPForDeltaLevels runs the suite at every level.
func TestPForDeltaLevels(t *testing.T) {
	longtest.Once(t)
	for level := range pfordelta.MaxLevel + 1 {
		c, err := pfordelta.Level(level)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strconv.Itoa(level), func(t *testing.T) { codectest.Run(t, c) })
	}
	for _, level := range []int{-1, pfordelta.MaxLevel + 1} {
		if _, err := pfordelta.Level(level); err == nil {
			t.Errorf("level %d is taken", level)
		}
	}
}

// TestPForDeltaExceptions decodes lists with up to 128 exceptions in a block, few or many exceptions among
// their offsets and overflows, and overflows of any width, at every tier.
func TestPForDeltaExceptions(t *testing.T) {
	lists := [][]uint32{synthetic.Uniform(1, 1<<13, 1<<26), synthetic.Clustered(1, 1<<16, synthetic.Range)[1<<15:][:1<<13]}
	for seed := range uint64(8) {
		lists = append(lists, synthetic.Clustered(seed, 1<<12, 1<<25))
	}
	r := rand.New(rand.NewPCG(3, 3))
	for k := range 12 {
		lists = append(lists, uneven(r, k))
	}
	for i, docs := range lists {
		freqs := make([]uint32, len(docs))
		for j, prev := range append([]uint32{0}, docs[:len(docs)-1]...) {
			freqs[j] = docs[j] - prev + 1
		}
		l, err := codectest.Encode(pfordelta.Codec{}, format.Postings{Docs: docs, Freqs: freqs})
		if err != nil {
			t.Fatal(err)
		}
		for _, tier := range simd.Tiers() {
			decodesTo(t, strconv.Itoa(i)+" at "+tier.String(), tier, l)
		}
	}
}

// uneven returns docIDs with small gaps except for one in a few, which are larger in
// every other stretch.
func uneven(r *rand.Rand, k int) []uint32 {
	docs, at := make([]uint32, 1<<12), uint32(0)
	for i := range docs {
		gap := r.Uint32N(1 << (k%6 + 1))
		if r.IntN(2+k%6) == 0 {
			gap = r.Uint32N(1 << (5 + k + i/300%2*3))
		}
		at += gap + 1
		docs[i] = at
	}
	return docs
}

func decodesTo(t *testing.T, name string, tier simd.Tier, l *codectest.List) {
	t.Helper()
	docs, freqs := l.Docs, l.Freqs
	defer simd.SetLevel(tier)()
	got := make([]uint32, len(docs))
	blocks := len(docs) / pfordelta.BlockLen
	if _, err := (pfordelta.Codec{}).DecodeDocs(got, &l.DocSeq, 0, blocks); err != nil || !slices.Equal(got, docs) {
		t.Errorf("list %s: docIDs in a row differ, error %v", name, err)
	}
	for b := range blocks {
		at, end := b*pfordelta.BlockLen, (b+1)*pfordelta.BlockLen
		if _, err := (pfordelta.Codec{}).DecodeDocs(got[at:end], &l.DocSeq, b, 1); err != nil || !slices.Equal(got[at:end], docs[at:end]) {
			t.Fatalf("list %s: docIDs of block %d differ, error %v", name, b, err)
		}
		if _, err := (pfordelta.Codec{}).DecodeFreqs(got[at:end], &l.TFSeq, b, 1); err != nil || !slices.Equal(got[at:end], freqs[at:end]) {
			t.Fatalf("list %s: frequencies of block %d differ, error %v", name, b, err)
		}
	}
}
