package regress

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/simd"
)

// TestLine checks that the fixed-point line is at most one below the exact one, and never
// above it, for all elements that share an origin.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope := rapid.Uint64Range(0, 1<<60).Draw(t, "slope") >> rapid.IntRange(0, 60).Draw(t, "shift")
		origin := rapid.IntRange(0, 1<<20).Draw(t, "origin")
		l := Line{Slope: slope, Intercept: rapid.Uint32().Draw(t, "intercept")}
		local := l.From(origin)
		for _, j := range []int{0, 1, 2, 63, 126, 127} {
			exact := new(big.Int).Mul(new(big.Int).SetUint64(slope), big.NewInt(int64(origin+j)))
			exact.Rsh(exact, 32).Add(exact, big.NewInt(int64(l.Intercept)))
			want := uint32(exact.And(exact, big.NewInt(1<<32-1)).Uint64())
			if got := local.At(j); want-got > 1 {
				t.Fatalf("element %d from %d: %d, exactly %d", j, origin, got, want)
			}
		}
	})
}

// TestLineValues checks values of the definition in the package comment, which all
// machines must reproduce.
func TestLineValues(t *testing.T) {
	l := Line{Slope: 0x3_8000_0080, Intercept: 1000} // slightly more than 3.5 docIDs per element
	for _, c := range []struct {
		origin, j int
		want      uint32
	}{
		{0, 0, 1000}, {0, 1, 1003}, {0, 2, 1007}, {0, 127, 1444},
		{128, 0, 1448}, {128, 127, 1892},
		{1 << 25, 0, 1000 + 7<<24 + 1}, {1 << 24, 1, 1000 + 7<<23 + 4},
	} {
		if got := l.From(c.origin).At(c.j); got != c.want {
			t.Errorf("element %d from %d is %d, want %d", c.j, c.origin, got, c.want)
		}
	}
}

func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Local{
			Start:    rapid.Uint32Range(0, 1<<31).Draw(t, "start"),
			Step:     rapid.Uint32Range(0, 1<<rapid.IntRange(0, 25).Draw(t, "step bits")).Draw(t, "step"),
			Frac:     rapid.Uint32Range(0, 1<<25-1).Draw(t, "frac"),
			FracStep: rapid.Uint32Range(0, 1<<25-1).Draw(t, "frac step"),
		}
		top := rapid.Uint32Range(0, 5).Draw(t, "top")
		v := rapid.SliceOfN(rapid.Uint32Range(0, top), 1, 128).Draw(t, "v")
		prev := rapid.SampledFrom([]uint32{codec.NoDoc, 0, 5, l.Start & codec.MaxDoc, codec.MaxDoc}).Draw(t, "prev")
		want := make([]uint32, len(v))
		ok, before := true, int64(int32(prev))
		for j := range v {
			want[j] = v[j] + l.At(j)
			ok = ok && int64(want[j]) > before && want[j] <= codec.MaxDoc
			before = int64(want[j])
		}
		for _, tier := range simd.Tiers() {
			restore := simd.SetLevel(tier)
			got := append(slices.Clone(v), 0xc0ffee)
			says := l.Add(got[:len(v)], prev)
			restore()
			if says != ok {
				t.Fatalf("%v says %v, want %v for %v after %d", tier, says, ok, want, prev)
			}
			if !slices.Equal(got[:len(v)], want) || got[len(v)] != 0xc0ffee {
				t.Fatalf("%v: got %v, want %v", tier, got, want)
			}
		}
	})
}

// TestFit compares the fit with one in rational numbers.
func TestFit(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1000, 20000} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		docs := make([]uint32, n)
		var sx, sy, sxx, sxy big.Int
		next := uint32(0)
		for i := range docs {
			docs[i] = next + rng.Uint32N(100000)
			next = docs[i] + 1
			x, y := big.NewInt(int64(i)), big.NewInt(int64(docs[i]))
			sx.Add(&sx, x)
			sy.Add(&sy, y)
			sxx.Add(&sxx, new(big.Int).Mul(x, x))
			sxy.Add(&sxy, new(big.Int).Mul(x, y))
		}
		bn := big.NewInt(int64(n))
		num := new(big.Int).Sub(new(big.Int).Mul(bn, &sxy), new(big.Int).Mul(&sx, &sy))
		den := new(big.Int).Sub(new(big.Int).Mul(bn, &sxx), new(big.Int).Mul(&sx, &sx))
		slope := new(big.Rat).SetFrac(num, den)
		l := Fit(docs)
		got := new(big.Rat).SetFrac(new(big.Int).SetUint64(l.Slope), big.NewInt(1<<32))
		diff := new(big.Rat).Sub(got, slope)
		if d, _ := diff.Float64(); d > 1e-6 || d < -1e-6 {
			t.Errorf("n %d: slope is off by %g", n, d)
		}
		// The line passes through the means.
		mid := new(big.Rat).SetFrac(&sy, bn)
		at := new(big.Rat).Mul(got, big.NewRat(int64(n-1), 2))
		at.Add(at, big.NewRat(int64(int32(l.Intercept)), 1))
		if d, _ := at.Sub(at, mid).Float64(); d > 2 || d < -2 {
			t.Errorf("n %d: line passes %g from the mean", n, d)
		}
	}
}

func TestFitSteep(t *testing.T) {
	for _, docs := range [][]uint32{
		{0, codec.MaxDoc}, {codec.MaxDoc}, {0, 1, 2, codec.MaxDoc}, {0, codec.MaxDoc - 1, codec.MaxDoc}, {7, 8},
	} {
		l := Fit(docs)
		var dev [BlockLen]int32
		lo, hi := Deviations(dev[:], docs, l.From(0))
		if uint32(hi-lo) > codec.MaxDoc {
			t.Errorf("%v: deviations from %d to %d", docs, lo, hi)
		}
		for j, d := range docs {
			if got := l.From(0).At(j) + uint32(lo) + uint32(dev[j]-lo); got != d {
				t.Errorf("%v: element %d is %d", docs, j, got)
			}
		}
	}
}

func TestSegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, BlockLen).Draw(t, "n")
		width := rapid.IntRange(0, 31).Draw(t, "width")
		dev := rapid.SliceOfN(rapid.Int32Range(-1<<width, 1<<width-1), n, n).Draw(t, "dev")
		least := slices.Min(dev)
		extraBits := rapid.SampledFrom([]uint{0, 5}).Draw(t, "extra bits")
		extra := rapid.Uint32Range(0, 1<<extraBits-1).Draw(t, "extra")
		lambda := make([]uint32, n)
		s := New(lambda, dev, least, extra, extraBits)
		p := s.Append([]byte{1, 2, 3, 4}, lambda, extraBits)[4:]
		if len(p) != int(s.Words())*4 {
			t.Fatalf("%d bytes, planned %d words", len(p), s.Words())
		}
		var o Segment
		if !o.open(p, n, extraBits) || o.Extra != extra || o.Least != uint32(least) || o.Plan != s.Plan {
			t.Fatalf("opened as %+v, written as %+v", o, s)
		}
		dst := make([]uint32, BlockLen)
		if !o.Lambda(dst) {
			t.Fatal("refused")
		}
		for j, d := range dev {
			if dst[j]+o.Least != uint32(d) {
				t.Fatalf("element %d is %d, not %d", j, dst[j]+o.Least, uint32(d))
			}
		}
		if o.open(p[:len(p)-4], n, extraBits) {
			t.Fatal("opened without its last word")
		}
	})
}
