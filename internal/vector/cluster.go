package vector

import (
	"math"
	"slices"
)

// Clusters are groups of vectors that are near one another, each about a point. A vector is in the cluster of a point that is near to it, as
// far as upper planes tell: the points are vectors with codes. Those of vectors compared by Cosine have length 1.
//
// The points are themselves in clusters, in whose order they are, so that a vector is compared with a few of them.
type Clusters struct {
	Dims    int
	By      Similarity
	Base    []float32 // what codes are distances from
	Metas   []Meta    // of the points, then of those of their clusters
	High    []byte    // upper planes of both
	Ends    []uint32  // of the points of each of their clusters
	Spread  float32   // the mean distance of vectors from their points, at training
	Trained uint64    // how many vectors an index had then
	Version uint64    // a hash of all of this
}

// Len returns the number of clusters.
func (c *Clusters) Len() int { return len(c.Metas) - len(c.Ends) }

// Clone returns a copy.
func (c *Clusters) Clone() *Clusters {
	o := *c
	o.Base, o.Metas, o.High, o.Ends = slices.Clone(c.Base), slices.Clone(c.Metas), slices.Clone(c.High), slices.Clone(c.Ends)
	return &o
}

// coder returns what makes codes of points.
func (c *Clusters) coder() *Coder { return NewCoder(RotationOf(c.Dims), c.Base) }

// point is a vector that is compared with points, as integers.
type point struct {
	codes   []int8
	byCode  float64 // times the step of a point and products of codes: twice what these stand for, and
	less    float64 // times its step: what is too much of them
	squared float64 // of its length
}

// pointOf returns what c compares with points, of a vector that is compared by itself.
func pointOf(c *Coder, own []float32, codes []int8) point {
	c.turn(own, c.Centre)
	step := greatest(c.turned) / most
	if step < 0x1p-100 {
		step = 0
	}
	var s sums
	quantize(c.codes, c.turned, c.moved, step, &s)
	codes = slices.Grow(codes[:0], len(c.codes))[:len(c.codes)]
	clear(codes[len(own):])
	sum := 0
	for i, code := range c.codes[:len(own)] {
		codes[i] = int8(int(code) - middle)
		sum += int(code) - middle
	}
	return point{codes, 32 * float64(step), 2 * (middle - 7.5) * float64(float64(step)*float64(sum)), s[moved]}
}

// distance returns how far a point is, given how near.
func (p *point) distance(near float64) float64 { return math.Sqrt(max(p.squared-near, 0)) }

// nearness sets dst to how near points from lo up to hi are: a distance squared, negated, but for the length of p.
func (c *Clusters) nearness(dst []float64, p *point, lo, hi int, within bool) {
	var which [chunk]uint32
	var products [chunk]int32
	for at := lo; at < hi; at += chunk {
		n := min(chunk, hi-at)
		for i := range n {
			which[i] = uint32(at + i)
		}
		upperProducts(products[:n], c.High, which[:n], p.codes)
		for i := range n {
			m := &c.Metas[at+i]
			near := float64(m.Step) * (float64(p.byCode*float64(products[i])) - p.less)
			if far := float64(m.Far); within {
				near = float64(near) - float64(far*far)
			}
			dst[at-lo+i] = near
		}
	}
}

// Finder finds the clusters of vectors. It is for one goroutine.
type Finder struct {
	of    *Clusters
	coder *Coder
	room  []float32
	codes []int8
	near  []float64
}

// Finder returns a new Finder.
func (c *Clusters) Finder() *Finder {
	return &Finder{of: c, coder: c.coder(), room: make([]float32, c.Dims)}
}

// unitOf sets dst to v as clusters of vectors compared by a similarity have it.
func unitOf(dst, v []float32, by Similarity) []float32 {
	length := float32(1)
	if by == Cosine {
		length = norm(v)
	}
	for i, x := range v {
		dst[i] = x / length
	}
	return dst
}

// groupsNear is how many groups of points a vector is compared with.
const groupsNear = 2

// Find returns the cluster of v, and how far its point is.
func (f *Finder) Find(v []float32) (cluster uint32, far float64) {
	p := pointOf(f.coder, unitOf(f.room, v, f.of.By), f.codes)
	f.codes = p.codes
	n, groups := f.of.Len(), len(f.of.Ends)
	f.near = slices.Grow(f.near[:0], n+groups)[:n+groups]
	all := f.near[n:]
	f.of.nearness(all, &p, n, n+groups, true)
	for g, last := range f.of.Ends { // groups without points are not near
		if g > 0 && f.of.Ends[g-1] == last || last == 0 {
			all[g] = math.Inf(-1)
		}
	}
	best := math.Inf(-1)
	for range min(groupsNear, groups) {
		g := 0
		for i, x := range all {
			if x > all[g] {
				g = i
			}
		}
		all[g] = math.Inf(-1)
		lo, hi := 0, int(f.of.Ends[g])
		if g > 0 {
			lo = int(f.of.Ends[g-1])
		}
		f.of.nearness(f.near[lo:hi], &p, lo, hi, true)
		for i, x := range f.near[lo:hi] {
			if n := uint32(lo + i); x > best || x == best && n < cluster {
				best, cluster = x, n
			}
		}
	}
	return cluster, p.distance(best)
}

// Nearness returns how near each cluster is to a query: the greater, the nearer.
func (c *Clusters) Nearness(v []float32) []float64 {
	coder := c.coder()
	if c.By == Product {
		coder.Centre = nil
	}
	p := pointOf(coder, unitOf(make([]float32, c.Dims), v, c.By), nil)
	near := make([]float64, c.Len())
	c.nearness(near, &p, 0, c.Len(), c.By != Product)
	return near
}
