package topk

import "slices"

// Greatest returns the k-th greatest of v, which it reorders. 0 < k <= len(v).
func Greatest(v []float32, k int) float32 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		p := v[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for v[i] > p {
				i++
			}
			for v[j] < p {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			lo = hi
		}
	}
	return v[k-1]
}

// Least finds the k-th greatest of the numbers added to it. If k is at least lazyFrom, it may lag
// behind and find one of the next k/2.
type Least struct {
	k     int
	heap  []float32 // if k is less than lazyFrom
	keys  []uint64  // otherwise: the number, which is not negative, then count
	count uint32
	Least float32 // k numbers are at least that; -1 while there are fewer
}

func (h *Least) Reset(k int) {
	h.k, h.heap, h.keys, h.count, h.Least = k, h.heap[:0], h.keys[:0], 0, -1
}

// Add adds a number, which must be greater than least.
func (h *Least) Add(v float32) {
	switch {
	case h.k >= lazyFrom:
		h.delayed(v)
	case len(h.heap) < h.k:
		h.heap = append(h.heap, v)
		if len(h.heap) == h.k {
			slices.Sort(h.heap) // a heap
			h.Least = h.heap[0]
		}
	default:
		h.replace(v)
	}
}

// delayed is add with a buffer.
func (h *Least) delayed(v float32) {
	h.count++
	h.keys = append(h.keys, Key(h.count, v))
	n := len(h.keys)
	if n != h.k && n < roomFor(h.k) {
		return
	}
	if n > h.k {
		selectGreatest(h.keys, h.k)
		h.keys = h.keys[:h.k]
	}
	h.Least = KeyHit(slices.Min(h.keys)).Score
}

// replace replaces the least number of the heap by v.
func (h *Least) replace(v float32) {
	s, i := h.heap, 0
	for {
		c := 2*i + 1
		if c >= len(s) {
			break
		}
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if v <= s[c] {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = v
	h.Least = s[0]
}

// Size returns how many elements h has memory for.
func (h *Least) Size() int { return max(cap(h.heap), cap(h.keys)) }
