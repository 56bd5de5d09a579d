package order

import (
	"context"
	"slices"
	"sync"
)

// splitter splits parts. It reuses its arrays, which grow with the parts.
type splitter struct {
	left, both []uint32   // by term: documents of the left half, and of both halves, that have it
	gains      [2][]int32 // by side and term: gain of moving a document from that side to the other
	side       []uint8    // by position: 0 for the left half, 1 for the right one
	pull       []int32    // by position: gain of having the document on the right instead of on the left
	pick       []int32
	spare      []document
}

// bigPart is the number of documents above which a part is big. In a small part, a pair changes much of
// what the next gains, so that after the first exchange each document is looked at again before it is
// swapped. In a big part, every second term counts in each of the first halved exchanges, by turns: they
// take half the time, and what they miss keeps the part from a poor optimum.
const (
	bigPart = 512
	halved  = 6
)

// The exchanges of a part end with one that gains less than 1/settled of what the first did.
const settled = 12

// split orders the documents of p so that its halves share few terms, and returns
// the halves, each in ascending order of documents. Up to width goroutines work on
// it.
func (w *splitter) split(ctx context.Context, b *bisector, p part, width int) (left, right part) {
	w.grow(p)
	half := len(p.docs) / 2
	terms := w.localise(b.f, p, half, width)
	side := w.side[:len(p.docs)]
	for i := range side {
		side[i] = 0
		if i >= half {
			side[i] = 1
		}
	}
	big, first := len(p.docs) > bigPart, int64(0)
	for i := range b.o.Iterations {
		if ctx.Err() != nil {
			break
		}
		if big || i < 2 {
			w.termGains(b.gaps, terms, width)
		}
		sum := sumAll
		if big && i < halved {
			sum = [...]func([]int32, []uint32) int32{sumEven, sumOdd}[i%2]
		}
		w.pulls(b.f, p.docs, width, sum)
		gain := w.exchange(b, p.docs, half, !big && i > 0)
		if i == 0 {
			first = gain
		}
		if gain <= first/settled {
			break
		}
	}
	w.part(p.docs)
	b.report(len(p.docs))
	return part{p.docs[:half:half], terms}, part{p.docs[half:], terms}
}

func (w *splitter) grow(p part) {
	if n := int(p.width); cap(w.left) < n {
		w.left, w.both = make([]uint32, n), make([]uint32, n)
		w.gains[0], w.gains[1] = make([]int32, n), make([]int32, n)
	}
	if n := len(p.docs); cap(w.side) < n {
		w.side, w.pull, w.pick, w.spare = make([]uint8, n), make([]int32, n), make([]int32, n), make([]document, n)
	}
}

// localise counts terms, drops from the documents of p the terms that only one or
// all of them have, which cannot matter, and renumbers the others. It returns how
// many terms are left.
func (w *splitter) localise(f *forward, p part, half, width int) uint32 {
	left, right := w.left[:p.width], w.both[:p.width]
	halves := [2]struct {
		counts []uint32
		docs   []document
	}{{left, p.docs[:half]}, {right, p.docs[half:]}}
	parallel(width, 2, func(from, to int) {
		for _, h := range halves[from:to] {
			clear(h.counts)
			for i := range h.docs {
				for _, t := range f.of(&h.docs[i]) {
					h.counts[t]++
				}
			}
		}
	})
	number := w.gains[0][:p.width]
	terms := uint32(0)
	for t := range number { // without branches, which nothing could predict
		l, n := left[t], left[t]+right[t]
		drop := int32((int64(n) - 2 | int64(len(p.docs)) - 1 - int64(n)) >> 63) // -1 or 0
		number[t] = int32(terms) | drop
		left[terms], right[terms] = l, n
		terms += uint32(1 + drop)
	}
	parallel(width, len(p.docs), func(from, to int) {
		for i := range p.docs[from:to] {
			d := &p.docs[from+i]
			list := f.of(d)
			k := 0
			for _, t := range list {
				list[k] = uint32(number[t])
				k += 1 + int(number[t]>>31)
			}
			d.n = uint32(k)
		}
	})
	return terms
}

// termGains computes, for each term, the gain of moving a document with that term.
func (w *splitter) termGains(gaps gapTable, terms uint32, width int) {
	parallel(width, int(terms), func(from, to int) {
		for t := from; t < to; t++ {
			w.termGain(gaps, uint32(t))
		}
	})
}

func (w *splitter) termGain(gaps gapTable, t uint32) {
	l := w.left[t]
	r := w.both[t] - l
	w.gains[0][t] = gaps.at(r+1) - gaps.at(l)
	w.gains[1][t] = gaps.at(l+1) - gaps.at(r)
}

// pulls sums the gains of the terms of every document.
func (w *splitter) pulls(f *forward, docs []document, width int, sum func(gains []int32, terms []uint32) int32) {
	parallel(width, len(docs), func(from, to int) {
		for i := from; i < to; i++ {
			side := w.side[i]
			w.pull[i] = pull(sum(w.gains[side&1], f.of(&docs[i])), side)
		}
	})
}

// pull returns the gain of having a document on the right, given that of moving it from its side.
func pull(gain int32, side uint8) int32 {
	s := int32(side)
	return (gain ^ -s) + s // without a branch
}

// sumAll sums the gains of terms. The sum of more than 400,000 may overflow, which makes a worse order.
func sumAll(gains []int32, terms []uint32) (sum int32) {
	for len(terms) >= 4 {
		sum += gains[terms[0]] + gains[terms[1]] + gains[terms[2]] + gains[terms[3]]
		terms = terms[4:]
	}
	for _, t := range terms {
		sum += gains[t]
	}
	return sum
}

// sumEven sums the gains of the first of terms, the third, and so on.
func sumEven(gains []int32, terms []uint32) (sum int32) {
	for len(terms) >= 8 {
		sum += gains[terms[0]] + gains[terms[2]] + gains[terms[4]] + gains[terms[6]]
		terms = terms[8:]
	}
	for i := 0; i < len(terms); i += 2 {
		sum += gains[terms[i]]
	}
	return sum
}

// sumOdd sums the gains of the others.
func sumOdd(gains []int32, terms []uint32) int32 {
	if len(terms) == 0 {
		return 0
	}
	return sumEven(gains, terms[1:])
}

// exchange swaps pairs of documents, so that those with the greatest pulls come to the right. If
// again is set, it keeps gains up to date and looks at each again before it swaps. It returns what
// the pairs gain.
func (w *splitter) exchange(b *bisector, docs []document, half int, again bool) (gain int64) {
	pick := w.pick[:copy(w.pick, w.pull[:len(docs)])]
	limit := nth(pick, half)
	for i, j := -1, -1; ; {
		if i = w.next(b.f, docs, i+1, 0, limit, again); i == len(docs) {
			return gain
		}
		if j = w.next(b.f, docs, j+1, 1, limit, again); j == len(docs) {
			return gain
		}
		gain += int64(w.pull[i]) - int64(w.pull[j])
		w.side[i], w.side[j] = 1, 0
		w.move(b, &docs[i], -1, again)
		w.move(b, &docs[j], 1, again)
	}
}

// next returns the first position at or after i with a document on a side whose pull is to the other
// side of limit, or len(docs).
func (w *splitter) next(f *forward, docs []document, i int, side uint8, limit int32, again bool) int {
	for ; i < len(docs); i++ {
		if w.side[i] != side || !beyond(w.pull[i], limit, side) {
			continue
		}
		if !again {
			break
		}
		if w.pull[i] = pull(sumAll(w.gains[side&1], f.of(&docs[i])), side); beyond(w.pull[i], limit, side) {
			break
		}
	}
	return i
}

// beyond reports whether pull is greater than limit, or less for a document on side 1.
func beyond(pull, limit int32, side uint8) bool {
	if side == 0 {
		return pull > limit
	}
	return pull < limit
}

// move adds by to the documents of the left half that have the terms of d.
func (w *splitter) move(b *bisector, d *document, by int32, again bool) {
	for _, t := range b.f.of(d) {
		w.left[t] += uint32(by)
		if again {
			w.termGain(b.gaps, t)
		}
	}
}

// part moves the documents to their sides. They keep their order on each.
func (w *splitter) part(docs []document) {
	l, right := 0, w.spare[:0]
	for i, s := range w.side[:len(docs)] {
		if s != 0 {
			right = append(right, docs[i])
			continue
		}
		docs[l] = docs[i]
		l++
	}
	copy(docs[l:], right)
}

// nth returns the value at position n of s in ascending order. It changes the order of s.
func nth(s []int32, n int) int32 {
	for rounds := 0; len(s) > 16 && rounds < 64; rounds++ { // bad pivots do not make it quadratic
		a, b, c := s[0], s[len(s)/2], s[len(s)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(s)-1
		for i <= j {
			for s[i] < pivot {
				i++
			}
			for s[j] > pivot {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			s = s[:j+1]
		case n >= i:
			s, n = s[i:], n-i
		default:
			return pivot
		}
	}
	slices.Sort(s)
	return s[n]
}

// parallel calls do for ranges that partition [0, n), on up to width goroutines.
func parallel(width, n int, do func(from, to int)) {
	if width <= 1 || n < 2 {
		do(0, n)
		return
	}
	width = min(width, n)
	var group sync.WaitGroup
	for i := range width {
		group.Go(func() { do(i*n/width, (i+1)*n/width) })
	}
	group.Wait()
}
