package algorithm

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/query/internal/engine/bitset"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/query/internal/engine/sums"
)

// A query that is nothing but a Dot is summed up list by list, in windows of documents. Once there is a threshold, lists whose
// bounds together are below half of the sum that it asks for are left out: documents whose sums reach it with these bounds are
// looked up in them, one list after the other, as long as they still can (MaxScore of Turtle and Flood 1995, within
// windows). Half leaves few such documents; with more of it they cost more than the postings that are left out.

// dotSum is such a query in the current segment.
type dotSum struct {
	factor        float32    // of a sum: its score
	sums          *sums.Sums // of a window; all zero between windows
	lists         []dotList  // those that are left out first come first
	out           []*dotList // those that are left out, by descending bounds
	docs, weights []uint32   // scratch

	theta float32 // the threshold that what follows is for
	need  uint32  // what a hit sums up to, at least
	rest  uint32  // what the lists that are left out add, at most
}

// dotList is a list of a Dot.
type dotList struct {
	*posting.List
	weight        uint32   // in the query
	most          uint32   // no posting adds more
	out           bool     // it is only looked up
	block         int      // the first that has not been decoded
	docs, weights []uint32 // decoded postings that have not been added; in tail
	tail          []uint32
}

// summedUp reports whether the query is nothing but a Dot, but for a filter, and has a posting for sparseDot documents: looking
// at the sums of all documents takes longer than finding fewer matches as those of other trees.
func (r *Run) summedUp() bool {
	return r.Tree != nil && r.tree.root.dot && r.Static == nil && r.tree.root.cost*sparseDot >= uint64(r.Part.Seg.Docs())
}

const sparseDot = 512

// sumUp finds the hits of a query that is nothing but a Dot.
func (r *Run) sumUp() {
	d, end := r.enterDot(), min(r.hi, r.Part.Seg.Docs())
	for lo := r.lo; lo < end && !r.Stopped(); {
		r.Top.Sync()
		if d.plan(r.Top.Theta) {
			return
		}
		if lo = d.next(lo); lo < end && r.filter.sifted {
			lo = r.nextFiltered(lo)
		}
		if lo >= end {
			return
		}
		hi := min(lo&^(sums.Window-1)+sums.Window, end)
		r.Pivots++
		r.sumWindow(d, lo, hi)
		r.risen(lo)
		lo = hi
	}
}

// enterDot returns the sums of the Dot that the tree of the current segment is.
func (r *Run) enterDot() *dotSum {
	root, d := r.tree.root, &r.tree.dotSum
	if d.sums == nil {
		d.sums = new(sums.Sums)
	}
	d.factor, d.theta, d.need, d.rest = root.kids[0].score, -1, 1, 0
	d.lists, d.out = slices.Grow(d.lists[:0], len(root.kids))[:len(root.kids)], d.out[:0]
	for i, k := range root.kids {
		l := &d.lists[i]
		*l = dotList{List: k.list, weight: k.weight, most: k.weight * uint32(k.list.List().MaxWeight()), tail: l.tail}
		if l.Small {
			p := l.List.List().Small()
			l.docs, l.weights = p.Docs, p.Freqs
		}
	}
	slices.SortStableFunc(d.lists, func(a, b dotList) int {
		return cmp.Compare(uint64(b.Entry.DF)*uint64(a.most), uint64(a.Entry.DF)*uint64(b.most))
	})
	return d
}

// forget drops references to lists.
func (d *dotSum) forget() {
	for i := range d.lists {
		d.lists[i] = dotList{tail: d.lists[i].tail}
	}
	d.lists = d.lists[:0]
}

// plan chooses the lists that are left out of the sums if the threshold has risen to theta. It returns true if no document
// can be a hit.
func (d *dotSum) plan(theta float32) (over bool) {
	if theta == d.theta {
		return false
	}
	d.theta, d.need = theta, leastSum(theta, d.factor)
	d.rest, d.out = 0, d.out[:0]
	all := uint32(0)
	for i := range d.lists {
		l := &d.lists[i]
		all += l.most
		if l.out = d.rest+l.most < d.need/2; l.out {
			d.rest += l.most
			d.out = append(d.out, l)
		}
	}
	slices.SortFunc(d.out, func(a, b *dotList) int { return cmp.Compare(b.most, a.most) })
	return all < d.need
}

// leastSum returns the least sum, at least 1, whose score is theta or more.
func leastSum(theta, factor float32) uint32 {
	const above = 1 << 24 // all sums
	if theta <= 0 {
		return 1
	}
	guess := float64(theta) / float64(factor)
	if !(guess < above) {
		return above
	}
	s := max(uint32(guess), 1)
	for s > 1 && float32(s-1)*factor >= theta {
		s--
	}
	for s < above && float32(s)*factor < theta {
		s++
	}
	return s
}

// next returns the first document from doc on that a list may have, or one before it.
func (d *dotSum) next(doc uint32) uint32 {
	first := uint32(posting.End)
	for i := range d.lists {
		if l := &d.lists[i]; !l.out {
			if first = min(first, l.next(doc)); first == doc {
				break
			}
		}
	}
	return first
}

// next returns the first document from doc on that l may have, or one before it.
func (l *dotList) next(doc uint32) uint32 {
	l.skip(doc)
	if len(l.docs) > 0 {
		return l.docs[0]
	}
	if l.Small || l.block == l.Blocks() {
		return posting.End
	}
	if l.block == 0 {
		return max(doc, l.List.List().First)
	}
	return max(doc, l.List.List().Docs.Last[l.block-1]+1)
}

// skip drops the postings before doc that are decoded, and blocks before it.
func (l *dotList) skip(doc uint32) {
	if n := len(l.docs); n > 0 {
		if l.docs[0] >= doc {
			return
		}
		if l.docs[n-1] < doc {
			l.docs, l.weights = nil, nil
		} else {
			n = posting.LowerBound(l.docs, doc)
			l.docs, l.weights = l.docs[n:], l.weights[n:]
			return
		}
	}
	if !l.Small {
		last := l.List.List().Docs.Last[:l.Blocks()]
		if b := l.block; b < len(last) && last[b] < doc {
			l.block += posting.LowerBound(last[b:], doc)
		}
	}
}

// sumWindow offers the hits from lo up to hi, documents of one window.
func (r *Run) sumWindow(d *dotSum, lo, hi uint32) {
	for i := range d.lists {
		if l := &d.lists[i]; !l.out && !r.addList(d, l, lo, hi) {
			d.sums.ClearAll()
			return
		}
	}
	rest, out := d.rest, d.out
	pass := d.need - rest - 1
	first, words := d.sums.Above(lo, hi, pass)
	for len(out) > 0 && r.likelyHits(words)*postingsPerLookup > out[0].perWindow(r.Part.Seg.Docs()) {
		l := out[0]
		if !r.addList(d, l, lo, hi) {
			d.sums.ClearAll()
			return
		}
		rest, out, pass = rest-l.most, out[1:], pass+l.most
		first, words = d.sums.Above(lo, hi, pass)
	}
	r.collect(d, first, hi, words)
	d.sums.Clear(lo, hi)
	c := &r.cand
	r.Candidates += uint64(len(c.docs))
	for _, l := range out {
		if len(c.docs) == 0 {
			return
		}
		rest -= l.most
		r.lookUpWeights(l, rest, d.need)
	}
	for i, doc := range c.docs {
		r.offer(doc, c.sums[i]*d.factor)
	}
}

// addList adds the postings of l from lo up to hi to the sums. It returns false on damage.
func (r *Run) addList(d *dotSum, l *dotList, lo, hi uint32) bool {
	l.skip(lo)
	if l.add(d, hi); len(l.docs) > 0 || l.Small {
		return true
	}
	last := l.List.List().Docs.Last[:l.Blocks()]
	b, e := l.block, l.block
	for e < len(last) && last[e] < hi {
		e++
	}
	if e < len(last) && (e == 0 || last[e-1] < hi-1) {
		e++
	}
	if b == e {
		return true
	}
	if !r.readWeights(d, l, b, e-b) {
		return false
	}
	l.block = e
	l.docs, l.weights = d.docs, d.weights
	l.skip(lo)
	l.add(d, hi)
	n := len(l.docs)
	l.tail = append(append(l.tail[:0], l.docs...), l.weights...)
	l.docs, l.weights = l.tail[:n], l.tail[n:]
	return true
}

// readWeights sets d.docs and d.weights to the postings of n blocks of l from b on. It returns false on damage.
func (r *Run) readWeights(d *dotSum, l *dotList, b, n int) bool {
	list := l.List.List()
	room := n * list.BlockLen
	d.docs, d.weights = grow(d.docs, room), grow(d.weights, room)
	least := list.First
	if b > 0 {
		least = list.Docs.Last[b-1] + 1
	}
	docs, err := list.DecodeDocs(d.docs, b, n)
	if err == nil {
		err = checkRow(d.docs[:docs], list.Docs.Last[b:b+n], least, list.BlockLen, b, r.Part.Seg.Docs())
	}
	weights := docs
	if err == nil {
		weights, err = list.DecodeFreqs(d.weights, b, n)
	}
	if err == nil && weights != docs {
		err = errShortFreqs
	}
	if err != nil {
		r.fail(format.Locate(format.Locate(err, r.Place(l.List)), format.Place{File: r.Part.Seg.Name(), Section: format.SectionPostings.String(), Block: b}))
		return false
	}
	d.docs, d.weights = d.docs[:docs], d.weights[:docs]
	l.DecodedRow(b, n)
	return true
}

// add adds those of the decoded postings that are before hi to the sums, and drops them.
func (l *dotList) add(d *dotSum, hi uint32) {
	n := len(l.docs)
	if n > 0 && l.docs[n-1] >= hi {
		n = posting.LowerBound(l.docs, hi)
	}
	d.sums.Add(l.docs[:n], l.weights[:n], l.weight)
	l.docs, l.weights = l.docs[n:], l.weights[n:]
}

// postingsPerLookup is how many postings are added to sums in the time that looking up one document takes.
const postingsPerLookup = 32

// perWindow returns how many postings a window has on average in a segment of docs documents.
func (l *dotList) perWindow(docs uint32) uint64 {
	return uint64(l.Entry.DF) * sums.Window / uint64(docs)
}

// likelyHits estimates how many documents of words are in the filter.
func (r *Run) likelyHits(words []uint64) uint64 {
	n := uint64(bitset.Count(words))
	if r.filter.sifted {
		n = n * r.filter.count / uint64(r.hi-r.lo)
	}
	return n
}

// collect makes the documents of words that are in the filter, which are from first up to hi, candidates.
func (r *Run) collect(d *dotSum, first, hi uint32, words []uint64) {
	c := &r.cand
	c.reset()
	if r.filter.sifted {
		r.andFilter(words, first, hi)
	}
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			doc := first + uint32(64*i+bits.TrailingZeros64(w))
			c.add(doc, float32(d.sums.Of(doc)))
		}
	}
}

// lookUpWeights adds what l has of the candidates to their sums and drops those that do not reach need though the lists
// after it add rest.
func (r *Run) lookUpWeights(l *dotList, rest, need uint32) {
	c, kept := &r.cand, 0
	docs, sums := c.docs, c.sums[:len(c.docs)]
	block, most := uint32(posting.End), l.most // last docID of the block whose bound is known, and the bound
	for i, doc := range docs {
		sum := uint32(sums[i])
		if doc > l.Doc() {
			if last := l.Shallow(doc); last != posting.End && !l.Small {
				if last != block {
					block, most = last, l.weight*uint32(format.Maxima(l.BlockMax()).Max())
				}
				if sum+most+rest < need {
					continue
				}
			}
			l.Probes++
			l.NextGEQ(doc)
		}
		if doc == l.Doc() {
			l.Found++
			sum += l.weight * l.Freq()
		}
		if sum+rest >= need {
			docs[kept], sums[kept] = doc, float32(sum)
			kept++
		}
	}
	c.docs, c.sums = docs[:kept], sums[:kept]
}
