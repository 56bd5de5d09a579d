package synth

import (
	"math/bits"
	"math/rand/v2"
	"sort"

	"github.com/pinion-index/pinion/format"
)

// drawer draws posting lists. Each goroutine needs its own.
type drawer struct {
	c   *Collection
	pcg rand.PCG
	rng *rand.Rand
	// The rank that weights, by region, and the weighted space are of.
	rank    int
	weights []float64
	space   float64
}

func newDrawer(c *Collection) *drawer {
	d := &drawer{c: c}
	d.rng = rand.New(&d.pcg)
	return d
}

// list appends the postings of the term of a rank in slabs [from, to). DocIDs count
// from the first document of slab from.
func (d *drawer) list(rank, from, to int, dst format.Postings) format.Postings {
	for s := from; s < to; s++ {
		dst = d.slab(rank, s, uint32(d.c.firsts[from]), dst)
	}
	return dst
}

// slab appends the postings of one slab.
func (d *drawer) slab(rank, slab int, base uint32, dst format.Postings) format.Postings {
	c := d.c
	if c.slabs[slab] == c.slabs[slab+1] {
		return dst
	}
	d.weigh(rank)
	d.pcg.Seed(c.spec.Seed+1, uint64(rank)<<8|uint64(slab))
	topic := c.Topic(rank)
	warp := c.warps[topic]
	near, far := d.gaps(rank)
	gap, left, burst := far, d.span(burstEvery), false
	doc, hits := uint32(0), uint32(0)
	for r := c.parts[slab]; r < c.parts[slab+1]; r++ {
		site, end, weight := c.regions[r], c.regions[r+1], 1.0
		if d.weights != nil {
			weight = 1 / d.weights[r]
		}
		at, last := warp[site], warp[end]
		for {
			at += d.rng.ExpFloat64() * gap * weight
			if at >= last {
				break
			}
			if at >= warp[site+1] {
				site = locate(warp, site+1, end, at)
			}
			token := c.sites[site].token + uint64((at-warp[site])*c.shrink(topic, site))
			if hits > 0 && token < c.starts[doc+1] {
				hits++
				continue
			}
			if hits > 0 {
				dst = dst.AppendPosting(doc-base, d.freq(hits))
			}
			doc, hits = c.document(token, doc), 1
			if left--; left <= 0 {
				if burst = !burst; burst {
					gap, left = near, d.span(burstLen)
				} else {
					gap, left = far, d.span(burstEvery)
				}
			}
		}
	}
	if hits > 0 {
		dst = dst.AppendPosting(doc-base, d.freq(hits))
	}
	return dst
}

// gaps returns the mean distance between tokens of a term in a warped space, inside
// and outside a burst.
func (d *drawer) gaps(rank int) (near, far float64) {
	mean := d.space / (d.c.share(rank) * float64(d.c.Tokens()))
	const part = float64(burstLen) / (burstLen + burstEvery)
	far = mean / (1 - part + part/d.c.spec.Burst)
	return far / d.c.spec.Burst, far
}

func (d *drawer) span(mean float64) int { return 1 + int(d.rng.ExpFloat64()*mean) }

// freq makes one posting in eight more frequent than its document's length implies.
func (d *drawer) freq(hits uint32) uint32 {
	if u := d.rng.Uint32(); u&7 == 0 {
		return hits + 1 + uint32(bits.TrailingZeros32(u>>3|1<<20))
	}
	return hits
}

// locate returns the last i of [lo, hi) with v[i] <= x, given v[lo] <= x < v[hi].
func locate(v []float64, lo, hi int, x float64) int {
	if x < v[lo+1] {
		return lo
	}
	return lo + sort.Search(hi-lo, func(i int) bool { return v[lo+i+1] > x })
}

// document returns the document that contains a token, at or after the given one.
func (c *Collection) document(token uint64, after uint32) uint32 {
	d := max(after, c.cells[token>>cellBits])
	for c.starts[d+1] <= token {
		d++
	}
	return d
}
