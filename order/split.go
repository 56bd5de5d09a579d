package order

import (
	"context"
	"math"
	"slices"
	"sync"
)

// splitter splits parts. It reuses its arrays, which grow with the parts.
type splitter struct {
	left, both   []uint32 // by term: documents of the left half, and of both halves, that have it
	toRight      []int32  // by term: gain of moving a document from the left half to the right
	toLeft       []int32  // by term: gain of moving a document from the right half to the left
	gains        []int32  // by position: gain of moving the document at that position
	lkeys, rkeys []uint64 // candidates, greatest gain first
	spare        []uint64
}

// split orders the documents of p so that its halves share few terms, and returns
// the halves, each in ascending order of documents. Up to width goroutines work on
// it.
func (w *splitter) split(ctx context.Context, b *bisector, p part, width int) (left, right part) {
	w.grow(p)
	half := len(p.docs) / 2
	terms := w.localise(b.f, p, half, width)
	for range b.o.Iterations {
		if ctx.Err() != nil {
			break
		}
		w.termGains(b.gaps, terms, width)
		w.docGains(b.f, p.docs, half, width)
		if w.exchange(b.f, p.docs, half, width) == 0 {
			break
		}
	}
	slices.Sort(p.docs[:half])
	slices.Sort(p.docs[half:])
	b.report(len(p.docs))
	return part{p.docs[:half:half], terms}, part{p.docs[half:], terms}
}

func (w *splitter) grow(p part) {
	if n := int(p.width); cap(w.left) < n {
		w.left, w.both = make([]uint32, n), make([]uint32, n)
		w.toRight, w.toLeft = make([]int32, n), make([]int32, n)
	}
	if n := len(p.docs); cap(w.gains) < n {
		w.gains = make([]int32, n)
	}
}

// localise counts terms, drops from the documents of p the terms that only one or
// all of them have, which cannot matter, and renumbers the others. It returns how
// many terms are left.
func (w *splitter) localise(f *forward, p part, half, width int) uint32 {
	left, right := w.left[:p.width], w.both[:p.width]
	halves := [2]struct {
		counts []uint32
		docs   []uint32
	}{{left, p.docs[:half]}, {right, p.docs[half:]}}
	parallel(width, 2, func(from, to int) {
		for _, h := range halves[from:to] {
			clear(h.counts)
			for _, d := range h.docs {
				for _, t := range f.of(d) {
					h.counts[t]++
				}
			}
		}
	})
	number := w.toRight[:p.width]
	terms := uint32(0)
	for t := range number {
		l, n := left[t], left[t]+right[t]
		if n < 2 || int(n) == len(p.docs) {
			number[t] = -1
			continue
		}
		number[t] = int32(terms)
		left[terms], right[terms] = l, n
		terms++
	}
	parallel(width, len(p.docs), func(from, to int) {
		for _, d := range p.docs[from:to] {
			list := f.of(d)
			k := 0
			for _, t := range list {
				list[k] = uint32(number[t])
				if number[t] >= 0 {
					k++
				}
			}
			f.n[d] = uint32(k)
		}
	})
	return terms
}

// termGains computes, for each term, the gain of moving a document with that term.
func (w *splitter) termGains(gaps gapTable, terms uint32, width int) {
	parallel(width, int(terms), func(from, to int) {
		left, both := w.left[from:to], w.both[from:to]
		toRight, toLeft := w.toRight[from:to], w.toLeft[from:to]
		for i, l := range left {
			r := both[i] - l
			toRight[i] = gaps.at(r+1) - gaps.at(l)
			toLeft[i] = gaps.at(l+1) - gaps.at(r)
		}
	})
}

// docGains sums the gains of the terms of every document.
func (w *splitter) docGains(f *forward, docs []uint32, half, width int) {
	gains := w.gains[:len(docs)]
	parallel(width, len(docs), func(from, to int) {
		if from < half {
			sumGains(f, docs[from:min(half, to)], w.toRight, gains[from:])
		}
		if to > half {
			from = max(half, from)
			sumGains(f, docs[from:to], w.toLeft, gains[from:])
		}
	})
}

func sumGains(f *forward, docs []uint32, byTerm []int32, gains []int32) {
	for i, d := range docs {
		sum := int64(0)
		for _, t := range f.of(d) {
			sum += int64(byTerm[t])
		}
		gains[i] = int32(max(math.MinInt32, min(sum, math.MaxInt32)))
	}
}

// exchange swaps the documents that gain most by moving right with those that gain
// most by moving left, as long as a pair gains. It returns the number of pairs.
func (w *splitter) exchange(f *forward, docs []uint32, half, width int) int {
	gains := w.gains[:len(docs)]
	l, r := gains[:half], gains[half:]
	// A document whose loss no partner can outweigh stays.
	leastL, leastR := -int64(slices.Max(r)), -int64(slices.Max(l))
	w.lkeys = candidates(w.lkeys[:0], l, leastL)
	w.rkeys = candidates(w.rkeys[:0], r, leastR)
	if len(w.lkeys) == 0 || len(w.rkeys) == 0 {
		return 0
	}
	w.spare = sortKeys(w.lkeys, w.spare)
	w.spare = sortKeys(w.rkeys, w.spare)
	n := 0
	for n < min(len(w.lkeys), len(w.rkeys)) {
		i, j := int(uint32(w.lkeys[n])), half+int(uint32(w.rkeys[n]))
		if int64(gains[i])+int64(gains[j]) <= 0 {
			break
		}
		for _, t := range f.of(docs[i]) {
			w.left[t]--
		}
		for _, t := range f.of(docs[j]) {
			w.left[t]++
		}
		docs[i], docs[j] = docs[j], docs[i]
		n++
	}
	return n
}

// candidates appends a key for every gain above least: the gain in the high half,
// such that greater gains sort first, and the position in the low half.
func candidates(keys []uint64, gains []int32, least int64) []uint64 {
	for i, g := range gains {
		if int64(g) > least {
			keys = append(keys, uint64(math.MaxInt32-int64(g))<<32|uint64(i))
		}
	}
	return keys
}

// sortKeys sorts keys whose low halves ascend. It returns spare, which may have
// grown.
func sortKeys(keys, spare []uint64) []uint64 {
	const (
		digit = 11
		small = 512
	)
	if len(keys) < small {
		slices.Sort(keys)
		return spare
	}
	if cap(spare) < len(keys) {
		spare = make([]uint64, len(keys))
	}
	from, to := keys, spare[:len(keys)]
	for shift := 32; shift < 64; shift += digit {
		var at [1 << digit]uint32
		for _, k := range from {
			at[k>>shift&(1<<digit-1)]++
		}
		next := uint32(0)
		for i, n := range at {
			at[i] = next
			next += n
		}
		for _, k := range from {
			d := k >> shift & (1<<digit - 1)
			to[at[d]] = k
			at[d]++
		}
		from, to = to, from
	}
	copy(keys, from) // after three passes the result is in spare
	return spare
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
