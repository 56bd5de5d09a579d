package idxbench

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestArrivals(t *testing.T) {
	due := arrivals(2000, 10*time.Second, 1)
	if n := len(due); n < 19_000 || n > 21_000 || !slices.IsSorted(due) {
		t.Errorf("%d arrivals in 10 s at 2000/s", n)
	}
	sum, squares := 0.0, 0.0
	for i := 1; i < len(due); i++ {
		gap := (due[i] - due[i-1]).Seconds()
		sum, squares = sum+gap, squares+gap*gap
	}
	n := float64(len(due) - 1)
	mean := sum / n
	if spread := math.Sqrt(squares/n-mean*mean) / mean; spread < 0.95 || spread > 1.05 {
		t.Errorf("gaps spread by %.2f of their mean, not 1 as in a Poisson process", spread)
	}
	if due := arrivals(0.001, time.Second, 1); len(due) == 0 || due[len(due)-1] < time.Second/5 {
		t.Errorf("%v: nothing to measure", due)
	}
}

// TestCutTasks checks that tasks cover all blocks, and compares the counts with those
// of a slow method.
func TestCutTasks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var lists [][]uint32
		for range rapid.IntRange(1, 4).Draw(r, "lists") {
			set := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 1000), 1, 40, func(v uint32) uint32 { return v }).Draw(r, "ends")
			slices.Sort(set)
			lists = append(lists, set)
		}
		slices.SortStableFunc(lists, func(a, b []uint32) int { return len(a) - len(b) })
		per := rapid.IntRange(1, 5).Draw(r, "per")
		tasks, skips, overlap := cutTasks(lists, per)
		// A block of a list is in a task if it holds a docID of the task's range.
		in := func(i, b int, lo, hi uint32) bool {
			from := uint32(0)
			if b > 0 {
				from = lists[i][b-1] + 1
			}
			return from <= hi && lists[i][b] >= lo
		}
		wantTasks, wantSkips, wantOverlap, lo, lastLo, lastHi := 0, 0, 0, uint32(0), uint32(0), uint32(0)
		for b := 0; b < len(lists[0]); b += per {
			hi := lists[0][min(b+per, len(lists[0]))-1]
			for i := range lists {
				for k := range lists[i] {
					if in(i, k, lo, hi) {
						wantSkips++
						if wantTasks > 0 && in(i, k, lastLo, lastHi) {
							wantOverlap++
						}
					}
				}
			}
			wantTasks++
			lastLo, lastHi, lo = lo, hi, hi+1
		}
		n := float64(len(lists))
		if tasks != wantTasks || math.Abs(skips*n-float64(wantSkips)) > 1e-6 || math.Abs(overlap*n-float64(wantOverlap)) > 1e-6 {
			r.Fatalf("%d tasks, %.2f blocks, %.2f twice; not %d, %d, %d", tasks, skips*n, overlap*n, wantTasks, wantSkips, wantOverlap)
		}
	})
}
