package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkScan finds the 10 nearest of vectors that are drawn, with the spectrum and clusters of those of a sentence encoder: by their
// codes, and as floats. It reports how many were looked at by both planes, and as floats, for each thousand.
func BenchmarkScan(b *testing.B) {
	const dims, n, queries = 512, 100_000, 64
	r := rand.New(rand.NewPCG(1, 2))
	draw := drawClustered(r, dims, 400)
	floats := make([]float32, 0, n*dims)
	for range n {
		floats = append(floats, draw()...)
	}
	turn, _ := NewRotation(dims, 1)
	w := &Set{Dims: dims, Floats: func(i int) []float32 { return floats[i*dims : (i+1)*dims] }}
	c := NewCoder(turn, Mean(dims, func(yield func([]float32) bool) {
		for i := range n {
			if !yield(w.Floats(i)) {
				return
			}
		}
	}))
	for i := range n {
		var m Meta
		w.High, w.Low, m = c.Encode(w.High, w.Low, w.Floats(i))
		w.Metas = append(w.Metas, m)
	}
	asked := make([][]float32, queries)
	for i := range asked {
		asked[i] = draw()
	}
	scan := func(b *testing.B, mask []uint64, together int) {
		var looked Counts
		for i := 0; i < b.N; i += together {
			queries, least, top := make([]*Query, together), make([]float32, together), make([][]found, together)
			for j := range queries {
				queries[j], least[j] = NewQuery(c, Cosine, asked[(i+j)%len(asked)]), float32(math.Inf(-1))
			}
			counts := Scan(queries, w, 0, n, mask, least, func(j, i int, score float32) float32 {
				if top[j] = best(append(top[j], found{i, score}), 10); len(top[j]) < 10 {
					return float32(math.Inf(-1))
				}
				return top[j][9].score
			})
			looked.Vectors, looked.Both, looked.Floats = looked.Vectors+counts.Vectors, looked.Both+counts.Both, looked.Floats+counts.Floats
		}
		b.ReportMetric(float64(looked.Both)/float64(looked.Vectors)*1000, "both/1000")
		b.ReportMetric(float64(looked.Floats)/float64(looked.Vectors)*1000, "floats/1000")
	}
	b.Run("codes", func(b *testing.B) { scan(b, nil, 1) })
	b.Run("codes, 64 queries together", func(b *testing.B) { scan(b, nil, 64) })
	for _, share := range []int{10, 100} {
		mask := make([]uint64, n/64+1)
		for i := range n {
			if r.IntN(share) == 0 {
				mask[i/64] |= 1 << (i % 64)
			}
		}
		b.Run("of "+map[int]string{10: "a tenth", 100: "a hundredth"}[share], func(b *testing.B) { scan(b, mask, 1) })
	}
	b.Run("floats", func(b *testing.B) {
		for i := range b.N {
			q, least, top := asked[i%queries], float32(math.Inf(-1)), make([]found, 0, 11)
			for j := range n {
				if s := Dot(q, floats[j*dims:(j+1)*dims]); s > least {
					if top = best(append(top, found{j, s}), 10); len(top) == 10 {
						least = top[9].score
					}
				}
			}
		}
	})
}

// drawClustered returns a function that draws vectors of length 1 near one of so many, whose dimensions matter less and less.
func drawClustered(r *rand.Rand, dims, clusters int) func() []float32 {
	gauss := func(by float64) []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(by * r.NormFloat64() / math.Sqrt(1+float64(i)/16))
		}
		return v
	}
	centres := make([][]float32, clusters)
	for i := range centres {
		centres[i] = gauss(1)
	}
	return func() []float32 {
		v, near := gauss(1), centres[r.IntN(clusters)]
		for i := range v {
			v[i] += near[i]
		}
		length := float32(lengthOf(v))
		for i := range v {
			v[i] /= length
		}
		return slices.Clip(v)
	}
}

// BenchmarkEncode measures what a vector takes: the rotation, and its codes.
func BenchmarkEncode(b *testing.B) {
	for _, dims := range []int{384, 512, 768} {
		b.Run(fmt.Sprint(dims), func(b *testing.B) {
			v := make([]float32, dims)
			for i := range v {
				v[i] = float32(math.Sin(float64(i * i)))
			}
			c := NewCoder(RotationOf(dims), nil)
			var high, low []byte
			for b.Loop() {
				high, low, _ = c.Encode(high[:0], low[:0], v)
			}
		})
	}
}

// BenchmarkFind finds the cluster of a vector of 768 dimensions among 3,300.
func BenchmarkFind(b *testing.B) {
	const dims, n = 768, 20_000
	r := rand.New(rand.NewPCG(9, 9))
	all := make([]float32, n*dims)
	for i := range all {
		all[i] = float32(r.NormFloat64() / float64(1+i%dims/16))
	}
	at := func(i int) []float32 { return all[i*dims:][:dims] }
	c := Train(dims, Cosine, 3300, n, 2, at)
	f := c.Finder()
	b.ResetTimer()
	for i := range b.N {
		f.Find(at(i % n))
	}
}
