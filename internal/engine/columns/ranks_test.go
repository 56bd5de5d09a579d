package columns

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A code bounds its values from above, and the code before it from below.
func TestCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Float64Range(0, 100),
			rapid.Just(0.0), rapid.Just(math.SmallestNonzeroFloat64), rapid.Just(float64(math.MaxFloat32))).Draw(t, "value")
		c := code(x)
		if value(c) < x || c > 0 && value(c-1) >= x || c == 0 && x != 0 {
			t.Fatalf("%v has the code %d, for %v", x, c, value(c))
		}
	})
}
