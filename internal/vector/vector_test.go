package vector

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/internal/simd"
)

// drawVector returns a vector of one of the kinds that codes and bounds find hard.
func drawVector(t *rapid.T, r *rand.Rand, dims int, name string) []float32 {
	v := make([]float32, dims)
	scale := math.Ldexp(1, rapid.SampledFrom([]int{0, 0, 0, -30, 30, 45}).Draw(t, name+" scale"))
	switch kind := rapid.IntRange(0, 5).Draw(t, name); kind {
	case 0: // like those of models
		for i := range v {
			v[i] = float32(r.NormFloat64() * scale)
		}
	case 1: // one dimension
		v[r.IntN(dims)] = float32(scale)
	case 2: // magnitudes far apart
		for i := range v {
			v[i] = float32(math.Ldexp(r.NormFloat64(), -r.IntN(60)) * scale)
		}
	case 3: // all the same
		for i := range v {
			v[i] = float32(scale)
		}
	case 4: // signs
		for i := range v {
			v[i] = float32(scale)
			if r.IntN(2) == 0 {
				v[i] = -v[i]
			}
		}
	case 5: // near one another
		for i := range v {
			v[i] = float32((1 + r.NormFloat64()*0x1p-20) * scale)
		}
	}
	return v
}

func padded(v []float32) []float32 {
	return append(slices.Clone(v), make([]float32, Padded(len(v))-len(v))...)
}

// drawDims returns how many dimensions vectors of a test have.
func drawDims(t *rapid.T) int {
	if rapid.Bool().Draw(t, "usual") {
		return rapid.SampledFrom([]int{1, 2, 3, 64, 100, 384, 768, 1024}).Draw(t, "dims")
	}
	return rapid.IntRange(1, 300).Draw(t, "dims")
}

// exactly returns the product of a and b, and the square of their distance, without rounding.
func exactly(a, b []float32) (product, square *big.Float) {
	product, square = new(big.Float).SetPrec(4000), new(big.Float).SetPrec(4000)
	of := func(x float32) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(float64(x)) }
	for i := range a {
		x, y := of(a[i]), of(b[i])
		product.Add(product, new(big.Float).SetPrec(4000).Mul(x, y))
		d := x.Sub(x, y)
		square.Add(square, d.Mul(d, d))
	}
	return product, square
}

// Sums are the same on all tiers, and not farther from those without rounding than sumError says.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a, b := padded(drawVector(t, r, dims, "a")), padded(drawVector(t, r, dims, "b"))
		product, square := dotPortable(a, b), squaredDistancePortable(a, b)
		for _, tier := range simd.Tiers() {
			restore := simd.SetLevel(tier)
			if p, s := Dot(a, b), SquaredDistance(a, b); math.Float32bits(p) != math.Float32bits(product) || math.Float32bits(s) != math.Float32bits(square) {
				t.Errorf("%v: %v and %v, want %v and %v", tier, p, s, product, square)
			}
			restore()
		}
		p, s := exactly(a, b)
		exact, _ := p.Float64()
		if off := math.Abs(float64(product) - exact); off > sumError(dims)*lengthOf(a)*lengthOf(b)+tiny {
			t.Errorf("a product of %d dimensions is off by %g", dims, off)
		}
		exact, _ = s.Float64()
		if off := math.Abs(float64(square) - exact); off > sumError(dims)*exact+tiny {
			t.Errorf("a distance of %d dimensions is off by %g", dims, off)
		}
	})
}

// A rotation keeps products, as far as turnError says.
func TestRotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		turn, err := NewRotation(dims, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		a, b := drawVector(t, r, dims, "a"), drawVector(t, r, dims, "b")
		ta, tb := make([]float32, dims), make([]float32, dims)
		turn.Apply(ta, a)
		turn.Apply(tb, b)
		before, _ := exactly(a, b)
		after, _ := exactly(ta, tb)
		off, _ := after.Sub(after, before).Float64()
		if most := 2.1 * turnError * lengthOf(a) * lengthOf(b); math.Abs(off) > most+tiny {
			t.Errorf("a product of %d dimensions is off by %g, above %g", dims, off, most)
		}
	})
	for _, dims := range []int{-1, 0, MaxDims + 1} {
		if _, err := NewRotation(dims, 1); !errors.Is(err, errs.ErrInvalid) {
			t.Errorf("%d dimensions: %v", dims, err)
		}
	}
}

// Hadamard transforms have the same bits on all tiers, at all lengths.
func TestHadamard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v := drawVector(t, r, 1<<rapid.IntRange(0, 12).Draw(t, "levels"), "values")
		factor := rapid.Float32Range(0, 1).Draw(t, "factor")
		want := slices.Clone(v)
		hadamardPortable(want, factor)
		for _, tier := range simd.Tiers() {
			restore, got := simd.SetLevel(tier), slices.Clone(v)
			hadamard(got, factor)
			restore()
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%v: value %d of %d is %v, want %v", tier, i, len(v), got[i], want[i])
				}
			}
		}
	})
}

// Codes are rounded as math.Round does, halves included.
func TestRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-128, 128).Draw(t, "value")
		half := math.Trunc(v) + 0.5
		for _, v := range []float64{v, half, math.Nextafter(half, 0), math.Nextafter(half, 200), -half} {
			if got, want := rounded(v), int(math.Round(v)); got != want {
				t.Errorf("%v is %d, want %d", v, got, want)
			}
		}
	})
}

// Rotations, codes and scores are part of the format: the same on every platform.
func TestGolden(t *testing.T) {
	turn, err := NewRotation(7, 12)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 7)
	turn.Apply(got, []float32{1, 2, 3, 4, 5, 6, 7})
	if want := []float32{-4.3284273, -2.328427, 6.3284273, -1.6715729, -0.82842714, 4.8284273, 7}; !slices.Equal(got, want) {
		t.Errorf("turned: %v, want %v", got, want)
	}
	const dims = 100
	turn, err = NewRotation(dims, 3)
	if err != nil {
		t.Fatal(err)
	}
	v, q, centre := make([]float32, dims), make([]float32, dims), make([]float32, dims)
	for i := range v {
		v[i], q[i], centre[i] = float32(i*i%31)-14.3, float32(i*7%29)/3-4, float32(i%5)/7
	}
	high, low, m := NewCoder(turn, centre).Encode(nil, nil, v)
	h := fnv.New64a()
	h.Write(high)
	h.Write(low)
	fmt.Fprint(h, m, Dot(padded(v), padded(q)), SquaredDistance(padded(v), padded(q)), Norm(padded(q)))
	if got := h.Sum64(); got != 0xd62050d1ca26487 {
		t.Errorf("%#x: planes %x, %x; %+v; scores %v, %v, %v", got, high, low, m,
			Dot(padded(v), padded(q)), SquaredDistance(padded(v), padded(q)), Norm(padded(q)))
	}
}

// Sums of products of codes are the same on all tiers.
func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		size, n := PlaneSize(dims), rapid.IntRange(1, 9).Draw(t, "n")
		extreme := rapid.Bool().Draw(t, "extreme")
		high, low := make([]byte, n*size), make([]byte, n*size)
		narrow, wide := make([]int8, 2*size), make([]int16, 2*size)
		for i := range high {
			high[i], low[i] = byte(r.Uint32()), byte(r.Uint32())
			if extreme {
				high[i], low[i] = 0xff, 0xff
			}
		}
		for i := range narrow {
			narrow[i], wide[i] = int8(r.IntN(255)-127), int16(r.IntN(2*most8+1)-most8)
			if extreme {
				narrow[i], wide[i] = most4, most8
			}
		}
		want, got, which := make([]int32, n), make([]int32, n, chunk), make([]uint32, n, chunk)
		for i := range which {
			which[i] = uint32(i)
			if rapid.Bool().Draw(t, "elsewhere") {
				which[i] = uint32(r.IntN(n))
			}
		}
		slices.Sort(which)
		upperProductsPortable(want, high, which, narrow)
		for _, tier := range simd.Tiers() {
			restore := simd.SetLevel(tier)
			if upperProducts(got, high, which, narrow); !slices.Equal(got, want) {
				t.Errorf("%v: %v, want %v", tier, got, want)
			}
			for i := range n {
				h, l := high[i*size:(i+1)*size], low[i*size:(i+1)*size]
				if sum, want := bothProducts(h, l, wide), bothProductsPortable(h, l, wide); sum != want {
					t.Errorf("%v: both %d, want %d", tier, sum, want)
				}
			}
			restore()
		}
	})
}

// world is vectors with their codes.
type world struct {
	coder  *Coder
	set    Set
	floats [][]float32
}

func newWorld(t *rapid.T, r *rand.Rand, dims, n int) *world {
	turn, err := NewRotation(dims, r.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	var centre []float32
	if rapid.Bool().Draw(t, "centred") {
		centre = drawVector(t, r, dims, "centre")
	}
	w := &world{coder: NewCoder(turn, centre)}
	w.coder.Alone = centre == nil && rapid.Bool().Draw(t, "alone")
	w.set = Set{Dims: dims, Floats: func(i int) []float32 { return w.floats[i] }}
	common := drawVector(t, r, dims, "common")
	crowd := rapid.SampledFrom([]float32{0, 1, 5}).Draw(t, "crowd")
	for range n {
		v := drawVector(t, r, dims, "vector")
		for i := range v {
			v[i] += crowd * common[i]
		}
		w.add(t, v)
	}
	return w
}

func (w *world) add(t *rapid.T, v []float32) {
	dims := len(v)
	if w.coder.Check(v, Cosine) != nil {
		return
	}
	var m Meta
	n := len(w.set.High)
	w.set.High, w.set.Low, m = w.coder.Encode(w.set.High, w.set.Low, v)
	if v = padded(v); w.coder.Alone {
		Stands(v[:dims], w.set.High[n:], w.set.Low[n:], m.Step)
	}
	w.set.Metas, w.floats = append(w.set.Metas, m), append(w.floats, v)
}

// hardest returns the query that is most wrong about vector i by the upper plane: what that leaves out of it.
func (w *world) hardest(i, sign int) []float32 {
	dims := w.set.Dims
	size := PlaneSize(dims)
	w.coder.turn(w.floats[i][:dims], w.coder.Centre)
	if w.coder.Alone {
		copy(w.coder.turned, w.floats[i])
	}
	rest := make([]float32, dims)
	for d := range rest {
		at, shift := i*size+d/group*groupSize+d%groupSize, d%group/groupSize*4
		code := int(w.set.High[at]>>shift&15) << 4
		rest[d] = float32(sign) * (w.coder.turned[d] - w.set.Metas[i].Step*float32(stands[code].upper))
	}
	return w.coder.Turn.back(rest)
}

// No score is above its bounds, also not for queries that are made to break them.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newWorld(t, r, dims, rapid.IntRange(1, 12).Draw(t, "vectors"))
		queries := [][]float32{drawVector(t, r, dims, "query")}
		for i := range w.floats {
			queries = append(queries, w.hardest(i, 1), w.hardest(i, -1), w.floats[i][:dims])
		}
		size := PlaneSize(dims)
		for _, v := range queries {
			for by := Cosine; by <= Euclidean; by++ {
				if w.coder.Check(v, by) != nil {
					continue
				}
				q := NewQuery(w.coder, by, v)
				for i, x := range w.floats {
					m, high, low := &w.set.Metas[i], w.set.High[i*size:(i+1)*size], w.set.Low[i*size:(i+1)*size]
					var products [chunk]int32
					var b4, b8 [1]float64
					which := make([]uint32, 1, chunk)
					which[0] = uint32(i)
					upperProducts(products[:1], w.set.High, which, q.narrow)
					q.bounds(b4[:], &q.upper, products[:1], w.set.Metas, which)
					products[0] = bothProducts(high, low, q.both.codes)
					q.bounds(b8[:], &q.both, products[:1], w.set.Metas, which)
					if score := float64(q.Score(x, m)); !(score <= b4[0] && score <= b8[0]) {
						t.Errorf("similarity %d of %d dimensions: %g is above %g or %g", by, dims, score, b4[0], b8[0])
					}
				}
			}
		}
	})
}

// A scan finds what comparing all floats finds, from where it is asked and in the mask.
func TestScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newWorld(t, r, dims, rapid.IntRange(0, 40).Draw(t, "vectors"))
		for range rapid.SampledFrom([]int{0, 300}).Draw(t, "copies") { // of the same vectors, with some noise
			if len(w.floats) > 0 {
				v := slices.Clone(w.floats[r.IntN(len(w.floats))][:dims])
				v[r.IntN(dims)] *= 1 + float32(r.IntN(3))*0x1p-10
				w.add(t, v)
			}
		}
		n, k := len(w.floats), rapid.IntRange(1, 20).Draw(t, "k")
		lo := rapid.IntRange(0, n).Draw(t, "lo")
		hi := rapid.IntRange(lo, n).Draw(t, "hi")
		var mask []uint64
		if share := rapid.SampledFrom([]int{0, 2, 30}).Draw(t, "share"); share > 0 {
			mask = make([]uint64, (n+63)/64)
			for i := range n {
				if r.IntN(share) == 0 {
					mask[i/64] |= 1 << (i % 64)
				}
			}
		}
		by := rapid.SampledFrom([]Similarity{Cosine, Product, Euclidean}).Draw(t, "similarity")
		var queries []*Query
		var least []float32
		for range rapid.IntRange(1, 3).Draw(t, "queries") {
			if v := drawVector(t, r, dims, "query"); w.coder.Check(v, by) == nil {
				queries, least = append(queries, NewQuery(w.coder, by, v)), append(least, float32(math.Inf(-1)))
			}
		}
		all, got := make([][]found, len(queries)), make([][]found, len(queries))
		n = 0
		for j, q := range queries {
			for i := lo; i < hi; i++ {
				if mask == nil || mask[i/64]>>(i%64)&1 != 0 {
					all[j] = append(all[j], found{i, q.Score(w.floats[i], &w.set.Metas[i])})
				}
			}
			n += len(all[j])
		}
		counts := Scan(queries, &w.set, lo, hi, mask, least, func(j, i int, score float32) float32 {
			if got[j] = best(append(got[j], found{i, score}), k); len(got[j]) < k {
				return float32(math.Inf(-1))
			}
			return got[j][k-1].score
		})
		for j := range queries {
			if want := best(all[j], k); !slices.Equal(got[j], want) {
				t.Errorf("%v, want %v", got[j], want)
			}
		}
		if counts.Vectors != n || counts.Both > counts.Vectors || counts.Floats > counts.Both {
			t.Errorf("%+v of %d", counts, n)
		}
	})
}

type found struct {
	i     int
	score float32
}

// best returns the k best of all, the lower number first of the same score.
func best(all []found, k int) []found {
	slices.SortFunc(all, func(a, b found) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		return a.i - b.i
	})
	return all[:min(k, len(all))]
}

// Vectors that cannot be compared are refused.
func TestCheck(t *testing.T) {
	turn, _ := NewRotation(3, 1)
	c := NewCoder(turn, nil)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{1, 2}, {1, 2, 3, 4}, {1, nan, 3}, {1, 2, inf}, {-inf, 2, 3}, {0x1p60, 0x1p60, 0}} {
		if err := c.Check(v, Product); !errors.Is(err, errs.ErrInvalid) {
			t.Errorf("%v: %v", v, err)
		}
	}
	for _, v := range [][]float32{{0, 0, 0}, {0x1p-60, 0, 0}} {
		if err := c.Check(v, Cosine); !errors.Is(err, errs.ErrInvalid) {
			t.Errorf("%v: %v", v, err)
		}
		if err := c.Check(v, Euclidean); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// back is the inverse of Apply, as near as float64 has it.
func (r *Rotation) back(v []float32) []float32 {
	at := make([]float64, r.dims)
	for i, x := range v {
		at[i] = float64(x)
	}
	for i := len(r.rounds) - 1; i >= 0; i-- {
		o := &r.rounds[i]
		for from := 0; from < r.dims; {
			n := 1
			for 2*n <= r.dims-from {
				n *= 2
			}
			block := at[from : from+n]
			for w := 1; w < n; w *= 2 {
				for j := range block {
					if j&w == 0 {
						block[j], block[j+w] = block[j]+block[j+w], block[j]-block[j+w]
					}
				}
			}
			for j := range block {
				block[j] /= math.Sqrt(float64(n))
			}
			from += n
		}
		before := make([]float64, r.dims)
		for j, from := range o.from {
			before[from] = at[j]
			if o.sign[j] != 0 {
				before[from] = -at[j]
			}
		}
		at = before
	}
	out := make([]float32, r.dims)
	for i, x := range at {
		out[i] = float32(x)
	}
	return out
}
