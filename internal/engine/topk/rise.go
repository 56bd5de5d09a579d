package topk

import "math"

// Rise is what a score gets at last, when all else of it has been added up: By more, or, if it is to Multiply, 1 + By times as much. By is
// not below 0. All that Rise says rises with the score and with By.
type Rise struct {
	By       float32
	Multiply bool
}

// Of returns a score with the rise. A product is at most the greatest float32.
func (x Rise) Of(score float32) float32 {
	if !x.Multiply {
		return score + x.By
	}
	return min(float32(float64(score)*(1+float64(x.By))), math.MaxFloat32)
}

// Bound returns a bound of the scores with the rise, given one of those without.
func (x Rise) Bound(most float64) float64 {
	if !x.Multiply {
		return most + float64(x.By)
	}
	return most * (1 + float64(x.By))
}

// Without returns what a score without the rise must be above to be above pass with it. It is negative if pass is.
func (x Rise) Without(pass float64) float64 {
	if !x.Multiply {
		return pass - float64(x.By)
	}
	return pass / (1 + float64(x.By))
}
