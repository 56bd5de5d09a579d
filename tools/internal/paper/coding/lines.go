package coding

import (
	"iter"
	"math"
)

// line predicts docIDs from positions.
type line struct{ slope, intercept float32 }

// at returns the integer at or below the line at a position. The conversions keep
// compilers from fusing, which would change the result.
func (l line) at(i int) int64 {
	return int64(math.Floor(float64(float64(l.slope)*float64(i)) + float64(l.intercept)))
}

// Fit is the least-squares line of a list's docIDs on their positions from 0, and how
// well it fits (Ao 2011, section 3.3).
type Fit struct {
	Slope, Intercept float64
	R2               float64 // coefficient of determination
	Left, Right      float64 // greatest deviations L and R, in positions
}

// FitLine fits a line to docIDs.
func FitLine(docs []uint32) Fit {
	return FitRuns(len(docs), func(yield func([]uint32) bool) { yield(docs) })
}

// FitRuns fits a line to total docIDs that come in runs, which it walks three times.
func FitRuns(total int, runs iter.Seq[[]uint32]) Fit {
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

func fitted(docs []uint32) line {
	f := FitLine(docs)
	return line{float32(f.Slope), float32(f.Intercept)}
}

func (l *List) encodeLines(docs []uint32) {
	dev := make([]int64, len(docs))
	whole := l.scheme.Kind == LRC || l.scheme.Kind == LRCSeg
	if whole {
		l.line = fitted(docs)
	}
	least := int64(math.MaxInt64)
	for i := range l.Segments() {
		lo, hi := l.first[i], l.first[i+1]
		by, from := l.line, 0
		if !whole {
			by, from = fitted(docs[lo:hi]), lo
			l.lines = append(l.lines, by)
		}
		low := int64(math.MaxInt64)
		for j := lo; j < hi; j++ {
			dev[j] = int64(docs[j]) - by.at(j-from)
			low = min(low, dev[j])
		}
		least = min(least, low)
		l.least = append(l.least, low)
	}
	if l.scheme.Kind == LRC {
		l.least = []int64{least}
	}
	lambda := make([]uint32, 1024)
	for i := range l.Segments() {
		lo, hi := l.first[i], l.first[i+1]
		l.starts = append(l.starts, l.s.n)
		for j := lo; j < hi; j++ {
			lambda[j-lo] = uint32(dev[j] - l.base(i))
		}
		l.putSegment(lambda[:hi-lo], ParaPFD)
	}
}

// base returns the least deviation for segment i.
func (l *List) base(i int) int64 {
	if l.scheme.Kind == LRC {
		return l.least[0]
	}
	return l.least[i]
}

func (l *List) decodeLine(dst []uint32, i int) {
	l.getSegment(dst, i, ParaPFD)
	by, from, base := l.line, l.first[i], l.base(i)
	if l.lines != nil {
		by, from = l.lines[i], 0
	}
	for j := range dst {
		dst[j] = uint32(by.at(from+j) + base + int64(dst[j]))
	}
}
