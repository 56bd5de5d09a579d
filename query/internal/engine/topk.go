package engine

import (
	"math"
	"slices"
	"sync/atomic"
)

// Hit is a document and its score.
type Hit struct {
	Doc   uint32 // global docID
	Score float32
}

// hit is Hit, or query.Hit.
type hit interface {
	~struct {
		Doc   uint32
		Score float32
	}
}

// hitKey orders hits: a greater key is a better hit. Scores are not negative, so
// their bits order as their values do; of equal scores the lower docID is better.
func hitKey(doc uint32, score float32) uint64 {
	return uint64(math.Float32bits(score))<<32 | uint64(^doc)
}

func keyHit(key uint64) Hit {
	return Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
}

// topK keeps the k best of the hits offered to it. The result does not depend on the order of
// offers. It does not allocate once its buffer has grown.
type topK struct {
	k    int
	heap []uint64 // a min-heap once it has k keys; before that, and if lazy, unordered
	lazy bool     // heap may hold more than k until trim is called

	other []uint64 // scratch

	// theta is the threshold, the score that a hit must reach: the k-th best so far or a
	// proven lower bound of the final one; -1 if there is none. Offers below it are ignored.
	theta float32
	// prune is pruneBelow(theta, terms).
	prune float32
	terms int

	// shared, unless nil, is the threshold of all tasks of the query.
	shared *atomic.Uint32
}

// reset makes t ready for a query of that many terms. k is at least 1.
func (t *topK) reset(k, terms int) {
	t.k, t.terms = k, terms
	t.heap = t.heap[:0]
	t.theta, t.prune, t.shared = -1, -1, nil
	t.lazy = false
}

// delay makes t lazy if that is faster. trim must follow the last offer.
func (t *topK) delay() { t.lazy = t.k >= lazyFrom }

// trim drops all but the k best.
func (t *topK) trim() {
	if len(t.heap) > t.k {
		selectGreatest(t.heap, t.k)
		t.heap = t.heap[:t.k]
	}
}

// delayed is offer if t is lazy.
func (t *topK) delayed(key uint64) {
	t.heap = append(t.heap, key)
	switch n := len(t.heap); {
	case n == t.k:
		t.raise(keyHit(slices.Min(t.heap)).Score)
	case n >= roomFor(t.k):
		t.trim()
		t.raise(keyHit(slices.Min(t.heap)).Score)
	}
}

// raise raises the threshold to theta: at least k documents of the result score theta or more.
func (t *topK) raise(theta float32) {
	if theta > t.theta {
		t.theta, t.prune = theta, pruneBelow(theta, t.terms)
		if t.shared != nil {
			publish(t.shared, theta)
		}
	}
}

// sync raises the threshold to what other tasks have proven.
func (t *topK) sync() {
	if t.shared != nil {
		t.raise(math.Float32frombits(t.shared.Load()))
	}
}

// publish raises a shared threshold to theta. Thresholds that prune are positive, so they order as
// their bits do.
func publish(shared *atomic.Uint32, theta float32) {
	if theta <= 0 {
		return
	}
	bits := math.Float32bits(theta)
	for {
		old := shared.Load()
		if bits <= old || shared.CompareAndSwap(old, bits) {
			return
		}
	}
}

// offer considers a document. Each document may be offered only once.
func (t *topK) offer(doc uint32, score float32) {
	if score < t.theta {
		return
	}
	t.sync()
	key := hitKey(doc, score)
	if t.lazy {
		t.delayed(key)
		return
	}
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
func appendHits[H hit](dst []H, t *topK) []H {
	t.other = sortKeys(t.heap, t.other)
	dst = slices.Grow(dst, len(t.heap))
	for i := len(t.heap) - 1; i >= 0; i-- {
		dst = append(dst, H(keyHit(t.heap[i])))
	}
	t.heap = t.heap[:0]
	return dst
}
