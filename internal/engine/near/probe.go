package near

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/segment/vectors"
)

// Candidates are the vectors of a segment that a Scan may look at: those of the documents in a mask, bits by their numbers, or all if it is nil.
type Candidates struct {
	*Part
	Base uint32 // the first docID
	Mask []uint64
}

// Add adds segments, before Begin is called: all candidates, which are of one field or, with a probe above 0, those that a search for the k
// documents nearest to q compares. Of segments whose vectors are in the same clusters, these are the documents in the nearest clusters, so many
// that they have the part probe of all vectors, and are k. What is filtered out counts among all, but not among those. Segments without clusters
// are looked at whole. approximate says that something is left out.
func (v *Vectors) Add(q *Query, probe float64, k int, all []Candidates) (approximate bool) {
	type same struct { // clusters
		version uint64
		points  int // a hash may be forged
	}
	groups := map[same]*probing{}
	var order []*probing
	for i := range all {
		c := &all[i]
		if c.Mask != nil && c.Docs() != nil {
			c.Mask = c.ofDocs(c.Mask)
		}
		if probe == 0 || c.Clusters == nil {
			v.add(c)
			continue
		}
		of := same{c.Clusters.Version, c.Clusters.Len()}
		g := groups[of]
		if g == nil {
			g = &probing{clusters: c.Clusters}
			groups[of] = g
			order = append(order, g)
		}
		g.all = append(g.all, c)
		g.vectors += c.Len()
		g.passing += c.members(c.Mask)
	}
	for _, g := range order {
		if least := max(int(math.Ceil(probe*float64(g.vectors))), k); g.passing > least && g.take(q, least, k) {
			approximate = true
		}
		for _, c := range g.all {
			v.add(c)
		}
	}
	return approximate
}

// probing are segments whose vectors are in the same clusters.
type probing struct {
	clusters *vectors.Clusters
	all      []*Candidates
	vectors  int // of all segments
	passing  int // those that are candidates
}

// take leaves of the candidates those in the clusters nearest to q, at least so many, which are fewer than there are, and of at least k
// documents. It reports whether it leaves any out.
func (g *probing) take(q *Query, least, k int) bool {
	near := nearestFirst(g.clusters.Nearness(q.Vector))
	taken, masks, lists := 0, make([][]uint64, len(g.all)), 0
	for i, c := range g.all {
		masks[i] = make([]uint64, (c.Len()+63)/64)
	}
	for {
		for ; taken < least && lists < g.clusters.Len(); lists++ {
			cluster := near.next()
			for i, c := range g.all {
				taken += c.gather(masks[i], cluster)
			}
		}
		docs := 0
		for i, c := range g.all {
			docs += c.whole(masks[i])
		}
		if docs >= k || lists == g.clusters.Len() {
			break
		}
		least = max(least, taken) + k - docs
	}
	left := 0
	for i, c := range g.all {
		c.Mask = masks[i]
		left += c.members(c.Mask)
	}
	return left < g.passing
}

// gather adds the candidates in a cluster to a mask, and returns how many they are.
func (c *Candidates) gather(mask []uint64, cluster uint32) (n int) {
	list := c.Clusters.List(cluster)
	if c.Mask == nil {
		for _, v := range list {
			mask[v/64] |= 1 << (v % 64)
		}
		return len(list)
	}
	for _, v := range list {
		bit := c.Mask[v/64] & (1 << (v % 64))
		mask[v/64] |= bit
		n += int(bit >> (v % 64))
	}
	return n
}

// whole adds to a mask of vectors all others of their documents, and returns how many documents these are.
func (c *Candidates) whole(mask []uint64) (docs int) {
	if c.Info.Vectors.Count == c.Info.Vectors.Docs {
		return c.members(mask)
	}
	of, last := c.Docs(), -1
	for at := range mask {
		for w := mask[at]; w != 0; w &= w - 1 {
			i := 64*at + bits.TrailingZeros64(w)
			if int(of[i]) == last {
				continue
			}
			last = int(of[i])
			docs++
			for j := i; j >= 0 && of[j] == of[i]; j-- {
				mask[j/64] |= 1 << (j % 64)
			}
			for j := i; j < len(of) && of[j] == of[i]; j++ {
				mask[j/64] |= 1 << (j % 64)
			}
		}
	}
	return docs
}

// clusterHeap yields clusters, the nearest first and of equally near ones the first: a few of many, as a heap with the nearest at its root.
type clusterHeap []uint64

// nearestFirst returns clusters by how near each is.
func nearestFirst(near []float64) *clusterHeap {
	h := make(clusterHeap, len(near))
	for i, x := range near {
		if x != x { // what is damaged comes last
			x = math.Inf(-1)
		}
		h[i] = keyOf(float32(x), uint32(i))
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	return &h
}

// next removes and returns the first.
func (h *clusterHeap) next() uint32 {
	keys := *h
	_, cluster := ofKey(keys[0])
	keys[0] = keys[len(keys)-1]
	*h = keys[:len(keys)-1]
	h.down(0)
	return cluster
}

func (h clusterHeap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1] > h[c] {
			c++
		}
		if h[i] >= h[c] {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
