package columns

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/segment"
)

// Add counts documents of a block.
func (c *Counter) Add(p *Part) error {
	if c.down != nil {
		return c.down.add(p)
	}
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
	case f.buckets() && f.bucketOf(b.Min) == f.bucketOf(b.Max):
		return c.addSame(p, &b, f.bucketOf(b.Min))
	case p.Bits == nil:
		return c.addDocs(p)
	}
	if err := c.view.load(p.Block); err != nil {
		return err
	}
	several := c.view.values.Ends != nil
	sound := false
	switch {
	case f.keywords() && several:
		sound = c.addSets(p)
	case f.keywords():
		sound = c.addKeywords(p)
	case several || c.sparse != nil:
		return c.addDocs(p)
	default:
		sound = c.addBuckets(p)
	}
	if !sound {
		return c.view.Outside(p.Block)
	}
	return nil
}

// addSets is addKeywords where documents have several values.
func (c *Counter) addSets(p *Part) bool {
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
				if uint64(n) >= uint64(len(counts)) {
					return false
				}
				counts[n]++
			}
		}
	}
	return true
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
			if f := &c.facet; f.buckets() {
				if at = f.bucketOf(n); i > 0 && at == f.bucketOf(values[i-1]) {
					continue
				}
			}
			if c.sparse == nil && uint64(at-c.first) >= uint64(len(c.counts)) {
				return c.view.Outside(p.Block)
			}
			c.count(at, 1)
		}
	}
	return c.few()
}

// addKeywords is Add where documents have one value or none, and the block has been read. It returns false if a value is
// not within the bounds that the column has.
func (c *Counter) addKeywords(p *Part) bool {
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
				if uint64(n) >= uint64(len(counts)) {
					return false
				}
				counts[n]++
			}
			continue
		}
		for ; some != 0; some &= some - 1 {
			n := numbers[bits.TrailingZeros64(some)]
			if uint64(n) >= uint64(len(counts)) {
				return false
			}
			counts[n]++
		}
	}
	return true
}

// addBuckets is addKeywords for buckets.
func (c *Counter) addBuckets(p *Part) bool {
	x, every, turn := &c.view.values, c.facet.Every, c.facet.Every-c.facet.Shift
	for i, w := range p.Bits {
		some := w & x.Present[i]
		c.missing += uint64(bits.OnesCount64(w &^ some))
		for ; some != 0; some &= some - 1 {
			at := bucketAt(x.Numbers[64*i+bits.TrailingZeros64(some)], every, turn) - c.first
			if uint64(at) >= uint64(len(c.counts)) {
				return false
			}
			c.counts[at]++
		}
	}
	return true
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
