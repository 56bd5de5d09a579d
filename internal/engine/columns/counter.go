package columns

import (
	"errors"
	"slices"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/engine/figures"
)

// MaxBuckets is the greatest number of buckets of a Facet that has documents.
const MaxBuckets = 1 << 16

// ErrBuckets is the error for more than MaxBuckets buckets.
var ErrBuckets = errors.New("too many buckets")

// Facet says how documents are counted by what they have in a field: by keyword, unless it has Ranges, Every or Width. All counts
// them without a field.
type Facet struct {
	Name   string     // of the field
	Column int        // its number
	All    bool       // there is no field
	K      int        // how many keywords are wanted
	Ranges [][2]int64 // from and up to
	Every  int64      // the width of buckets, which begin at its multiples less Shift
	Shift  int64      // from 0, less than Every
	Width  float64    // that of buckets of floats, which begin at its multiples
	// What is wanted of the documents of each bucket, or with All of all documents.
	Measures []Measure
	Facets   []Facet
	Keep     bool // States are to be merged with those of other parts of a collection
}

func (f *Facet) keywords() bool { return f.Ranges == nil && !f.buckets() && !f.All }

func (f *Facet) buckets() bool { return f.Every > 0 || f.Width > 0 }

// Count is how many documents have a keyword, a number in a bucket, or one in a range.
type Count struct {
	Keyword []byte
	Number  int64 // the least of the bucket
	Docs    uint64
	Figures []figures.State // of each of the Measures
	Within  []Counts        // of each of the Facets
}

// How many bytes a count and the figures of a Measure have in JSON, at least.
const (
	least        = 20
	leastFigures = 40
)

// Size returns how many bytes a count has in JSON, at least.
func (c *Count) Size() int {
	n := least + len(c.Keyword) + leastFigures*len(c.Figures)
	for i := range c.Within {
		n += c.Within[i].size()
	}
	return n
}

// FiguresSize returns how many bytes figures of all documents have in JSON, at least.
func (c *Counts) FiguresSize() int { return leastFigures * len(c.Figures) }

// size returns how many bytes counts have in JSON, at least.
func (c *Counts) size() int {
	n := c.FiguresSize()
	for i := range c.Counts {
		n += c.Counts[i].Size()
	}
	return n
}

// Counts are the counts of a Facet.
type Counts struct {
	// Counts are the most frequent keywords, equal ones in the order of their bytes; the buckets that have documents, in
	// ascending order; or the ranges, in their own.
	Counts  []Count
	Missing uint64          // documents without a value
	Figures []figures.State // of a Facet of all documents: of each of the Measures
}

// Counter counts the documents of one segment after the other. What it needs for that is held by a budget.
type Counter struct {
	facet  Facet
	budget *budget.Budget
	held   int // of budget, for counts and buckets
	view   view
	down   *breakdown // that counts instead of c, or nil
	docs   uint32     // of the segment
	now    int        // its number

	missing  uint64
	ranges   []uint64
	counts   []uint32         // by ordinal, or by number of the bucket from first on
	first    int64            // the number of the first bucket in counts
	sparse   map[int64]uint64 // by bucket, instead of counts, if there may be many
	buckets  map[int64]uint64 // of all segments
	dense    []uint32         // memory for counts of buckets
	keywords []keywords       // of the segments before

	mask [64]uint64
}

// keywords are how many documents of a segment have its keywords.
type keywords struct {
	segment int
	of      Column
	counts  []uint32
}

// bucketBytes is about how many bytes a bucket takes in a map.
const bucketBytes = 48

// Reset makes c ready to count by f, within a budget, which may be nil.
func (c *Counter) Reset(f Facet, b *budget.Budget) {
	*c = Counter{facet: f, ranges: make([]uint64, len(f.Ranges)), view: c.view, budget: b}
	if f.buckets() {
		c.buckets = map[int64]uint64{}
	}
	if f.Deep() {
		c.down = newBreakdown(&c.facet, b)
	}
}

// Least returns how many bytes the counts have in JSON, at least, as far as it is known.
func (c *Counter) Least() int {
	if c.down != nil {
		return c.down.least()
	}
	return least * max(len(c.buckets), len(c.sparse))
}

// hold holds n bytes more.
func (c *Counter) hold(n int) error {
	c.held += n
	return c.budget.Hold(n)
}

// Begin makes a segment the current one, with so many documents and these columns, of which Facets and Measures have numbers;
// nil is none.
func (c *Counter) Begin(segment int, all []Column, docs uint32) error {
	if c.down != nil {
		return c.down.begin(segment, all, docs)
	}
	of := all[c.facet.Column]
	c.view.set(of)
	c.now = segment
	c.docs, c.counts, c.sparse = docs, nil, nil
	if of == nil {
		return nil
	}
	info := of.Info()
	switch f := &c.facet; {
	case f.keywords():
		if err := c.hold(4 * int(info.Keywords)); err != nil {
			return err
		}
		c.counts = make([]uint32, info.Keywords)
	case f.Width > 0: // what stands for the next bucket is not the next number
		c.sparse = map[int64]uint64{}
	case f.Every > 0 && info.Docs > 0:
		c.first = f.bucketOf(info.Min)
		n := uint64(f.bucketOf(info.Max) - c.first)
		if n >= MaxBuckets {
			c.sparse = map[int64]uint64{}
			return nil
		}
		if more := int(n) + 1 - cap(c.dense); more > 0 {
			if err := c.hold(4 * more); err != nil {
				return err
			}
			c.dense = make([]uint32, n+1)
		}
		c.counts = c.dense[:n+1]
		clear(c.counts)
	}
	return nil
}

// End ends the current segment.
func (c *Counter) End() error {
	if c.down != nil {
		return nil
	}
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
	c.sparse = nil
	return c.few()
}

// few returns an error if there are too many buckets, and holds those that are new.
func (c *Counter) few() error {
	if len(c.buckets) > MaxBuckets || len(c.sparse) > MaxBuckets {
		return ErrBuckets
	}
	if more := bucketBytes*(len(c.buckets)+len(c.sparse)) + 4*cap(c.dense) - c.held; more > 0 && c.facet.buckets() {
		return c.hold(more)
	}
	return nil
}

// Merge adds what o, which is not used any more until Reset, has counted of other documents by the same Facet.
func (c *Counter) Merge(o *Counter) error {
	if c.down != nil {
		defer o.Drop()
		return c.down.merge(o.down)
	}
	c.missing += o.missing
	for i, n := range o.ranges {
		c.ranges[i] += n
	}
	for b, n := range o.buckets {
		c.buckets[b] += n
	}
	defer o.Drop()
	for _, k := range o.keywords {
		i := slices.IndexFunc(c.keywords, func(own keywords) bool { return own.segment == k.segment })
		if i < 0 {
			c.keywords = append(c.keywords, k)
			if err := c.hold(4 * len(k.counts)); err != nil {
				return err
			}
			continue
		}
		for ordinal, n := range k.counts {
			c.keywords[i].counts[ordinal] += n
		}
	}
	return c.few()
}

// Drop gives back what c holds of its budget. What it has counted is not used any more.
func (c *Counter) Drop() {
	if c.down != nil {
		c.down.drop()
	}
	_ = c.budget.Hold(-c.held) // which gives back, and so is no error
	c.held = 0
}

// Forget drops references that a pooled Counter must not keep alive.
func (c *Counter) Forget() {
	if c.down != nil {
		c.down.forget()
	}
	c.view.set(nil)
	*c = Counter{view: c.view}
}
