package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// kernelReaches says what kernels/near.cu does of a vector, in its floats: whether its score may reach T, by a sum less what that of zeros is.
func kernelReaches(s *Sums, by Similarity, m *Meta, rest Upper, T float64, sum, more float32) bool {
	down := func(x float64) float32 { return float32(x - math.Abs(x)*0x1p-20) }
	up := func(x float64) float32 { return float32(x * (1 + 0x1p-20)) }
	fma := func(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }
	if m.Step == 0 {
		return true
	}
	x := 1 / m.Step
	y := m.Norm
	if by == Euclidean {
		y = m.Far * m.Far
	}
	y *= x
	h := fma(up(s.Wide), m.Far, rest.Value()) * x
	least := fma(down(s.A+s.AT*T), x, fma(down(s.B+s.BT*T), y, fma(-up(s.Rest), h, more-5)))
	return !(sum+more < least)
}

// kernelBounds returns what kernels/near.cu takes for the least and the most that a vector scores, by both planes.
func kernelBounds(s *Sums, by Similarity, m *Meta, sum float32) (least, most float32) {
	if m.Step == 0 {
		return float32(math.Inf(-1)), float32(math.Inf(1))
	}
	x := 1 / float64(m.Step)
	y := float64(m.Norm) * x
	if by == Euclidean {
		y = float64(m.Far) * float64(m.Far) * x
	}
	up := func(x float64) float64 { return float64(float32(x * (1 + 0x1p-20))) }
	off := up(s.Rest) * (float64(m.R8.Value()) + up(s.Wide)*float64(m.Far)) * x
	bound := func(off, a, aT, b, up float64) float32 {
		size := math.Abs(float64(sum)) + math.Abs(off) + math.Abs(a*x) + math.Abs(b*y)
		v := (float64(sum) + off - a*x - b*y + up*size*0x1p-40) / (aT*x + s.BT*y)
		return float32(v + up*math.Abs(v)*0x1p-22)
	}
	return bound(-off, s.Low, s.LowT, s.LowB, -1), bound(off, s.A, s.AT, s.B, 1)
}

// No vector whose score reaches T is left out by kernels, also for queries that are made to break that, and some are left out.
func TestQuerySums(t *testing.T) {
	out, all := 0, 0
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
				s, q := SumsOf(w.coder, by, v), NewQuery(w.coder, by, v)
				for i, x := range w.floats {
					m := &w.set.Metas[i]
					upper, lower := 0, 0
					for j := range size {
						h, l, at := w.set.High[i*size+j], w.set.Low[i*size+j], j/32*64+j%32
						upper += int(h&15)*int(s.Codes[at]) + int(h>>4)*int(s.Codes[at+32])
						lower += int(l&15)*int(s.Codes[at]) + int(l>>4)*int(s.Codes[at+32])
					}
					score := float64(q.Score(x, m))
					by4 := kernelReaches(&s, by, m, m.R4, score, float32(upper-s.Zero), 1.5*(1<<23))
					by8 := kernelReaches(&s, by, m, m.R8, score, float32(16*upper+lower-128*s.Sum)/16, 0)
					if !by4 || !by8 {
						t.Errorf("similarity %d of %d dimensions: a vector that scores %g is left out: %v, %v", by, dims, score, by4, by8)
					}
					if least, most := kernelBounds(&s, by, m, float32(16*upper+lower-128*s.Sum)/16); !(float64(least) <= score && score <= float64(most)) {
						t.Errorf("similarity %d of %d dimensions: a score of %g is not from %g to %g", by, dims, score, least, most)
					}
					if all++; !kernelReaches(&s, by, m, m.R8, score+0.3*math.Abs(score), float32(16*upper+lower-128*s.Sum)/16, 0) {
						out++
					}
				}
			}
		}
	})
	if out < all/4 {
		t.Errorf("of %d vectors %d are left out whose scores are less than wanted", all, out)
	}
}
