package columns

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/schema"
)

// Buckets of floats begin at multiples of the width that are not above their values, less than a width away.
func TestFloor(t *testing.T) {
	longtest.Once(t)
	for _, c := range []struct{ x, width, want float64 }{
		{7, 10, 0}, {-0.5, 10, -10}, {19.99, 5, 15}, {20, 5, 20}, {0, 3, 0}, {0.3, 0.1, 0.2}, {1e300, 7, 1e300},
		{-math.MaxFloat64, 1, -math.MaxFloat64}, {math.MaxFloat64, 5e-324, math.MaxFloat64}, {-math.MaxFloat64, 5e-324, -math.MaxFloat64},
	} {
		if got := floor(c.x, c.width); got != c.want {
			t.Errorf("floor(%v, %v) is %v, want %v", c.x, c.width, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e6, 1e6).Draw(t, "x")
		width := rapid.Float64Range(1e-3, 1e5).Draw(t, "width")
		at := floor(x, width)
		k := math.Round(at / width)
		if at != k*width || at > x || (k+1)*width <= x {
			t.Fatalf("floor(%v, %v) is %v, %v times the width", x, width, at, k)
		}
		f := Facet{Width: width}
		if got := schema.KeyFloat(f.startOf(f.bucketOf(schema.FloatKey(x)))); got != at {
			t.Fatalf("the bucket of %v begins at %v, want %v", x, got, at)
		}
		exact := new(big.Float).Quo(big.NewFloat(x), big.NewFloat(width))
		if n, _ := exact.Float64(); math.Abs(n-math.Floor(n)-0.5) < 0.4 && k != math.Floor(n) { // far from the border
			t.Fatalf("%v is %v widths of %v, in bucket %v", x, n, width, k)
		}
	})
}
