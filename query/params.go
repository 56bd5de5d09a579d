package query

import (
	"fmt"
	"math"

	"github.com/pinion-index/pinion/internal/scorer"
)

// ErrParams is matched by the errors for BM25 parameters that are out of range. It matches ErrInvalid.
var ErrParams = fmt.Errorf("%w: BM25 parameter out of range", ErrInvalid)

// Params say how postings score. A number that is 0 means its default; Zero means 0.
type Params struct {
	K1 float64 // saturation of the term frequency, up to 1e6; by default 1.2
	B  float64 // strength of length normalization, up to 1; by default 0.75
	// Scorer is the formula: "bm25", which "" means; "bm25+", BM25 in which a long document scores no less than the term's weight; or
	// "inl2", divergence from randomness without parameters. An index is the same whatever the formula is. Only the CPU knows others
	// than BM25.
	Scorer string
}

// Zero is the value of a field of Params that means 0: scores are those of 0 to the bit.
const Zero = math.SmallestNonzeroFloat64

// DefaultParams returns k1 = 1.2, b = 0.75.
func DefaultParams() Params { return Params{K1: 1.2, B: 0.75} }

// Exactly returns parameters of BM25 of exactly these values, also if they are 0.
func Exactly(k1, b float64) Params {
	if k1 == 0 {
		k1 = Zero
	}
	if b == 0 {
		b = Zero
	}
	return Params{K1: k1, B: b}
}

// Values returns the values of the parameters, defaults included.
func (p Params) Values() (k1, b float64) {
	value := func(v, byDefault float64) float64 {
		switch v {
		case 0:
			return byDefault
		case Zero:
			return 0
		}
		return v
	}
	d := DefaultParams()
	return value(p.K1, d.K1), value(p.B, d.B)
}

// Check returns an error matching ErrParams unless both parameters are in range, and ErrInvalid for a formula that is not known.
func (p Params) Check() error {
	if p == (Params{}) {
		return nil // as nearly all queries have it
	}
	k1, b := p.Values()
	if !(k1 >= 0 && k1 <= 1e6) {
		return fmt.Errorf("%w: k1 is %v, not within 0 and 1e6", ErrParams, k1)
	}
	if !(b >= 0 && b <= 1) {
		return fmt.Errorf("%w: b is %v, not within 0 and 1", ErrParams, b)
	}
	if err := scorer.Known(p.Scorer); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}
