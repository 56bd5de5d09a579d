package columns

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/segment"
)

// Static gives documents of a segment static scores: what a Curve says of their values in a column, times a weight.
type Static struct {
	view   view
	curve  Curve
	ranks  *Ranks // nil if there are none
	top    Top    // without Docs if nothing is left out
	weight float64
	whole  float32   // no document has more
	all    float32   // none that is not left out
	most   []float32 // by block: none of its documents has more; -1 where that is not computed yet
	asked  int       // values of the block of last
	last   int       // the block of the last value
}

// manyOfBlock is from how many of its values on a block is read whole.
const manyOfBlock = 32

// Begin begins with a column, nil if no document has a value. Its values must have been checked with Limits. Ranks may
// be nil, and are if Curve.Ranked is false.
func (s *Static) Begin(c Column, ranks *Ranks, curve Curve, weight float64) {
	s.view.set(c)
	s.ranks, s.top, s.curve = ranks, Top{}, curve
	s.weight, s.whole, s.all, s.most, s.last, s.asked = weight, 0, 0, s.most[:0], -1, 0
	if c == nil {
		return
	}
	s.whole = s.bound(c.Info().Min, c.Info().Max)
	s.all = s.whole
	if ranks != nil {
		return
	}
	for range c.Blocks() {
		s.most = append(s.most, -1)
	}
}

// Forget drops the column.
func (s *Static) Forget() {
	s.view.set(nil)
	s.ranks, s.top = nil, Top{}
}

// Tops returns the documents with the greatest scores, the best first. It returns nothing if they are not known.
func (s *Static) Tops() []Top {
	if s.ranks == nil {
		return nil
	}
	return s.ranks.tops
}

// Rest returns a bound of the scores of the documents that are neither in t nor in a top before it.
func (s *Static) Rest(t Top) float32 { return s.scoreOf(t.code) }

// LeaveOut makes bounds those of the documents that are neither in t nor in a top before it.
func (s *Static) LeaveOut(t Top) {
	s.top = t
	s.all = min(s.all, s.scoreOf(t.code))
}

// LeaveOutNone makes bounds those of all documents.
func (s *Static) LeaveOutNone() { s.top, s.all = Top{}, s.whole }

// LeftOut reports whether a document is left out.
func (s *Static) LeftOut(doc uint32) bool {
	return s.top.Docs != nil && s.ranks.codes[doc] > s.top.code
}

// Codes returns the codes of documents, of which CodeBound gives bounds, and the greatest of those that are not left
// out. It returns nil if there are none.
func (s *Static) Codes() (codes []uint16, most uint16) {
	if s.ranks == nil {
		return nil, 0
	}
	if s.top.Docs == nil {
		return s.ranks.codes, math.MaxUint16
	}
	return s.ranks.codes, s.top.code
}

// CodeBound returns a bound of the score of a document with a code.
func (s *Static) CodeBound(code uint16) float32 { return s.scoreOf(code) }

// CodeLeast returns what the score of a document with a code is at least.
func (s *Static) CodeLeast(code uint16) float32 {
	least := float32(s.weight * s.curve.ofNumber(value(max(code, 1)-1)))
	if s.curve.Shape == Plain || least == 0 {
		return least
	}
	return math.Nextafter32(least, 0)
}

func (s *Static) scoreOf(code uint16) float32 {
	if code == 0 {
		return 0
	}
	return s.curve.above(float32(s.weight * s.curve.ofNumber(value(code))))
}

// bound returns a bound of the scores of values from least to greatest, keys of the column.
func (s *Static) bound(least, greatest int64) float32 {
	return s.curve.above(float32(s.weight * s.curve.most(least, greatest)))
}

// Most returns a bound of the scores of all documents.
func (s *Static) Most() float32 { return s.all }

// MostIn returns a bound of the scores of the documents from lo up to, but not including, hi.
func (s *Static) MostIn(lo, hi uint32) (most float32) {
	if hi <= lo {
		return 0
	}
	from, to := int(lo/segment.ColumnBlock), int((hi-1)/segment.ColumnBlock)+1
	if s.ranks != nil {
		if to = min(to, len(s.ranks.most)); from >= to {
			return 0
		}
		return min(s.scoreOf(slices.Max(s.ranks.most[from:to])), s.all)
	}
	for b := from; b < min(to, len(s.most)); b++ {
		most = max(most, s.mostOf(b))
	}
	return most
}

// mostOf is MostIn for a block.
func (s *Static) mostOf(b int) float32 {
	if s.most[b] < 0 {
		s.most[b] = 0
		if bounds := s.view.Bounds(b); bounds.Docs > 0 {
			s.most[b] = s.bound(bounds.Min, bounds.Max)
		}
	}
	return s.most[b]
}

// MostOf returns a bound of the score of a document.
func (s *Static) MostOf(doc uint32) float32 {
	if s.view.Column == nil {
		return 0
	}
	if s.ranks != nil {
		return s.scoreOf(s.ranks.codes[doc])
	}
	return s.mostOf(int(doc / segment.ColumnBlock))
}

// Of returns the score of a document: that of the value that counts most, 0 if it has none.
func (s *Static) Of(doc uint32) (float32, error) {
	if s.view.Column == nil {
		return 0, nil
	}
	b := int(doc / segment.ColumnBlock)
	if b != s.last {
		s.last, s.asked = b, 0
	}
	if s.asked++; s.asked == manyOfBlock {
		if err := s.view.load(b); err != nil {
			return 0, err
		}
	}
	values, err := s.view.of(doc)
	if err != nil || len(values) == 0 {
		return 0, err
	}
	return float32(s.weight * s.curve.best(values)), nil
}

// Limits returns the value of a column that gives no static score by a curve with a weight, if there is one: one below 0, but for Decay, or so
// great that scores would not be finite.
func Limits(c Column, curve Curve, weight float64) (value float64, bad bool) {
	i := c.Info()
	if i.Docs == 0 || curve.Shape == Decay {
		return 0, false
	}
	if least := curve.number(i.Min); least < 0 {
		return least, true
	}
	return curve.number(i.Max), !(weight*curve.of(i.Max) <= math.MaxFloat32/2)
}
