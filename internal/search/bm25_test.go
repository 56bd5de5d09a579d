package search

import (
	"errors"
	"math"
	"testing"

	"github.com/pinion-index/pinion/query"
)

func TestParamsChecked(t *testing.T) {
	nan := math.NaN()
	for _, p := range []query.Params{{K1: -1}, {K1: nan}, {K1: 1, B: nan}, {K1: 1, B: -0.1}, {K1: 1, B: 1.1}, {K1: 2e6, B: 1}, {K1: math.Inf(1)}} {
		if _, err := NewScorer(p, Stats{}); !errors.Is(err, query.ErrParams) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	s, err := NewScorer(query.DefaultParams(), Stats{})
	if err != nil {
		t.Fatal(err)
	}
	if v := Score(s.Weight(0, 1), 1, s.Norm(1)); math.IsNaN(float64(v)) {
		t.Error("empty collection gives NaN")
	}
}
