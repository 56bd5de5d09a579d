package coding

import (
	"math"

	"github.com/pinion-index/pinion/internal/linefit"
)

// line predicts docIDs from positions.
type line struct{ slope, intercept float32 }

// at returns the integer at or below the line at a position. The conversions keep
// compilers from fusing, which would change the result.
func (l line) at(i int) int64 {
	return int64(math.Floor(float64(float64(l.slope)*float64(i)) + float64(l.intercept)))
}

func fitted(docs []uint32) line {
	f := linefit.Of(docs)
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
