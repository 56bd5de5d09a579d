package algorithm

import (
	"math"

	"github.com/pinion-index/pinion/internal/engine/posting"
)

// candidates are documents with their partial scores, in ascending order unless all remaining lists
// are dense.
type candidates struct {
	docs  []uint32
	sums  []float32
	norms []float32 // of docs, while dense lists are probed

	otherDocs []uint32 // scratch of sort
	otherSums []float32
}

func (c *candidates) reset() { c.docs, c.sums = c.docs[:0], c.sums[:0] }

func (c *candidates) add(doc uint32, sum float32) {
	c.docs, c.sums = append(c.docs, doc), append(c.sums, sum)
}

// reserve makes room for n more candidates.
func (c *candidates) reserve(n int) {
	if n += len(c.docs); n > cap(c.docs) || n > cap(c.sums) {
		c.docs = append(make([]uint32, 0, 2*n), c.docs...)
		c.sums = append(make([]float32, 0, 2*n), c.sums...)
	}
}

// mergeOf makes c the union of a and b and adds the sums of documents that both have. c has room.
// It does not branch on whether a or b is next, since that is hard to predict.
func (c *candidates) mergeOf(a *candidates, b *stretch) {
	ad, bd := a.docs, b.docs
	as, bs := a.sums[:len(ad)], b.scores[:len(bd)]
	docs, sums := c.docs[:len(ad)+len(bd)], c.sums[:len(ad)+len(bd)]
	i, j, n := 0, 0, 0
	for i < len(ad) && j < len(bd) && n < len(docs) {
		x, y := ad[i], bd[j]
		fromA := uint32((uint64(y)-uint64(x))>>63) ^ 1 // x <= y
		fromB := uint32((uint64(x)-uint64(y))>>63) ^ 1 // y <= x
		docs[n] = min(x, y)
		sums[n] = math.Float32frombits(math.Float32bits(as[i])&-fromA) + math.Float32frombits(math.Float32bits(bs[j])&-fromB)
		i += int(fromA)
		j += int(fromB)
		n++
	}
	n += copy(docs[n:], ad[i:])
	copy(sums[n-len(ad[i:]):], as[i:])
	n += copy(docs[n:], bd[j:])
	copy(sums[n-len(bd[j:]):], bs[j:])
	c.docs, c.sums = docs[:n], sums[:n]
}

// join adds the documents of s to c, and their scores to the sums, with room in another.
func (c *candidates) join(s *stretch, other *candidates) {
	other.reset()
	other.reserve(len(c.docs) + len(s.docs))
	other.mergeOf(c, s)
	*c, *other = *other, *c
}

// update adds the scores of s, all of whose documents are candidates.
func (c *candidates) update(s *stretch) {
	docs, sums, i := c.docs, c.sums[:len(c.docs)], 0
	for k, d := range s.docs {
		step := 1
		for i+step < len(docs) && docs[i+step] <= d {
			i += step
			step *= 2
		}
		i += posting.LowerBound(docs[i:min(i+step, len(docs))], d)
		if i < len(docs) && docs[i] == d {
			sums[i] += s.scores[k]
		}
	}
}

// dropBelow drops the candidates from index n on whose sums are not above pass, or none if pass is
// negative. It does not branch on which of them pass, since that is hard to predict: scores order
// as their bits do.
func (c *candidates) dropBelow(n int, pass float32) {
	if pass < 0 {
		return
	}
	limit := int64(math.Float32bits(pass))
	docs, sums := c.docs, c.sums[:len(c.docs)]
	for i := n; i < len(docs); i++ {
		d, s := docs[i], sums[i]
		docs[n], sums[n] = d, s
		n += int(uint64(limit-int64(math.Float32bits(s))) >> 63)
	}
	c.docs, c.sums = docs[:n], sums[:n]
}

// dropNormed is dropBelow for all candidates, which have norms.
func (c *candidates) dropNormed(pass float32) {
	if pass < 0 {
		return
	}
	limit, n := int64(math.Float32bits(pass)), 0
	docs, sums, norms := c.docs, c.sums[:len(c.docs)], c.norms[:len(c.docs)]
	for i, d := range docs {
		s := sums[i]
		docs[n], sums[n], norms[n] = d, s, norms[i]
		n += int(uint64(limit-int64(math.Float32bits(s))) >> 63)
	}
	c.docs, c.sums, c.norms = docs[:n], sums[:n], norms[:n]
}

// sort sorts the candidates from index at on, which are all in the sub-window that begins at lo.
func (c *candidates) sort(at int, lo uint32) {
	docs := c.docs[at:]
	sums := c.sums[at:][:len(docs)]
	switch n := len(docs); {
	case n > 512:
		c.bucket(docs, sums, lo, 1)
		c.bucket(docs, sums, lo, buckets)
		return
	case n > 16:
		c.bucket(docs, sums, lo, buckets) // leaves little to do
	}
	for i := 1; i < len(docs); i++ {
		d, s := docs[i], sums[i]
		j := i
		for ; j > 0 && docs[j-1] > d; j-- {
			docs[j], sums[j] = docs[j-1], sums[j-1]
		}
		docs[j], sums[j] = d, s
	}
}

const buckets = 1 << 7 // buckets*buckets == subWindow

// bucket sorts by the low bits of a document's position in the sub-window if div is 1, and by the
// high bits if div is buckets. It is stable.
func (c *candidates) bucket(docs []uint32, sums []float32, lo, div uint32) {
	n := len(docs)
	if cap(c.otherDocs) < n {
		c.otherDocs, c.otherSums = make([]uint32, 2*n), make([]float32, 2*n)
	}
	from, fromSums := c.otherDocs[:n], c.otherSums[:n]
	copy(from, docs)
	copy(fromSums, sums)
	var next [buckets + 1]uint32
	for _, d := range from {
		next[(d-lo)/div%buckets+1]++
	}
	for i := 1; i < buckets; i++ {
		next[i] += next[i-1]
	}
	for i, d := range from {
		p := &next[(d-lo)/div%buckets]
		docs[*p], sums[*p] = d, fromSums[i]
		*p++
	}
}

// keep drops the candidates that are not members of a bitmap whose bit 0 is document lo. It does not branch on
// which are, since that is hard to predict.
func (c *candidates) keep(words []uint64, lo uint32) {
	n := 0
	docs, sums := c.docs, c.sums[:len(c.docs)]
	for i, d := range docs {
		docs[n], sums[n] = d, sums[i]
		if j := d - lo; int(j>>6) < len(words) {
			n += int(words[j>>6] >> (j & 63) & 1)
		}
	}
	c.docs, c.sums = docs[:n], sums[:n]
}

// keepIn drops the candidates that are not in the filter, which are from lo up to hi.
func (c *candidates) keepIn(f *filterSet, lo, hi uint32) {
	if at, words, ok := f.own.Words(); ok {
		c.keep(words, at)
		return
	}
	f.docsIn = f.own.AppendDocs(f.docsIn[:0], lo, hi)
	f.set.Reset(lo, hi-1)
	f.set.Add(f.docsIn)
	at, words := f.set.Contents()
	c.keep(words, at)
	f.set.Remove(f.docsIn)
}
