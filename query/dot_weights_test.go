package query_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/query"
)

// Weights as encoders give them become integers in steps of the boost.
func TestDotAdd(t *testing.T) {
	for _, test := range []struct {
		boost, weight float64
		want          uint32 // 0: not added
		says          string
	}{
		{0, 0, 0, ""}, {0, 12, 12, ""}, {0, 65793, 65793, ""}, {0, math.Copysign(0, -1), 0, ""},
		{0.25, 0.125, 0, ""}, {0.25, 0.126, 1, ""}, {0.25, 0.375, 2, ""}, {0.25, 0.625, 2, ""}, {1, 0.5, 0, ""}, {1, 1.5, 2, ""}, {2, 65793 * 2, 65793, ""},
		{0, 65794, 0, "above 65793"}, {2, 65793*2 + 2, 0, "above 131586, which is 65793 times the scale"}, {0, 1.5, 0, "has a fraction, and there is no scale"},
		{0, -1, 0, "weight -1"}, {1, math.NaN(), 0, "weight NaN"}, {1, math.Inf(1), 0, "weight +Inf"}, {1, math.Inf(-1), 0, "weight -Inf"},
		{0, -1.5, 0, "not a finite number from 0 on"}, {1e-6, math.MaxFloat64, 0, "above"},
	} {
		d := query.Dot{Field: "v", Boost: test.boost}
		switch err := d.Add("t", test.weight); {
		case test.says != "":
			if !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), test.says) || len(d.Terms) > 0 {
				t.Errorf("%v in steps of %v: %v, want %s", test.weight, test.boost, err, test.says)
			}
		case err != nil || len(d.Terms) != min(int(test.want), 1) || slices.ContainsFunc(d.Terms, func(x query.WeightedTerm) bool { return x.Weight != test.want }):
			t.Errorf("%v in steps of %v is %v, %v, want %d", test.weight, test.boost, d.Terms, err, test.want)
		}
	}
}
