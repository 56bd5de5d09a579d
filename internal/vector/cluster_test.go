package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/simd"
)

// pointsOf returns what the points of clusters stand for, turned and from the base, as FORMAT.md has codes.
func pointsOf(c *Clusters) [][]float64 {
	all, size := make([][]float64, len(c.Metas)), PlaneSize(c.Dims)
	for i := range all {
		all[i] = make([]float64, c.Dims)
		for j := range all[i] {
			b := c.High[i*size+j/64*32+j%32]
			if j%64 >= 32 {
				b >>= 4
			}
			all[i][j] = float64(c.Metas[i].Step) * (float64(b&15)*16 + 7.5 - 128)
		}
	}
	return all
}

// Training and finding give the same on every tier and number of threads, each vector is about as far from the point of its cluster as
// that is said to be, and no point of its groups is much nearer.
func TestClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		dims, by := rapid.SampledFrom([]int{1, 3, 64, 70, 130}).Draw(t, "dims"), Similarity(rapid.IntRange(1, 3).Draw(t, "by"))
		n, k := rapid.IntRange(1, 200).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "k")
		all := make([][]float32, n)
		for i := range all {
			all[i] = make([]float32, dims)
			for j := range all[i] {
				all[i][j] = float32(r.NormFloat64()) + float32(i%5)
			}
		}
		at := func(i int) []float32 { return all[i] }
		c := Train(dims, by, k, n, 1, at)
		if c.Len() < 1 || c.Len() > n || len(c.Ends) < 1 || int(c.Ends[len(c.Ends)-1]) != c.Len() || !(c.Spread >= 0) {
			t.Fatalf("%d clusters of %d vectors, in groups that end at %v, spread %v", c.Len(), n, c.Ends, c.Spread)
		}
		for _, tier := range []simd.Tier{simd.Portable, simd.Level()} {
			restore := simd.SetLevel(tier)
			o := Train(dims, by, k, n, 3, at)
			restore()
			if !slices.Equal(c.Base, o.Base) || !slices.Equal(c.Metas, o.Metas) || !slices.Equal(c.High, o.High) || !slices.Equal(c.Ends, o.Ends) || c.Spread != o.Spread {
				t.Fatalf("tier %v: other clusters", tier)
			}
		}
		points, f := pointsOf(c), c.Finder()
		for i, v := range all {
			cluster, far := f.Find(v)
			restore := simd.SetLevel(simd.Portable)
			if again, as := c.Finder().Find(v); again != cluster || as != far {
				t.Fatalf("vector %d is in cluster %d at %v, and %d at %v", i, cluster, far, again, as)
			}
			restore()
			length := 1.0
			if by == Cosine {
				length = lengthOf(v)
			}
			from, turned := make([]float32, dims), make([]float32, dims)
			for j, x := range v {
				from[j] = float32(float64(x)/length) - c.Base[j]
			}
			RotationOf(dims).Apply(turned, from)
			exact := 0.0
			for j, x := range turned {
				d := float64(x) - points[cluster][j]
				exact += d * d
			}
			// Codes of queries and the lengths of points are rounded.
			if own := lengthOf(from); math.Abs(math.Sqrt(exact)-far) > 0.35*(own+1) {
				t.Fatalf("vector %d, %v from the base, is %v from its point, said to be %v", i, own, math.Sqrt(exact), far)
			}
		}
	})
}

// Vectors in heaps apart are in clusters apart, and the clusters nearest to one have its heap.
func TestClustersApart(t *testing.T) {
	const dims, heaps, each = 32, 20, 30
	r := rand.New(rand.NewPCG(3, 4))
	var all [][]float32
	for range heaps {
		centre := make([]float32, dims)
		for j := range centre {
			centre[j] = float32(10 * r.NormFloat64())
		}
		for range each {
			v := slices.Clone(centre)
			for j := range v {
				v[j] += float32(0.1 * r.NormFloat64())
			}
			all = append(all, v)
		}
	}
	for _, by := range []Similarity{Cosine, Euclidean} {
		c := Train(dims, by, 80, len(all), 2, func(i int) []float32 { return all[i] })
		f, of := c.Finder(), make([]uint32, len(all))
		heapOf := map[uint32]int{}
		for i, v := range all {
			of[i], _ = f.Find(v)
			if heap, ok := heapOf[of[i]]; ok && heap != i/each {
				t.Errorf("similarity %d: cluster %d has vectors of heaps %d and %d", by, of[i], heap, i/each)
			}
			heapOf[of[i]] = i / each
		}
		for i, v := range all {
			near := c.Nearness(v)
			best := uint32(0)
			for j := range near {
				if near[j] > near[best] {
					best = uint32(j)
				}
			}
			if heap, ok := heapOf[best]; ok && heap != i/each {
				t.Errorf("similarity %d: the cluster nearest to vector %d is of heap %d", by, i, heap)
			}
		}
	}
}
