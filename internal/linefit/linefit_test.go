package linefit

import (
	"math"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/synthetic"
)

// TestFit fits a line by hand: positions 0 to 3, docIDs 1, 3, 5, 11.
func TestFit(t *testing.T) {
	f := Of([]uint32{1, 3, 5, 11})
	if math.Abs(f.Slope-3.2) > 1e-9 || math.Abs(f.Intercept-0.2) > 1e-9 || math.Abs(f.R2-51.2/56) > 1e-9 {
		t.Errorf("%+v", f)
	}
	if math.Abs(f.Left-(10.8/3.2-3)) > 1e-9 || math.Abs(f.Right-(2-4.8/3.2)) > 1e-9 {
		t.Errorf("deviations of %+v", f)
	}
}

// TestOfRuns cuts a list into runs.
func TestOfRuns(t *testing.T) {
	docs := synthetic.Clustered(3, 5000, 1<<20)
	for _, most := range []int{1, 7, 5000, 6000} {
		got := OfRuns(len(docs), func(yield func([]uint32) bool) {
			for run := range slices.Chunk(docs, most) {
				if !yield(run) {
					return
				}
			}
		})
		if want := Of(docs); got != want {
			t.Errorf("in runs of %d: %v, want %v", most, got, want)
		}
	}
}
