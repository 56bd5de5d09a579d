// Package topk keeps the best hits of a query, and the threshold that others must reach.
package topk

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/bm25"
)

// Hit is a document and its score.
type Hit struct {
	Doc   uint32 // global docID
	Score float32
}

// AnyHit is Hit, or search.Hit.
type AnyHit interface {
	~struct {
		Doc   uint32
		Score float32
	}
}

// Key orders hits: a greater key is a better hit. Scores are not negative, so
// their bits order as their values do; of equal scores the lower docID is better, unless there are Ties.
func Key(doc uint32, score float32) uint64 {
	return uint64(math.Float32bits(score))<<32 | uint64(^doc)
}

func KeyHit(key uint64) Hit {
	return Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
}

// TopK keeps the k best of the hits offered to it. The result does not depend on the order of
// offers. It does not allocate once its buffer has grown.
type TopK struct {
	K    int
	Heap []uint64 // a min-heap once it has k keys; before that, and if lazy, unordered
	lazy bool     // heap may hold more than k until trim is called

	other []uint64 // scratch

	// Theta is the threshold, the score that a hit must reach: the k-th best so far or a
	// proven lower bound of the final one; -1 if there is none. Offers below it are ignored.
	Theta float32
	// Prune is bm25.PruneBelow(theta, terms), without what Leave says.
	Prune float32
	terms int
	left  Rise

	// Shared, unless nil, is the threshold of all tasks of the query.
	Shared *atomic.Uint32

	// Ties, unless nil, orders hits with equal scores. Reset keeps it.
	Ties    Ties
	ordered bool // Heap is as Order leaves it
}

// Ties says which of two documents with equal scores is the better hit, where docIDs do not say it.
type Ties interface{ Before(a, b uint32) bool }

// better reports whether key a is that of a better hit than b.
func (t *TopK) better(a, b uint64) bool {
	if t.Ties == nil || a>>32 != b>>32 {
		return a > b
	}
	return t.Ties.Before(^uint32(a), ^uint32(b))
}

// Sort sorts keys, that of the best hit last.
func (t *TopK) Sort(keys []uint64) {
	if t.Ties == nil {
		slices.Sort(keys)
		return
	}
	slices.SortFunc(keys, func(a, b uint64) int {
		switch {
		case t.better(b, a):
			return -1
		case t.better(a, b):
			return 1
		}
		return 0
	})
}

// Order sorts the hits if there are Ties, which Append does not ask.
func (t *TopK) Order() {
	if t.Ties != nil && !t.ordered {
		t.Sort(t.Heap)
		t.ordered = true
	}
}

// Take makes the hits of o those of t.
func (t *TopK) Take(o *TopK) {
	t.Heap, t.ordered = append(t.Heap[:0], o.Heap...), o.ordered
}

// Reset makes t ready for a query of that many terms. k is at least 1.
func (t *TopK) Reset(k, terms int) {
	t.K, t.terms = k, terms
	t.Heap = t.Heap[:0]
	t.Theta, t.Prune, t.Shared, t.left = -1, -1, nil, Rise{}
	t.lazy, t.ordered = false, false
}

// Full reports whether t has k hits that are better than one with a key.
func (t *TopK) Full(key uint64) bool {
	if len(t.Heap) < t.K {
		return false
	}
	n := 0
	for _, k := range t.Heap {
		if t.better(k, key) {
			n++
		}
	}
	return n >= t.K
}

// Delay makes t lazy if that is faster. trim must follow the last offer.
func (t *TopK) Delay() { t.lazy = t.K >= lazyFrom && t.Ties == nil }

// Trim drops all but the k best.
func (t *TopK) Trim() {
	if len(t.Heap) > t.K {
		selectGreatest(t.Heap, t.K)
		t.Heap = t.Heap[:t.K]
	}
}

// delayed is offer if t is lazy.
func (t *TopK) delayed(key uint64) {
	t.Heap = append(t.Heap, key)
	switch n := len(t.Heap); {
	case n == t.K:
		t.Raise(KeyHit(slices.Min(t.Heap)).Score)
	case n >= roomFor(t.K):
		t.Trim()
		t.Raise(KeyHit(slices.Min(t.Heap)).Score)
	}
}

// Raise raises the threshold to theta: at least k documents of the result score theta or more.
func (t *TopK) Raise(theta float32) {
	if theta > t.Theta {
		t.Theta, t.Prune = theta, bm25.PruneBelow(theta, t.terms)
		if t.left.By > 0 {
			t.Prune = t.without(t.left)
		}
		if t.Shared != nil {
			Publish(t.Shared, theta)
		}
	}
}

// Leave makes t prune by sums that rise by up to that much later.
func (t *TopK) Leave(left Rise) {
	if left != t.left {
		t.left, t.Prune = left, t.without(left)
	}
}

// Proven is Prune, whatever Leave says.
func (t *TopK) Proven() float32 { return bm25.PruneBelow(t.Theta, t.terms) }

// without returns what a sum must be above to pass with left.
func (t *TopK) without(left Rise) float32 {
	prune := left.Without(float64(t.Proven()))
	if prune < 0 {
		return -1
	}
	f := float32(prune)
	if float64(f) > prune {
		f = math.Nextafter32(f, -1)
	}
	return f
}

// Sync raises the threshold to what other tasks have proven.
func (t *TopK) Sync() {
	if t.Shared != nil {
		t.Raise(math.Float32frombits(t.Shared.Load()))
	}
}

// Publish raises a shared threshold to theta. Thresholds that prune are positive, so they order as
// their bits do.
func Publish(shared *atomic.Uint32, theta float32) {
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

// Offer considers a document. Each document may be offered only once.
func (t *TopK) Offer(doc uint32, score float32) {
	if score < t.Theta {
		return
	}
	t.Sync()
	key := Key(doc, score)
	if t.lazy {
		t.delayed(key)
		return
	}
	if len(t.Heap) < t.K {
		t.Heap = append(t.Heap, key)
		if len(t.Heap) == t.K {
			t.build()
		}
		return
	}
	if t.better(key, t.Heap[0]) {
		t.Heap[0] = key
		t.down(0)
		t.Raise(KeyHit(t.Heap[0]).Score)
	}
}

func (t *TopK) build() {
	for i := len(t.Heap)/2 - 1; i >= 0; i-- {
		t.down(i)
	}
	t.Raise(KeyHit(t.Heap[0]).Score)
}

func (t *TopK) down(i int) {
	if t.Ties != nil {
		t.downTied(i)
		return
	}
	h := t.Heap
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

// downTied is down if there are Ties.
func (t *TopK) downTied(i int) {
	h := t.Heap
	key := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && t.better(h[c], h[c+1]) {
			c++
		}
		if !t.better(key, h[c]) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = key
}

// Append appends the hits to dst, the best first, and empties t. If there are Ties, Order must have been called.
func Append[H AnyHit](dst []H, t *TopK) []H {
	if !t.ordered {
		t.other = sortKeys(t.Heap, t.other)
	}
	dst = slices.Grow(dst, len(t.Heap))
	for i := len(t.Heap) - 1; i >= 0; i-- {
		dst = append(dst, H(KeyHit(t.Heap[i])))
	}
	t.Heap, t.ordered = t.Heap[:0], false
	return dst
}

// Size returns how many elements t has memory for.
func (t *TopK) Size() int { return max(cap(t.Heap), cap(t.other)) }
