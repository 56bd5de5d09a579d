package query

import (
	"errors"
	"math"
	"testing"
)

func TestParamsChecked(t *testing.T) {
	nan := math.NaN()
	for _, p := range []Params{{-1, 0}, {nan, 0}, {1, nan}, {1, -0.1}, {1, 1.1}, {2e6, 1}, {math.Inf(1), 0}} {
		if _, err := NewScorer(p, Stats{}); !errors.Is(err, ErrParams) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	s, err := NewScorer(DefaultParams(), Stats{})
	if err != nil {
		t.Fatal(err)
	}
	if v := Score(s.Weight(0, 1), 1, s.Norm(1)); math.IsNaN(float64(v)) {
		t.Error("empty collection gives NaN")
	}
}
