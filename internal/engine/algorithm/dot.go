package algorithm

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/sums"
)

// A Dot is a leaf over the lists of several terms of a field of impacts. Its score is the sum of the weights that a document has of
// the terms, each multiplied by one of the query, and that sum times a factor. The sum is an integer below 2^24, so that no
// order of the terms matters, and the score is rounded once. What a tree takes for how often a document matches is the sum.
//
// Lists are summed up in windows of documents. Where documents must score more than some need, lists whose bounds together
// are below half of it are left out: documents whose sums reach it with these bounds are looked up in them, one list after the
// other, as long as they still can (MaxScore of Turtle and Flood 1995, within windows). Half leaves few such
// documents; with more of it they cost more than the postings that are left out.

// dots is the place of the first Dot: after all terms, before all constants.
const dots = constants / 2

// dot is a Dot in the current segment.
type dot struct {
	run    *Run
	factor float32      // of a sum: its score
	own    posting.List // stands for a list of the matches
	total  uint64       // postings
	sums   *sums.Sums   // of a window; all zero between windows
	lists  []dotList
	out    []*dotList // those that are left out, by descending bounds
	from   uint32     // documents before it are done

	score float64 // what documents must score more than; that the lists are planned for
	need  uint32  // so they sum up to it, at least
	rest  uint32  // what the lists that are left out add, at most

	// Scratch.
	docs, weights []uint32
	found, totals []uint32
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

// enterDot returns the Dot that e is in the current segment, nil if nothing matches there.
func (t *tree) enterDot(e *Expr) *dot {
	if t.dotsUsed == len(t.dots) {
		t.dots = append(t.dots, new(dot))
	}
	d, r := t.dots[t.dotsUsed], t.run
	d.lists, d.total = d.lists[:0], 0
	for i := range e.Kids {
		at := t.lists[t.of.Terms[e.Kids[i].Word]]
		if at < 0 {
			continue
		}
		n := len(d.lists)
		d.lists = slices.Grow(d.lists, 1)[:n+1]
		d.lists[n] = dotList{List: r.Lists[at], weight: e.Weights[i], tail: d.lists[n].tail}
		d.total += uint64(r.Lists[at].Entry.DF)
	}
	if len(d.lists) == 0 {
		return nil
	}
	t.dotsUsed++
	if t.totals == nil {
		t.totals = new(sums.Sums)
	}
	d.run, d.factor, d.sums = r, e.Score, t.totals
	d.own = posting.List{In: d.lists[0].In}
	return d
}

// cost is leaf.cost.
func (d *dot) cost() uint64 { return d.total }

// stand is leaf.stand.
func (d *dot) stand() *posting.List { return &d.own }

// limit is leaf.limit.
func (d *dot) limit() {
	all := uint32(0)
	for i := range d.lists {
		l := &d.lists[i]
		l.most = l.weight * uint32(l.List.List().MaxWeight())
		all += l.most
	}
	d.own.Bound = float32(float32(all) * d.factor)
	sort.Stable(byWorth(d.lists))
	d.rewind()
}

// byWorth sorts lists by what they add at most for each posting that is read. It is no instance of slices.SortStableFunc, which takes 8 kB.
type byWorth []dotList

func (l byWorth) Len() int      { return len(l) }
func (l byWorth) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l byWorth) Less(i, j int) bool {
	return uint64(l[j].Entry.DF)*uint64(l[i].most) < uint64(l[i].Entry.DF)*uint64(l[j].most)
}

// rewind is leaf.rewind.
func (d *dot) rewind() {
	d.from = 0
	for i := range d.lists {
		l := &d.lists[i]
		if l.block, l.docs, l.weights = 0, nil, nil; l.Small {
			p := l.List.List().Small()
			l.docs, l.weights = p.Docs, p.Freqs
		}
	}
	d.plan(-1)
}

// forget is leaf.forget.
func (d *dot) forget() {
	for i := range d.lists {
		d.lists[i] = dotList{tail: d.lists[i].tail}
	}
	clear(d.out)
	d.run, d.lists, d.out, d.own = nil, d.lists[:0], d.out[:0], posting.List{}
}

// size is leaf.size.
func (d *dot) size() int { return max(cap(d.docs), cap(d.found), cap(d.lists)) }

// all is leaf.all.
func (d *dot) all() bool { return false }

// products sets dst to the scores of sums, as at has them.
func products(dst []float32, at []uint64, factor float32) {
	for i, sum := range at {
		dst[i] = float32(float32(sum>>32) * factor)
	}
}

// plan chooses the lists that are left out of the sums where documents must score more than need.
func (d *dot) plan(need float64) {
	d.score, d.need = need, leastSum(need, d.factor)
	d.rest, d.out = 0, d.out[:0]
	for i := range d.lists {
		l := &d.lists[i]
		if l.out = d.rest+l.most < d.need/2; l.out {
			d.rest += l.most
			d.out = append(d.out, l)
		}
	}
	slices.SortFunc(d.out, func(a, b *dotList) int { return cmp.Compare(b.most, a.most) })
}

// leastSum returns the least sum, at least 1, whose score is above need.
func leastSum(need float64, factor float32) uint32 {
	const above = 1 << 24 // all sums
	if need < 0 {
		return 1
	}
	guess := need / float64(factor)
	if !(guess < above) {
		return above
	}
	s := max(uint32(guess), 1)
	for s > 1 && float64(float32(s-1)*factor) > need {
		s--
	}
	for s < above && float64(float32(s)*factor) <= need {
		s++
	}
	return s
}

// next is leaf.next.
func (d *dot) next(doc uint32, need float64) uint32 {
	if need != d.score {
		d.plan(need)
	}
	doc = max(doc, d.from)
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

// perWindow returns how many postings a window has on average in a segment of docs documents.
func (l *dotList) perWindow(docs uint32) uint64 {
	return uint64(l.Entry.DF) * sums.Window / uint64(docs)
}

// windowEnd returns where the window of sums that has lo ends, but no more than hi.
func windowEnd(lo, hi uint32) uint32 {
	return uint32(min(uint64(lo&^(sums.Window-1))+sums.Window, uint64(hi)))
}
