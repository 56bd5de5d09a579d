package algorithm

import (
	"math"

	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/store"
)

// MinRangePostings is how many postings the essential lists of a disjunction have at least for bounds by
// range to pay. Tests lower it.
var MinRangePostings = 1 << 14

// ranges has sums of bounds of lists by range of documents. Unless they pay there is one range, of all documents.
type ranges struct {
	shift uint32 // doc>>shift is the range of a document
	n     int
	sums  []float32 // row i, of n: those of lists i and up
}

// row returns, by range, the sums of the bounds of lists i and up.
func (g *ranges) row(i int) []float32 { return g.sums[i*g.n:][:g.n] }

// rest is what some lists add to a document's score at most, by range.
type rest struct {
	sums  []float32
	shift uint32
}

// of returns what they add to doc.
func (b rest) of(doc uint32) float32 {
	if i := int(doc >> b.shift); i < len(b.sums) {
		return b.sums[i]
	}
	return 0 // damage
}

// restOf returns what lists i and up add, whatever the document.
func (r *Run) restOf(i int) rest { return rest{r.suffix[i : i+1], 32} }

// rest returns what lists i and up add.
func (g *ranges) rest(i int) rest { return rest{g.row(i), g.shift} }

// sumRanges makes r.ranges those of the lists, after SumBounds and Estimate.
func (r *Run) sumRanges(prune bool) {
	g := &r.ranges
	g.shift, g.n = 32, 1
	g.sums = append(g.sums[:0], r.suffix...)
	if !prune || !r.findMaxima() {
		return
	}
	g.shift, g.n = posting.RangeShift, posting.Ranges(r.Part.Seg.Docs())
	if n := g.n * (len(r.Lists) + 1); cap(g.sums) < n {
		g.sums = make([]float32, n)
	} else {
		g.sums = g.sums[:n]
	}
	clear(g.row(len(r.Lists)))
	lo := min(int(r.lo>>g.shift), g.n)
	hi := min(int((r.hi-1)>>g.shift)+1, g.n)
	for i := len(r.Lists) - 1; i >= 0; i-- {
		l, rest, sums := r.Lists[i], g.row(i + 1)[lo:hi], g.row(i)[lo:hi]
		rest = rest[:len(sums)]
		if l.Maxima == nil {
			for j := range sums {
				sums[j] = rest[j] + l.Bound
			}
			continue
		}
		unit, of := l.Weight*l.Maxima.Unit, l.Maxima.Of[lo:hi][:len(sums)]
		for j := range sums {
			sums[j] = rest[j] + unit*float32(of[j])
		}
	}
}

// findMaxima sets l.Maxima of the lists, and reports whether some have any. It makes those that are due. It finds none
// where they do not pay.
func (r *Run) findMaxima() (some bool) {
	postings := 0
	for _, l := range r.Lists[:r.essential(len(r.Lists))] {
		postings += l.List().N
	}
	if postings < MinRangePostings || r.lo >= r.hi {
		return false
	}
	for _, l := range r.Lists {
		if l.Maxima = nil; r.spans(l) {
			l.Maxima = r.maxima(l)
			some = some || l.Maxima != nil
		}
	}
	return some
}

// spans reports whether l has about one posting in a range, or more: maxima of other lists say little beyond their bounds,
// and their blocks span many ranges.
func (r *Run) spans(l *posting.List) bool {
	return !l.Small && l.List().N >= posting.Ranges(r.Part.Seg.Docs())
}

// maxima returns those of l, or nil. A list that cannot be read whole has none: damage that queries do not meet does not
// change how they end.
func (r *Run) maxima(l *posting.List) *posting.Maxima {
	c := r.Part.Maxima
	if m := c.Get(l.Entry.Offset); m != nil {
		return m
	}
	bytes := uint64(posting.Ranges(r.Part.Seg.Docs()))
	if !c.Want(l.Entry.Offset, bytes) {
		return nil
	}
	var m *posting.Maxima
	err := store.Guard(func() (err error) { // a fault must not end the query
		m, err = posting.NewMaxima(r.Part.Seg, l.Entry, l.In)
		return err
	})
	if err != nil {
		c.Refuse(bytes)
		return nil
	}
	c.Put(l.Entry.Offset, m)
	return m
}

// dead reports whether no document from lo to last can pass with lists i and up only.
func (r *Run) dead(i int, lo, last uint32) bool {
	g := &r.ranges
	row := g.row(i)
	for j := int(lo >> g.shift); j <= int(last>>g.shift) && j < len(row); j++ {
		if row[j] > r.Top.Prune {
			return false
		}
	}
	return true
}

// nextLive returns the first document at or after doc whose range has documents that can pass, or r.hi if that is less.
func (r *Run) nextLive(doc uint32) uint32 {
	g := &r.ranges
	if g.n > 1 {
		row := g.row(0)
		j := int(doc >> g.shift)
		for ; j < len(row) && row[j] <= r.Top.Prune; j++ {
			doc = uint32(j+1) << g.shift
		}
	}
	return min(doc, r.hi)
}

// dropByRange drops the candidates from index n on that cannot pass with lists i and up. They have norms if normed is
// true. It does not branch on which pass, since that is hard to predict: scores order as their bits do.
func (r *Run) dropByRange(n, i int, normed bool) {
	c, left := &r.cand, r.ranges.rest(i)
	switch {
	case r.Top.Prune < 0:
		return
	case len(left.sums) == 1 && normed:
		c.dropNormed(r.passing(i))
		return
	case len(left.sums) == 1:
		c.dropBelow(n, r.passing(i))
		return
	}
	limit := int64(math.Float32bits(r.Top.Prune))
	docs, sums := c.docs, c.sums[:len(c.docs)]
	for k := n; k < len(docs); k++ {
		d, s := docs[k], sums[k]
		docs[n], sums[n] = d, s
		if normed {
			c.norms[n] = c.norms[k]
		}
		n += int(uint64(limit-int64(math.Float32bits(s+left.of(d)))) >> 63)
	}
	c.docs, c.sums = docs[:n], sums[:n]
	if normed {
		c.norms = c.norms[:n]
	}
}
