package vector

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/simd"
)

// Codes, with what is kept beside them, have the same bytes on all tiers, and so has each step to them.
func TestTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v, centre := drawVector(t, r, dims, "vector"), []float32(nil)
		if rapid.Bool().Draw(t, "centred") {
			centre = drawVector(t, r, dims, "centre")
		}
		if rapid.IntRange(0, 9).Draw(t, "none") == 0 {
			v = make([]float32, dims)
		}
		type result struct {
			high, low []byte
			meta      Meta
			sums      sums
			codes     []uint8
			greatest  float32
		}
		coder := NewCoder(RotationOf(dims), centre)
		encode := func() (x result) {
			x.high, x.low, x.meta = coder.Encode(nil, nil, v)
			x.greatest = greatest(v)
			x.codes, x.sums = make([]uint8, dims), sums{1, 2, 3}
			quantize(x.codes, v, v, x.greatest/most, &x.sums) // of values that are not turned, such as halves of steps
			return x
		}
		var want result
		for i, tier := range simd.Tiers() {
			restore := simd.SetLevel(tier)
			got := encode()
			restore()
			if got.sums[moved+1] = 0; i == 0 {
				want = got
			} else if !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %d dimensions: %+v, want %+v", tier, dims, got, want)
			}
		}
	})
}
