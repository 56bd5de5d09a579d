package columns

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
)

// MaxBuckets is the greatest number of buckets of a Facet that has documents.
const MaxBuckets = 1 << 16

// ErrBuckets is the error for more than MaxBuckets buckets.
var ErrBuckets = errors.New("too many buckets")

// Facet says how documents are counted by what they have in a field: by keyword, unless it has Ranges or Every.
type Facet struct {
	K      int        // how many keywords are wanted
	Ranges [][2]int64 // from and up to
	Every  int64      // the width of buckets, which begin at its multiples
}

func (f *Facet) keywords() bool { return f.Ranges == nil && f.Every == 0 }

// Count is how many documents have a keyword, a number in a bucket, or one in a range.
type Count struct {
	Keyword []byte
	Number  int64 // the least of the bucket
	Docs    uint64
}

// Counts are the counts of a Facet.
type Counts struct {
	// Counts are the most frequent keywords, equal ones in the order of their bytes; the buckets that have documents, in
	// ascending order; or the ranges, in their own.
	Counts  []Count
	Missing uint64 // documents without a value
}

// Counter counts the documents of one segment after the other.
type Counter struct {
	facet Facet
	view  view
	docs  uint32 // of the segment
	now   int    // its number

	missing  uint64
	ranges   []uint64
	counts   []uint32         // by ordinal, or by number of the bucket from first on
	first    int64            // the number of the first bucket in counts
	sparse   map[int64]uint64 // by bucket, instead of counts, if there may be many
	buckets  map[int64]uint64 // of all segments
	keywords []keywords       // of the segments before

	mask [64]uint64
}

// keywords are how many documents of a segment have its keywords.
type keywords struct {
	segment int
	of      Column
	counts  []uint32
}

// Reset makes c ready to count by f.
func (c *Counter) Reset(f Facet) {
	*c = Counter{facet: f, ranges: make([]uint64, len(f.Ranges)), view: c.view}
	if f.Every > 0 {
		c.buckets = map[int64]uint64{}
	}
}

// Begin makes a segment the current one, with so many documents, and of its column; nil is none.
func (c *Counter) Begin(segment int, of Column, docs uint32) {
	c.view.set(of)
	c.now = segment
	c.docs, c.counts, c.sparse = docs, nil, nil
	if of == nil {
		return
	}
	info := of.Info()
	switch f := &c.facet; {
	case f.keywords():
		c.counts = make([]uint32, info.Keywords)
	case f.Every > 0 && info.Docs > 0:
		c.first = bucketOf(info.Min, f.Every)
		if n := uint64(bucketOf(info.Max, f.Every) - c.first); n < MaxBuckets {
			c.counts = make([]uint32, n+1)
		} else {
			c.sparse = map[int64]uint64{}
		}
	}
}

// bucketOf returns n divided by every, rounded down.
func bucketOf(n, every int64) int64 {
	q := n / every
	if n%every < 0 {
		q--
	}
	return q
}

// startOf returns the least number of a bucket.
func startOf(bucket, every int64) int64 {
	if bucket < 0 && bucket < math.MinInt64/every {
		return math.MinInt64
	}
	return bucket * every
}

// End ends the current segment.
func (c *Counter) End() error {
	if c.facet.keywords() {
		if c.view.Column != nil {
			c.keywords = append(c.keywords, keywords{c.now, c.view.Column, c.counts})
		}
		return nil
	}
	for i, n := range c.counts {
		if n > 0 {
			c.buckets[c.first+int64(i)] += uint64(n)
		}
	}
	for b, n := range c.sparse {
		c.buckets[b] += n
	}
	return c.few(len(c.buckets))
}

func (c *Counter) few(buckets int) error {
	if buckets > MaxBuckets {
		return ErrBuckets
	}
	return nil
}

// Merge adds what o, which is not used any more until Reset, has counted of other documents by the same Facet.
func (c *Counter) Merge(o *Counter) error {
	c.missing += o.missing
	for i, n := range o.ranges {
		c.ranges[i] += n
	}
	for b, n := range o.buckets {
		c.buckets[b] += n
	}
	for _, k := range o.keywords {
		i := slices.IndexFunc(c.keywords, func(own keywords) bool { return own.segment == k.segment })
		if i < 0 {
			c.keywords = append(c.keywords, k)
			continue
		}
		for ordinal, n := range k.counts {
			c.keywords[i].counts[ordinal] += n
		}
	}
	return c.few(len(c.buckets))
}

// Result returns the counts of all segments.
func (c *Counter) Result() (r Counts, err error) {
	r.Missing = c.missing
	switch {
	case c.facet.keywords():
		r.Counts, err = c.top()
	case c.facet.Every > 0:
		for b, n := range c.buckets {
			r.Counts = append(r.Counts, Count{Number: startOf(b, c.facet.Every), Docs: n})
		}
		slices.SortFunc(r.Counts, func(a, b Count) int { return cmp.Compare(a.Number, b.Number) })
	default:
		for _, n := range c.ranges {
			r.Counts = append(r.Counts, Count{Docs: n})
		}
	}
	return r, err
}

// top returns the most frequent keywords.
func (c *Counter) top() ([]Count, error) {
	if len(c.keywords) == 1 {
		return c.topOfOne(&c.keywords[0])
	}
	total := map[string]uint64{}
	var name []byte
	for _, k := range c.keywords {
		for ordinal, n := range k.counts {
			if n == 0 {
				continue
			}
			var err error
			if name, err = k.of.Keyword(name[:0], int64(ordinal)); err != nil {
				return nil, err
			}
			total[string(name)] += uint64(n)
		}
	}
	all := make([]Count, 0, len(total))
	for name, n := range total {
		all = append(all, Count{Keyword: []byte(name), Docs: n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Docs, a.Docs), bytes.Compare(a.Keyword, b.Keyword))
	})
	return slices.Clone(all[:min(len(all), c.facet.K)]), nil
}

// topOfOne is top for a single segment: its ordinals order as keywords do.
func (c *Counter) topOfOne(k *keywords) (top []Count, err error) {
	var all []uint64
	for ordinal, n := range k.counts {
		if n > 0 {
			all = append(all, uint64(n)<<32|uint64(^uint32(ordinal)))
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	for _, x := range all[:min(len(all), c.facet.K)] {
		n := Count{Docs: x >> 32}
		if n.Keyword, err = k.of.Keyword(nil, int64(^uint32(x))); err != nil {
			return nil, err
		}
		top = append(top, n)
	}
	return top, nil
}

// Forget drops references that a pooled Counter must not keep alive.
func (c *Counter) Forget() {
	c.view.set(nil)
	*c = Counter{view: c.view}
}
