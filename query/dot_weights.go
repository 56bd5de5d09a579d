package query

import (
	"fmt"
	"math"
)

// maxWeights is what the weights of a Dot add up to at most.
const maxWeights = MaxDot / math.MaxUint8

// Add appends a term with a weight as encoders give it. The weight becomes weight divided by d.Boost, rounded to the
// nearest integer, and of two as near to the even one; what becomes 0 is not appended. Without a Boost weights are integers.
// The error is for a weight that is negative, not finite, too great, or has a fraction and no Boost.
func (d *Dot) Add(term string, weight float64) error {
	step := d.Boost
	if step == 0 {
		step = 1
	}
	switch w := math.RoundToEven(weight / step); {
	case !(weight >= 0) || math.IsInf(weight, 1): // NaN too
		return fmt.Errorf("%w: the weight %v of the term %.40q is not a finite number from 0 on", ErrInvalid, weight, term)
	case d.Boost == 0 && weight != w:
		return fmt.Errorf("%w: the weight %v of the term %.40q has a fraction, and there is no scale: weights become integers in steps of it", ErrInvalid, weight, term)
	case !(w <= maxWeights):
		return fmt.Errorf("%w: the weight %v of the term %.40q is above %v, which is %d times the scale", ErrInvalid, weight, term, maxWeights*step, maxWeights)
	case w > 0:
		d.Terms = append(d.Terms, WeightedTerm{term, uint32(w)})
	}
	return nil
}

// Check returns what is wrong with the weights of d: each is at least 1, and all together at most MaxDot / 255. The error
// matches ErrInvalid.
func (d *Dot) Check() error {
	sum := uint64(0)
	for _, t := range d.Terms {
		if t.Weight == 0 {
			return fmt.Errorf("%w: the term %.40q of a Dot has weight 0", ErrInvalid, t.Term)
		}
		if sum += uint64(t.Weight); sum > maxWeights {
			return fmt.Errorf("%w: the weights of a Dot add up to more than %d", ErrInvalid, maxWeights)
		}
	}
	return nil
}
