package inspect

import (
	"github.com/pinion-index/pinion/internal/linefit"
	"github.com/pinion-index/pinion/segment"
)

// Linearity says how close a list's docIDs are to their least-squares line (Ao 2011,
// section 3.3).
type Linearity struct {
	Contraction float64 `json:"contraction_ratio"` // of the range to search: (L + R) / postings
	R2          float64 `json:"r2"`                // coefficient of determination
}

// FitLine fits a line to the docIDs of an extent, which it decodes three times, in rows.
func FitLine(l *segment.List) (*Linearity, error) {
	count := max(segment.RowPostings/l.BlockLen, 1)
	docs := make([]uint32, count*l.BlockLen)
	var err error
	f := linefit.OfRuns(l.N, func(yield func([]uint32) bool) {
		for b := 0; b < l.Blocks && err == nil; b += count {
			var n int
			if n, err = l.DecodeDocs(docs, b, min(count, l.Blocks-b)); err == nil && !yield(docs[:n]) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return &Linearity{min(f.Contraction(l.N), 1), f.R2}, nil
}
