package vector

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// What a code that is kept alone stands for has the same code, is as far as its meta says, and not farther from the vector.
func TestAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v := drawVector(t, r, dims, "vector")
		if rapid.IntRange(0, 9).Draw(t, "none") == 0 {
			v = make([]float32, dims)
		}
		c := NewCoder(RotationOf(dims), nil)
		c.Alone = true
		high, low, m := c.Encode(nil, nil, v)
		if why := c.CheckAlone(high, low, &m); why != "" {
			t.Fatalf("the code of %v, %+v, %s", v, m, why)
		}
		stands, back := make([]float32, Padded(dims)), make([]float32, dims)
		Stands(stands[:dims], high, low, m.Step)
		c.Turn.Undo(back, stands[:dims])
		off, rest := 0.0, 0.0
		for i, x := range back {
			off += math.Pow(float64(x)-float64(v[i]), 2)
			at, shift := i/group*groupSize+i%groupSize, i%group/groupSize*4
			rest += math.Pow(float64(stands[i])-float64(m.Step)*stands4(high[at]>>shift), 2)
		}
		length := lengthOf(stands)
		if off := math.Sqrt(off); off > float64(m.R8.Value())+turnError*length {
			t.Errorf("%d dimensions: the code is off by %g, above %g", dims, off, m.R8.Value())
		}
		if math.Abs(length-float64(m.Norm)) > length*unit || m.Far != m.Norm || math.Sqrt(rest) > float64(m.R4.Value()) {
			t.Errorf("%d dimensions: length %g, %g off the upper plane, and %+v", dims, length, math.Sqrt(rest), m)
		}
		high2, low2, m2 := c.Encode(nil, nil, back)
		if m2.R8 = m.R8; !bytes.Equal(high, high2) || !bytes.Equal(low, low2) || m != m2 {
			t.Errorf("%d dimensions: %+v is %+v if it is coded again", dims, m, m2)
		}
	})
}

// stands4 returns what the lower half of b, of an upper plane, stands for, in steps.
func stands4(b byte) float64 { return float64(b&15)*16 + 7.5 - 128 }

// A code that is kept alone is not taken for right if a part of it is changed.
func TestCheckAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v := drawVector(t, r, dims, "vector")
		v[0]++
		c := NewCoder(RotationOf(dims), nil)
		c.Alone = true
		high, low, m := c.Encode(nil, nil, v)
		flip := func(f *float32, bit int) { *f = math.Float32frombits(math.Float32bits(*f) ^ 1<<bit) }
		switch bit := r.IntN(32); rapid.IntRange(0, 6).Draw(t, "part") {
		case 0:
			flip(&m.Step, bit)
		case 1:
			flip(&m.Far, bit)
		case 2:
			flip(&m.Norm, bit)
		case 3:
			m.R4 ^= 1 << (bit % 16)
		case 4:
			m.R8 = []Upper{0x7f80, 0x7fc0, 0x8080, upperOf(float64(m.Norm))}[bit%4] // of one dimension little is left out
		case 5:
			high[r.IntN(len(high))] ^= 1 << (bit % 8)
		default:
			low[r.IntN(len(low))] ^= 1 << (bit % 8)
		}
		if c.CheckAlone(high, low, &m) == "" {
			t.Errorf("%d dimensions, changed: %+v", dims, m)
		}
	})
}

// What a vector scores without rounding is in the range that its code gives.
func TestRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims, r := drawDims(t), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		c := NewCoder(RotationOf(dims), nil)
		c.Alone = true
		v, by := drawVector(t, r, dims, "vector"), rapid.SampledFrom([]Similarity{Cosine, Product, Euclidean}).Draw(t, "similarity")
		high, low, m := c.Encode(nil, nil, v)
		stands, back := make([]float32, Padded(dims)), make([]float32, dims)
		Stands(stands[:dims], high, low, m.Step)
		c.Turn.Undo(back, stands)
		worst := make([]float32, dims) // what the code leaves out
		for i := range worst {
			worst[i] = v[i] - back[i]
		}
		for _, asked := range [][]float32{drawVector(t, r, dims, "query"), v, worst} {
			if c.Check(asked, by) != nil || c.Check(v, by) != nil {
				continue
			}
			q := NewQuery(c, by, asked)
			score := q.Score(stands, &m)
			least, most := q.Range(&m, score)
			product, square := exactly(asked, v)
			exact, _ := product.Float64()
			switch by {
			case Cosine:
				exact /= lengthOf(asked) * lengthOf(v)
			case Euclidean:
				exact, _ = square.Neg(square).Float64()
			}
			if !(float64(least) <= exact && exact <= float64(most)) || least > score || most < score {
				t.Errorf("similarity %d of %d dimensions: %g is not from %g to %g, about %g", by, dims, exact, least, most, score)
			}
		}
	})
}

// The range of a score holds where the squares of a query's values are 0 in float32.
func TestRangeOfTiny(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 2))
	c := NewCoder(RotationOf(3), nil)
	c.Alone = true
	for range 200 {
		v, asked := make([]float32, 3), make([]float32, 3)
		for i := range v {
			v[i], asked[i] = float32(r.NormFloat64()), float32(r.NormFloat64()*1e-25)
		}
		high, low, m := c.Encode(nil, nil, v)
		stands := make([]float32, Padded(3))
		Stands(stands[:3], high, low, m.Step)
		q := NewQuery(c, Product, asked)
		least, most := q.Range(&m, q.Score(stands, &m))
		product, _ := exactly(asked, v)
		if exact, _ := product.Float64(); !(float64(least) <= exact && exact <= float64(most)) {
			t.Fatalf("%v and %v: %g is not from %g to %g", asked, v, exact, least, most)
		}
	}
}
