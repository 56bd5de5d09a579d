package synth

import (
	"math"
	"math/rand/v2"
	"sort"
)

// regionSpread is the standard deviation of the logarithm of a region's documents.
const regionSpread = 0.5

// drawRegions cuts each slab into regions of whole sites. Without them a slab is one.
func (c *Collection) drawRegions() {
	rng := rand.New(rand.NewPCG(c.spec.Seed, 3))
	mu := math.Log(max(c.spec.RegionDocs, 1)) - regionSpread*regionSpread/2
	for i := range Slabs {
		c.parts[i] = len(c.regions)
		site, end := c.slabs[i], c.slabs[i+1]
		for site < end {
			c.regions = append(c.regions, site)
			if c.spec.RegionDocs == 0 {
				break
			}
			tokens := math.Exp(mu+regionSpread*rng.NormFloat64()) * c.spec.Length
			for from := c.sites[site].token; site < end && float64(c.sites[site].token-from) < tokens; {
				site++
			}
		}
	}
	c.parts[Slabs] = len(c.regions)
	c.regions = append(c.regions, len(c.sites)-1)
}

// Expect estimates how many documents have the term of a rank, as if it were spread
// evenly.
func (c *Collection) Expect(rank int) float64 {
	// Documents at the middle of each of 16 equal parts of the distribution of lengths.
	sum, mu := 0.0, math.Log(c.spec.Length)-lengthSpread*lengthSpread/2
	for i := range 16 {
		z := math.Sqrt2 * math.Erfinv((float64(i)+0.5)/8-1)
		sum -= math.Expm1(-c.share(rank) * math.Exp(mu+lengthSpread*z))
	}
	return sum / 16 * float64(c.spec.Docs)
}

// weigh sets how frequent the term of a rank is in each region, and how many tokens the
// warped space has, weighted with that.
func (d *drawer) weigh(rank int) {
	c := d.c
	warp := c.warps[c.Topic(rank)]
	if c.spec.RegionDocs == 0 {
		d.space = warp[len(warp)-1]
		return
	}
	if d.weights == nil {
		d.weights, d.rank = make([]float64, len(c.regions)-1), -1
	}
	if d.rank == rank {
		return
	}
	d.rank = rank
	p := min(c.Expect(rank)/float64(c.spec.Docs), 1)
	sigma := c.spec.Drift - c.spec.Lean*math.Log(p)
	d.pcg.Seed(c.spec.Seed+2, uint64(rank))
	for i := range d.weights {
		d.weights[i] = math.Exp(sigma * d.rng.NormFloat64())
	}
	d.space = 0
	for i := range c.spec.Phases {
		from, to := c.parts[Slabs*i/c.spec.Phases], c.parts[Slabs*(i+1)/c.spec.Phases]
		if from == to {
			continue
		}
		sum := 0.0
		for r := from; r < to; r++ {
			sum += d.weights[r] * (warp[c.regions[r+1]] - warp[c.regions[r]])
		}
		even := math.Pow(float64(c.sites[c.regions[to]].token-c.sites[c.regions[from]].token)/sum, c.spec.Even)
		for r := from; r < to; r++ {
			d.weights[r] *= even
		}
		d.space += sum * even
	}
}

// Region returns the number of the region that a document belongs to.
func (c *Collection) Region(doc int) int {
	site := c.Site(doc)
	return sort.Search(len(c.regions)-2, func(i int) bool { return c.regions[i+1] > site })
}

// Rank returns the rank of a term that about n documents are expected to have.
func (c *Collection) Rank(n float64) int {
	lo, hi := 0, c.spec.Terms-1
	for lo < hi {
		if m := (lo + hi) / 2; c.Expect(m) > n {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}
