// Package linefit fits lines to the docIDs of posting lists (Ao 2011, section 3.3).
package linefit

import (
	"iter"
	"math"
)

// Fit is the least-squares line of a list's docIDs on their positions from 0, and how
// well it fits.
type Fit struct {
	Slope, Intercept float64
	R2               float64 // coefficient of determination
	Left, Right      float64 // greatest deviations L and R, in positions
}

// Of fits a line to docIDs.
func Of(docs []uint32) Fit {
	return OfRuns(len(docs), func(yield func([]uint32) bool) { yield(docs) })
}

// OfRuns fits a line to total docIDs that come in runs, which it walks three times.
func OfRuns(total int, runs iter.Seq[[]uint32]) Fit {
	n := float64(total)
	f := Fit{Slope: 1, R2: 1}
	if total == 0 {
		return f
	}
	mid, mean := (n-1)/2, 0.0
	for docs := range runs {
		for _, d := range docs {
			mean += float64(d)
		}
	}
	mean /= n
	xx, xy, yy, at := 0.0, 0.0, 0.0, 0
	for docs := range runs {
		for i, d := range docs {
			x, y := float64(at+i)-mid, float64(d)-mean
			xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
		}
		at += len(docs)
	}
	if xx > 0 && xy > 0 {
		f.Slope = xy / xx
		f.R2 = xy * xy / (xx * yy)
	}
	f.Intercept = mean - f.Slope*mid
	at = 0
	for docs := range runs {
		for i, d := range docs {
			dev := (float64(d)-f.Intercept)/f.Slope - float64(at+i)
			f.Left, f.Right = max(f.Left, dev), max(f.Right, -dev)
		}
		at += len(docs)
	}
	return f
}

// Contraction is the contraction ratio (L + R) / n.
func (f Fit) Contraction(n int) float64 { return (f.Left + f.Right) / float64(n) }

// Range is the number of positions of a safe range, at least 1: L + R, each rounded up.
// Over the length of the list it is the contraction ratio.
func (f Fit) Range() float64 {
	const noise = 1e-9 // of the arithmetic
	return max(math.Ceil(f.Left-noise)+math.Ceil(f.Right-noise), 1)
}
