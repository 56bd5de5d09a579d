package oracle

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// compared returns what a document's vectors and that of n, a Nearest or Similarity, have as the similarity says: the greatest, by float32 and
// in exact arithmetic. ok is false if the document has no vector.
func (t *Trees) compared(n *Node, doc int) (most float32, exact float64, ok bool) {
	most, exact = float32(math.Inf(-1)), math.Inf(-1)
	f := t.field(n.Field)
	compare := similar
	if f.Coded {
		compare = t.similarCodes
	}
	for _, v := range t.docs[doc].Vectors[n.Field] {
		s, x := compare(f.Similarity, n.Vector, v)
		most, exact, ok = max(most, s), max(exact, x), true
	}
	return most, exact, ok
}

// similar is compared for two vectors.
func similar(by string, a, b []float32) (float32, float64) {
	product := func(a, b []float32) float32 { return lanes(a, b, func(x, y float32) float32 { return float32(x * y) }) }
	var dot, square, as, bs float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, square, as, bs = dot+x*y, square+(x-y)*(x-y), as+x*x, bs+y*y
	}
	switch by {
	case "dot":
		return product(a, b), dot
	case "l2":
		return -lanes(a, b, func(x, y float32) float32 { d := x - y; return float32(d * d) }), -square
	}
	root := func(v []float32) float32 { return float32(math.Sqrt(float64(product(v, v)))) }
	lengths := float32(root(a) * root(b))
	return float32(product(a, b) / lengths), dot / math.Sqrt(as*bs)
}

// similarCodes is similar where b is what a code stands for: both are turned.
func (t *Trees) similarCodes(by string, a, b []float32) (float32, float64) {
	z := cached(t.turned, a, func() coded { return coded{values: turned(turned(a, 0, false), 1, false)} }).values
	x := cached(t.codes, b, func() coded { return code(b) })
	s, exact := similar(by, z, x.values)
	if by != "dot" && by != "l2" {
		product := lanes(z, x.values, func(x, y float32) float32 { return float32(x * y) })
		length := float32(math.Sqrt(float64(lanes(z, z, func(x, y float32) float32 { return float32(x * y) }))))
		s = float32(product / float32(length*x.length))
	}
	return s, exact
}

// cached returns what of returns for v, which is not changed.
func cached(in *sync.Map, v []float32, of func() coded) coded {
	c, ok := in.Load(&v[0])
	if !ok {
		c, _ = in.LoadOrStore(&v[0], of())
	}
	return c.(coded)
}

// lanes adds up what of returns for the values of a and b, in 16 sums that are added up by halves.
func lanes(a, b []float32, of func(x, y float32) float32) float32 {
	var sums [16]float32
	for i := range a {
		one := of(a[i], b[i])
		sums[i%16] = float32(sums[i%16] + one)
	}
	for _, half := range []int{8, 4, 2, 1} {
		for i := range half {
			sums[i] = float32(sums[i] + sums[i+half])
		}
	}
	return sums[0]
}

// mostProduct is the greatest product that a score tells from others.
const mostProduct = 0x1p90

// nearness returns the score for what compared returns.
func (t *Trees) nearness(n *Node, s float32, x float64) (score float32, exact float64) {
	boost := n.boosts[0]
	switch t.field(n.Field).Similarity {
	case "dot":
		if s >= 0 {
			return float32(float32(1+min(s, mostProduct)) * float32(boost)), (1 + min(max(x, 0), mostProduct)) * boost
		}
		return float32(float32(1/float32(1-s)) * float32(boost)), 1 / (1 - x) * boost
	case "l2":
		return float32(float32(1/float32(1-s)) * float32(boost)), 1 / (1 - x) * boost
	}
	s = max(-1, min(1, s))
	return float32(float32(float32(1+s)/2) * float32(boost)), (1 + x) / 2 * boost
}

// findNearest sets what each Nearest within n matches, of the documents that pass.
func (t *Trees) findNearest(n *Node, pass func(doc int) bool) {
	if n.Kind == Nearest {
		t.nearest(n, pass)
		return
	}
	for _, k := range n.kids() {
		if !k.hasNearest() {
			continue
		}
		t.findNearest(k, func(doc int) bool { return pass(doc) && t.allows(n, k, doc) })
	}
}

// nearest is findNearest for a Nearest.
func (t *Trees) nearest(n *Node, pass func(doc int) bool) {
	type near struct {
		doc   int
		score float32
	}
	var all []near
	for d := range t.docs {
		if s, _, ok := t.compared(n, d); ok && pass(d) {
			all = append(all, near{d, s})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.score, a.score) })
	n.found = map[int]bool{}
	for _, x := range all[:min(n.K, len(all))] {
		n.found[x.doc] = true
	}
}

// allows reports whether n lets a document be one of the nearest of but, one of its nodes, or of one further down; but is nil for those beside n.
func (t *Trees) allows(n, but *Node, doc int) bool {
	switch {
	case !n.hasNearest():
		return t.matches(n, doc)
	case n.Kind == Const && but == nil:
		return t.allows(n.Must[0], nil, doc)
	case n.Kind != Bool:
		return true
	}
	for _, k := range slices.Concat(n.Must, n.Filter) {
		if k != but && !t.allows(k, nil, doc) {
			return false
		}
	}
	return t.matching(n.Not, doc) == 0
}

// hasNearest reports whether n is a Nearest, or one is within.
func (n *Node) hasNearest() bool {
	return n.Kind == Nearest || slices.ContainsFunc(n.kids(), (*Node).hasNearest)
}

// takeSimilar takes the Similarities of a Bool, and of those within that are nothing else, out of Must and Should.
func (n *Node) takeSimilar() {
	take := func(k *Node) bool {
		switch {
		case k.Kind == Similarity:
			n.Similar = append(n.Similar, k)
			return true
		case k.onlySimilar():
			n.Similar = append(n.Similar, k.Similar...)
			return true
		}
		return false
	}
	n.Must, n.Should = slices.DeleteFunc(n.Must, take), slices.DeleteFunc(n.Should, take)
}

// onlySimilar reports whether n is a Bool of nothing but Similarities, which is as good as absent.
func (n *Node) onlySimilar() bool {
	return n.Kind == Bool && len(n.Similar) > 0 && len(n.Must)+len(n.Should)+len(n.Not)+len(n.Filter) == 0
}

// Halves returns v with each value rounded to the nearest that float16 of IEEE 754 has, of two as near to the even one.
func Halves(v []float32) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		_, exponent := math.Frexp(float64(x))
		unit := math.Ldexp(1, max(exponent-11, -24))
		if out[i] = float32(math.RoundToEven(float64(x)/unit) * unit); math.Abs(float64(out[i])) > 65504 {
			out[i] = float32(math.Inf(int(math.Copysign(1, float64(x)))))
		}
	}
	return out
}
