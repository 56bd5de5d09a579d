package algorithm

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// read is leaf.read.
func (d *dot) read(docs []uint32, at []uint64, lo, hi uint32, need float64, members *bitset.Set) ([]uint32, []uint64) {
	for lo = max(lo, d.from); lo < hi && !d.run.Stopped(); {
		from := d.next(lo, need)
		if members != nil {
			from = min(from, members.Next(lo))
		}
		if lo = max(lo, from); lo >= hi {
			break
		}
		end := windowEnd(lo, hi)
		docs, at = d.window(docs, at, lo, end, members)
		lo = end
	}
	d.from = max(d.from, hi)
	return docs, at
}

// window is read for documents of one window of sums.
func (d *dot) window(docs []uint32, at []uint64, lo, hi uint32, members *bitset.Set) ([]uint32, []uint64) {
	for i := range d.lists {
		if l := &d.lists[i]; !l.out && !d.add(l, lo, hi) {
			d.sums.ClearAll()
			return docs, at
		}
	}
	rest, out := d.rest, d.out
	first, words := d.above(lo, hi, rest, members)
	for len(out) > 0 && d.likely(words)*postingsPerLookup > out[0].perWindow(d.run.Part.Seg.Docs()) {
		if !d.add(out[0], lo, hi) {
			d.sums.ClearAll()
			return docs, at
		}
		rest, out = rest-out[0].most, out[1:]
		first, words = d.above(lo, hi, rest, members)
	}
	d.collect(words, first, hi, members)
	d.sums.Clear(lo, hi)
	for _, l := range out {
		if len(d.found) == 0 {
			break
		}
		rest -= l.most
		d.lookUp(l, rest, members)
	}
	for i, doc := range d.found {
		if d.totals[i] > 0 {
			docs, at = append(docs, doc), append(at, uint64(d.totals[i])<<32)
		}
	}
	return docs, at
}

// above returns the documents that can reach the need with rest more, and members, as sums.Above does.
func (d *dot) above(lo, hi, rest uint32, members *bitset.Set) (first uint32, words []uint64) {
	first, words = d.sums.Above(lo, hi, d.need-rest-1)
	if members != nil && d.need > 1 {
		if from, its := members.Contents(); from <= first {
			bitset.Or(words, its[min(len(its), int(first-from)/64):])
		}
	}
	return first, words
}

// postingsPerLookup is how many postings are added to sums in the time that looking up one document takes.
const postingsPerLookup = 32

// likely estimates how many documents of words are in the filter.
func (d *dot) likely(words []uint64) uint64 {
	n, r := uint64(bitset.Count(words)), d.run
	if r.filter.sifted {
		n = n * r.filter.count / uint64(r.hi-r.lo)
	}
	return n
}

// collect makes the documents of words, which are from first up to hi, those found, but for what is not in the filter.
func (d *dot) collect(words []uint64, first, hi uint32, members *bitset.Set) {
	if d.run.filter.sifted {
		d.run.filter.and(words, first)
	}
	d.found, d.totals = d.found[:0], d.totals[:0]
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			doc := first + uint32(64*i+bits.TrailingZeros64(w))
			d.found, d.totals = append(d.found, doc), append(d.totals, d.sums.Of(doc))
		}
	}
}

// lookUp adds what l has of the documents found to their sums and drops those that do not reach the need though the lists after
// it add rest, unless they are members.
func (d *dot) lookUp(l *dotList, rest uint32, members *bitset.Set) {
	d.found, d.totals = reachable(l.List, d.found, d.totals, members, func() uint32 {
		most := l.most
		if !l.Small {
			most = l.weight * uint32(format.Maxima(l.BlockMax()).Max())
		}
		return d.need - min(d.need, most+rest)
	})
	if !d.addFound(l, d.found) {
		return
	}
	docs, totals, kept := d.found, d.totals[:len(d.found)], 0
	for i, doc := range docs {
		if docs[kept], totals[kept] = doc, totals[i]; totals[i]+rest >= d.need || members != nil && members.Next(doc) == doc {
			kept++
		}
	}
	d.found, d.totals = docs[:kept], totals[:kept]
}

// addFound adds what l has of docs to their totals. It returns false on damage.
func (d *dot) addFound(l *dotList, docs []uint32) bool {
	m := &d.run.match
	if err := m.findFreqs(l.List, docs); err != nil {
		d.run.fail(format.Locate(err, d.run.Place(l.List)))
		return false
	}
	for i, k := range m.kept {
		d.totals[k] += l.weight * m.freqs[i]
	}
	return true
}

// find is leaf.find: the lists that have many postings for each of docs are summed up, the others looked up.
func (d *dot) find(docs, which []uint32, at []uint64) ([]uint32, []uint64) {
	for i := 0; i < len(docs) && !d.run.Stopped(); {
		end := windowEnd(docs[i], posting.End)
		n := posting.LowerBound(docs[i:], end)
		if d.findIn(docs[i : i+n]); d.run.Err != nil {
			break
		}
		for k, sum := range d.totals {
			if sum > 0 {
				which, at = append(which, uint32(i+k)), append(at, uint64(sum)<<32)
			}
		}
		i += n
	}
	return which, at
}

// findIn sets totals to the sums of docs, which are of one window.
func (d *dot) findIn(docs []uint32) {
	d.totals = grow(d.totals, len(docs))
	clear(d.totals)
	lo, hi, added := docs[0], docs[len(docs)-1]+1, false
	for i := range d.lists {
		l := &d.lists[i]
		if uint64(len(docs))*postingsPerLookup > l.perWindow(d.run.Part.Seg.Docs()) {
			added = true
			if !d.add(l, lo, hi) {
				d.sums.ClearAll()
				return
			}
			continue
		}
		if !d.addFound(l, docs) {
			return
		}
	}
	if added {
		for k, doc := range docs {
			d.totals[k] += d.sums.Of(doc)
		}
		d.sums.Clear(lo, hi)
	}
}

// add adds the postings of l from lo up to hi to the sums. It returns false on damage.
func (d *dot) add(l *dotList, lo, hi uint32) bool {
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
	if !d.decode(l, b, e-b) {
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

// decode sets d.docs and d.weights to the postings of n blocks of l from b on. It returns false on damage.
func (d *dot) decode(l *dotList, b, n int) bool {
	least := l.List.List().First
	if b > 0 {
		least = l.List.List().Docs.Last[b-1] + 1
	}
	room := n * l.List.List().BlockLen
	d.docs, d.weights = grow(d.docs, room), grow(d.weights, room)
	docs, ok := reading{d.run}.decodeRow(l.List, d.docs, d.weights, b, n, least)
	if !ok {
		return false
	}
	d.docs, d.weights = d.docs[:docs], d.weights[:docs]
	return true
}

// add adds those of the decoded postings that are before hi to the sums, and drops them.
func (l *dotList) add(d *dot, hi uint32) {
	n := len(l.docs)
	if n > 0 && l.docs[n-1] >= hi {
		n = posting.LowerBound(l.docs, hi)
	}
	d.sums.Add(l.docs[:n], l.weights[:n], l.weight)
	l.docs, l.weights = l.docs[n:], l.weights[n:]
}
