package topk

import (
	"math/bits"
	"slices"
)

// If k is at least lazyFrom, a buffer with room for half as many hits more, from which the best are
// selected whenever it is full, is faster than a heap.
const lazyFrom = 64

// roomFor returns the length of that buffer.
func roomFor(k int) int { return k + k/2 }

// selectGreatest moves the k greatest of v, which are distinct, to its front. 0 < k <= len(v). It
// does not branch on which side of the pivot a key is, since that is hard to predict.
func selectGreatest(v []uint64, k int) {
	for k < len(v) {
		pivot := median(v[0], v[len(v)/2], v[len(v)-1])
		n := 0
		for i, x := range v {
			v[i] = v[n]
			v[n] = x
			_, above := bits.Sub64(pivot, x, 0)
			n += int(above)
		}
		switch {
		case n > k:
			v = v[:n]
		case n > 0:
			v, k = v[n:], k-n
		default: // the pivot is the greatest
			i := slices.Index(v, pivot)
			v[0], v[i] = v[i], v[0]
			v, k = v[1:], k-1
		}
		if k == 0 {
			return
		}
	}
}

func median(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }

// sortKeys sorts v, first into buckets of equal width, then each bucket. It uses other as scratch
// and returns it, grown if necessary.
func sortKeys(v, other []uint64) []uint64 {
	const buckets = 1 << 10
	if len(v) < lazyFrom {
		slices.Sort(v)
		return other
	}
	least := slices.Min(v)
	shift := max(bits.Len64(slices.Max(v)-least)-10, 0)
	var next [buckets + 1]uint32
	for _, x := range v {
		next[(x-least)>>shift%buckets+1]++
	}
	for i := 1; i < buckets; i++ {
		next[i] += next[i-1]
	}
	other = append(other[:0], v...)
	for _, x := range other {
		b := (x - least) >> shift % buckets
		v[next[b]] = x
		next[b]++
	}
	from := uint32(0)
	for _, to := range next[:buckets] {
		if to-from > 1 {
			slices.Sort(v[from:to])
		}
		from = to
	}
	return other
}
