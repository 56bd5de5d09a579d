package ao

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestBuckets leaves out the bucket that the collection ends in.
func TestBuckets(t *testing.T) {
	docs := []uint32{1, 2, 9, 30, 31, 39, 40, 41}
	if got, want := buckets(docs, 10, 42), []float64{3, 3}; !slices.Equal(got, want) {
		t.Errorf("a collection of 42 documents: %v, want %v", got, want)
	}
	if got, want := buckets(docs, 10, 50), []float64{3, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("a collection of 50 documents: %v, want %v", got, want)
	}
}

// TestOnePeak tells chance from a second peak, wherever the larger one is.
func TestOnePeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var once []paper.Entry
	for i := range 64 {
		up := float64(min(i, 63-i))
		once = append(once, paper.Entry{Row: paper.Row{Value: 8*up + up*rng.Float64()}})
	}
	if !onePeak(once) {
		t.Error("a triangle with noise does not have one peak")
	}
	for _, at := range []int{0, 1, 62} {
		twice := slices.Clone(once)
		twice[at].Value = 120
		if onePeak(twice) {
			t.Errorf("a triangle and 120 at %d have one peak", at)
		}
	}
}
