package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBuckets(t *testing.T) {
	last := -1
	for _, v := range []uint64{0, 1, 127, 128, 129, 255, 256, 257, 258, 1 << 20, 1<<40 + 12345, math.MaxInt64} {
		b := bucket(v)
		if b < last || b >= buckets {
			t.Fatalf("%d is in bucket %d after %d", v, b, last)
		}
		last = b
		if u := upper(b); u < v || float64(u-v) > float64(v)/128 || bucket(u) != b || u < math.MaxInt64 && bucket(u+1) != b+1 {
			t.Errorf("bucket %d of %d ends at %d", b, v, u)
		}
	}
}

func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(r, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		spread := rapid.Float64Range(0, 6).Draw(r, "spread")
		var parts [2]Histogram
		var all []time.Duration
		sum := 0.0
		for range n {
			d := time.Duration(math.Exp(8 + spread*rng.NormFloat64()))
			parts[rng.IntN(2)].Record(d)
			all = append(all, d)
			sum += float64(d)
		}
		var h Histogram
		h.Add(&parts[0])
		h.Add(&parts[1])
		slices.Sort(all)
		if h.Count() != uint64(n) || h.Min() != all[0] || h.Max() != all[n-1] || math.Abs(float64(h.Mean())-sum/float64(n)) > 2+sum/1e9 {
			r.Fatalf("count %d, min %d, max %d, mean %d of %v", h.Count(), h.Min(), h.Max(), h.Mean(), all)
		}
		for _, q := range []float64{0, 0.5, 0.95, 0.99, 0.999, 1} {
			exact := all[max(int(math.Ceil(q*float64(n))), 1)-1]
			got := h.Quantile(q)
			if got < exact || float64(got-exact) > float64(exact)/128+1 {
				r.Fatalf("quantile %g of %d values is %d, not %d", q, n, got, exact)
			}
		}
	})
}

func TestEmpty(t *testing.T) {
	var h Histogram
	h.Add(&Histogram{})
	if h.Mean() != 0 || h.Quantile(0.5) != 0 || h.Max() != 0 || h.Count() != 0 {
		t.Error("an empty histogram is not zero")
	}
	h.Record(-5)
	if h.Max() != 0 || h.Count() != 1 || h.Quantile(1) != 0 {
		t.Error("a negative duration is not zero")
	}
}
