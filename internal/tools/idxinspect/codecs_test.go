package idxinspect

import (
	"slices"
	"testing"
)

func TestDraw(t *testing.T) {
	if draw(1, 0, 10) != nil || draw(1, 10, 10) != nil || draw(1, 11, 10) != nil {
		t.Error("a sample of all is not nil")
	}
	counts := make([]int, 10)
	for seed := range uint64(1000) {
		d := draw(seed, 3, 10)
		if len(d) != 3 || !slices.IsSorted(d) || d[0] == d[1] || d[1] == d[2] || d[0] < 0 || d[2] > 9 {
			t.Fatalf("seed %d draws %v", seed, d)
		}
		if !slices.Equal(d, draw(seed, 3, 10)) {
			t.Fatalf("seed %d draws %v and something else", seed, d)
		}
		for _, i := range d {
			counts[i]++
		}
	}
	for i, n := range counts {
		if n < 240 || n > 360 { // 300 expected, standard deviation 14.5
			t.Errorf("%d is drawn %d times of 1000", i, n)
		}
	}
}
