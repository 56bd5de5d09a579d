package query

import (
	"math"
	"slices"
	"sync/atomic"
)

// Hit is one document of a result.
type Hit struct {
	Doc   uint32  // global docID
	Score float32 // at least 0
}

// hitKey orders hits: a greater key is a better hit. Scores are not negative, so
// their bits order as their values do; of equal scores the lower docID is better.
func hitKey(doc uint32, score float32) uint64 {
	return uint64(math.Float32bits(score))<<32 | uint64(^doc)
}

func keyHit(key uint64) Hit {
	return Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
}

// topK keeps the k best of the hits offered to it. The result does not depend on
// the order of offers. It allocates nothing once its buffer has grown.
type topK struct {
	k    int
	heap []uint64 // the least key first once len is k; unordered before

	// theta is the score that a hit must at least tie with: the k-th best so far,
	// or a proven lower bound of it; -1 where there is none. Offers below it do nothing.
	theta float32
	// prune is pruneBelow(theta, terms).
	prune float32
	terms int

	// shared, unless nil, is the threshold of all tasks of the query.
	shared *atomic.Uint32
}

// reset prepares for a query of that many terms. k is at least 1.
func (t *topK) reset(k, terms int) {
	t.k, t.terms = k, terms
	t.heap = t.heap[:0]
	t.theta, t.prune, t.shared = -1, -1, nil
}

// raise tells that at least k documents of the result score theta or more.
func (t *topK) raise(theta float32) {
	if theta > t.theta {
		t.theta, t.prune = theta, pruneBelow(theta, t.terms)
		if t.shared != nil {
			publish(t.shared, theta)
		}
	}
}

// sync takes over what other tasks have proven.
func (t *topK) sync() {
	if t.shared != nil {
		t.raise(math.Float32frombits(t.shared.Load()))
	}
}

// offer considers a document that is to be offered once only.
func (t *topK) offer(doc uint32, score float32) {
	if score < t.theta {
		return
	}
	t.sync()
	key := hitKey(doc, score)
	if len(t.heap) < t.k {
		t.heap = append(t.heap, key)
		if len(t.heap) == t.k {
			t.build()
		}
		return
	}
	if key > t.heap[0] {
		t.heap[0] = key
		t.down(0)
		t.raise(keyHit(t.heap[0]).Score)
	}
}

func (t *topK) build() {
	for i := len(t.heap)/2 - 1; i >= 0; i-- {
		t.down(i)
	}
	t.raise(keyHit(t.heap[0]).Score)
}

func (t *topK) down(i int) {
	h := t.heap
	key := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if key <= h[c] {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = key
}

// appendHits appends the hits to dst, the best first, and empties t.
func (t *topK) appendHits(dst []Hit) []Hit {
	slices.Sort(t.heap)
	for i := len(t.heap) - 1; i >= 0; i-- {
		dst = append(dst, keyHit(t.heap[i]))
	}
	t.heap = t.heap[:0]
	return dst
}

// greatest returns the k-th greatest of v, which it reorders. 0 < k <= len(v).
func greatest(v []float32, k int) float32 {
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

// leastOf keeps the k greatest of the numbers added to it.
type leastOf struct {
	k     int
	heap  []float32
	least float32 // of k numbers; -1 while there are fewer
}

func (h *leastOf) reset(k int) { h.k, h.heap, h.least = k, h.heap[:0], -1 }

// add adds a number that is greater than least.
func (h *leastOf) add(v float32) {
	if len(h.heap) < h.k {
		h.heap = append(h.heap, v)
		if len(h.heap) < h.k {
			return
		}
		slices.Sort(h.heap) // a heap
		h.least = h.heap[0]
		return
	}
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
	h.least = s[0]
}
