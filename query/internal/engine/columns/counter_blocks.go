package columns

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/query/internal/engine/bitset"
	"github.com/pinion-index/pinion/segment"
)

// Add counts documents of a block.
func (c *Counter) Add(p *Part) error {
	b := c.view.bounds(p.Block)
	if b.Docs == 0 {
		c.missing += uint64(p.N)
		return nil
	}
	f := &c.facet
	switch {
	case f.Ranges != nil:
		return c.addRanges(p, &b)
	case f.keywords() && b.Min == b.Max:
		return c.addSame(p, &b, b.Min)
	case f.Every > 0 && bucketOf(b.Min, f.Every) == bucketOf(b.Max, f.Every):
		return c.addSame(p, &b, bucketOf(b.Min, f.Every))
	case p.Bits == nil:
		return c.addDocs(p)
	}
	if err := c.view.load(p.Block); err != nil {
		return err
	}
	several := c.view.values.Ends != nil
	switch {
	case f.keywords() && several:
		c.addSets(p)
	case f.keywords():
		c.addKeywords(p)
	case several || c.sparse != nil:
		return c.addDocs(p)
	default:
		c.addBuckets(p)
	}
	return nil
}

// addSets is addKeywords where documents have several values.
func (c *Counter) addSets(p *Part) {
	x, counts := &c.view.values, c.counts
	for i, w := range p.Bits {
		for ; w != 0; w &= w - 1 {
			d := 64*i + bits.TrailingZeros64(w)
			from, to := uint32(0), x.Ends[d]
			if d > 0 {
				from = x.Ends[d-1]
			}
			if from == to {
				c.missing++
			}
			for _, n := range x.Numbers[from:to] {
				counts[n]++
			}
		}
	}
}

// present counts the documents of p without a value as missing and returns the number of the others.
func (c *Counter) present(p *Part, b *segment.ColumnBounds) (n int, err error) {
	switch n = p.N; {
	case b.Docs == min(segment.ColumnBlock, c.docs-p.start()):
	case p.Bits != nil:
		if err = c.view.Range(p.Block, math.MinInt64, math.MaxInt64, &c.mask); err != nil {
			return 0, err
		}
		bitset.And(c.mask[:], p.Bits[:])
		n = bitset.Count(c.mask[:])
	default:
		n = 0
		for _, doc := range p.Docs {
			values, err := c.view.of(doc)
			if err != nil {
				return 0, err
			}
			if len(values) > 0 {
				n++
			}
		}
	}
	c.missing += uint64(p.N - n)
	return n, nil
}

// addSame is Add for a block of which all values are of one ordinal or bucket.
func (c *Counter) addSame(p *Part, b *segment.ColumnBounds, at int64) error {
	n, err := c.present(p, b)
	if err != nil || n == 0 {
		return err
	}
	c.count(at, n)
	return nil
}

// count adds n to an ordinal or bucket.
func (c *Counter) count(at int64, n int) {
	if c.sparse != nil {
		c.sparse[at] += uint64(n)
		return
	}
	c.counts[at-c.first] += uint32(n)
}

// addDocs is Add for few documents, and where documents have several values or there are many buckets.
func (c *Counter) addDocs(p *Part) error {
	docs := p.Docs
	if p.Bits != nil {
		docs = bitset.AppendDocs(make([]uint32, 0, p.N), p.Bits[:], p.start())
	}
	for _, doc := range docs {
		values, err := c.view.of(doc)
		if err != nil {
			return err
		}
		if len(values) == 0 {
			c.missing++
		}
		for i, n := range values {
			at := n
			if e := c.facet.Every; e > 0 {
				if at = bucketOf(n, e); i > 0 && at == bucketOf(values[i-1], e) {
					continue
				}
			}
			c.count(at, 1)
		}
	}
	return c.few(len(c.sparse))
}

// addKeywords is Add where documents have one value or none, and the block has been read.
func (c *Counter) addKeywords(p *Part) {
	x, counts := &c.view.values, c.counts
	for i, w := range p.Bits {
		if w == 0 {
			continue
		}
		some := w & x.Present[i]
		c.missing += uint64(bits.OnesCount64(w &^ some))
		numbers := x.Numbers[64*i : min(64*i+64, len(x.Numbers))]
		if some == ^uint64(0) {
			for _, n := range numbers {
				counts[n]++
			}
			continue
		}
		for ; some != 0; some &= some - 1 {
			counts[numbers[bits.TrailingZeros64(some)]]++
		}
	}
}

// addBuckets is addKeywords for buckets.
func (c *Counter) addBuckets(p *Part) {
	x, every := &c.view.values, c.facet.Every
	for i, w := range p.Bits {
		some := w & x.Present[i]
		c.missing += uint64(bits.OnesCount64(w &^ some))
		for ; some != 0; some &= some - 1 {
			n := x.Numbers[64*i+bits.TrailingZeros64(some)]
			c.counts[bucketOf(n, every)-c.first]++
		}
	}
}

// addRanges is Add for ranges.
func (c *Counter) addRanges(p *Part, b *segment.ColumnBounds) error {
	n, err := c.present(p, b)
	if err != nil || n == 0 {
		return err
	}
	for i, r := range c.facet.Ranges {
		switch {
		case r[1] < b.Min || b.Max < r[0] || r[0] > r[1]:
		case r[0] <= b.Min && b.Max <= r[1]:
			c.ranges[i] += uint64(n)
		case p.Bits != nil:
			if err := c.view.Range(p.Block, r[0], r[1], &c.mask); err != nil {
				return err
			}
			bitset.And(c.mask[:], p.Bits[:])
			c.ranges[i] += uint64(bitset.Count(c.mask[:]))
		default:
			if err := c.addRange(p, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRange adds few documents to range i.
func (c *Counter) addRange(p *Part, i int) error {
	r := c.facet.Ranges[i]
	for _, doc := range p.Docs {
		values, err := c.view.of(doc)
		if err != nil {
			return err
		}
		for _, n := range values {
			if n >= r[0] {
				if n <= r[1] {
					c.ranges[i]++
				}
				break
			}
		}
	}
	return nil
}
