package unary

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/simd"
)

// encode is a plain writer of bits, for comparison.
func encode(numbers []uint32, head uint) []byte {
	bits := make([]bool, head)
	for _, q := range numbers {
		bits = append(append(bits, make([]bool, q)...), true)
	}
	out := make([]byte, (len(bits)+31)/32*4)
	for i, b := range bits {
		if b {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}

func TestRead(t *testing.T) {
	for _, tier := range simd.Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			defer simd.SetLevel(tier)()
			rapid.Check(t, testRead)
		})
	}
}

func testRead(t *rapid.T) {
	numbers := rapid.SliceOfN(rapid.Uint32Range(0, rapid.Uint32Range(0, 6).Draw(t, "top")), 1, MaxOnes).Draw(t, "numbers")
	from := rapid.UintRange(0, 31).Draw(t, "from")
	src := encode(numbers, from)
	want := make([]uint32, len(numbers))
	sum := uint32(0)
	for i, q := range numbers {
		sum += q
		want[i] = sum + uint32(i)
	}
	w := NewWriter(nil, uint(len(src)/4), from, 0)
	for _, q := range numbers {
		w.Put(q)
	}
	if !slices.Equal(w.Bytes(), src) {
		t.Fatalf("wrote %x, want %x", w.Bytes(), src)
	}
	if len(src) > MaxWords*4 {
		return
	}
	if from > 0 { // the bits before are not ones
		src[0] |= 1
	}
	var got positions
	if !got.read(src, from, len(numbers)) {
		t.Fatal("refused")
	}
	if !slices.Equal(got[:len(numbers)], want) {
		t.Fatalf("got %v, want %v", got[:len(numbers)], want)
	}
	if n := len(numbers); n < MaxOnes && got.read(src, from, n+1) {
		t.Fatal("took too few ones")
	}
	if n := len(numbers); n > 1 && got.read(src, from, n-1) {
		t.Fatal("took too many ones")
	}
}
