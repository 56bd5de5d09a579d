package near

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// best collects the nearest documents. It is safe for concurrent use: what is collected does not depend on the order of offers.
//
// It is no topk.TopK: products and distances have signs, which that one's keys have no bit for, and it prunes by sums over terms. A scan
// offers too few documents for the form of the heap to count.
type best struct {
	k    int
	mu   sync.Mutex
	keys []uint64 // of the best documents so far: a heap with the worst at its root once there are k
	// worst is the key at the root once there are k, and only rises: no document with a lesser key is one of the best. 0 before that.
	worst atomic.Uint64
}

// keyOf returns a key that is greater for a greater score, and of equal ones for a lesser docID: the first are the best. None is 0.
func keyOf(score float32, doc uint32) uint64 {
	b := math.Float32bits(score + 0) // -0 is 0
	if b>>31 != 0 {
		b = ^b
	} else {
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(^doc)
}

// ofKey is the opposite of keyOf.
func ofKey(key uint64) (score float32, doc uint32) {
	b := uint32(key >> 32)
	if b>>31 != 0 {
		b &^= 1 << 31
	} else {
		b = ^b
	}
	return math.Float32frombits(b), ^uint32(key)
}

// least returns what a document from doc on must score to be one of the best.
func (b *best) least(doc uint32) float32 {
	key := b.worst.Load()
	if key == 0 {
		return float32(math.Inf(-1))
	}
	score, last := ofKey(key)
	if last < doc { // what is as near comes too late
		return math.Nextafter32(score, float32(math.Inf(1)))
	}
	return score
}

// offer offers a document. Each may be offered only once.
func (b *best) offer(doc uint32, score float32) {
	key := keyOf(score, doc)
	if key < b.worst.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch n := len(b.keys); {
	case n < b.k:
		if b.keys = append(b.keys, key); n+1 < b.k {
			return
		}
		slices.Sort(b.keys) // a heap
	case key < b.keys[0]:
		return
	default:
		b.replace(key)
	}
	b.worst.Store(b.keys[0])
}

// replace replaces the root of the heap.
func (b *best) replace(key uint64) {
	h, i := b.keys, 0
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

// Hit is a document, and how near it is by package vector.
type Hit struct {
	Doc  uint32 // global docID
	Near float32
}

// hits returns what was collected, by docID.
func (b *best) hits() []Hit {
	slices.SortFunc(b.keys, func(x, y uint64) int { return int(int64(y&math.MaxUint32) - int64(x&math.MaxUint32)) })
	hits := make([]Hit, len(b.keys))
	for i, key := range b.keys {
		hits[i].Near, hits[i].Doc = ofKey(key)
	}
	return hits
}

// Found is what a Query finds in a segment.
type Found struct {
	Docs   []uint32 // local docIDs, ascending
	Scores []float32
	Most   float32 // the greatest of Scores
}

// Split returns what q finds in each segment, given its hits in all, by docID, and the number of the first document of each, in ascending
// order.
func Split(q *Query, hits []Hit, bases []uint32) []Found {
	found := make([]Found, len(bases))
	p := 0
	for _, h := range hits {
		for p+1 < len(bases) && h.Doc >= bases[p+1] {
			p++
		}
		f, score := &found[p], q.Score(h.Near)
		f.Docs, f.Scores, f.Most = append(f.Docs, h.Doc-bases[p]), append(f.Scores, score), max(f.Most, score)
	}
	return found
}
