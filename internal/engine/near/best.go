package near

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/internal/vector"
)

// Best collects the nearest documents of segments, one segment after the other.
type Best struct {
	query *Query
	k     int
	// keys are those of the best documents so far, a heap with the worst at its root once there are k: a score, and the docID so that
	// the first of equal ones is the best.
	keys  []uint64
	least float32 // nothing below it is one of the best
}

// NewBest returns a Best of k documents; k is above 0.
func NewBest(q *Query, k int) *Best {
	return &Best{query: q, k: k, least: float32(math.Inf(-1))}
}

// keyOf returns a key that is greater for a greater score, and for a lesser docID.
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

// offer offers a document behind all before.
func (b *Best) offer(doc uint32, score float32) {
	key := keyOf(score, doc)
	switch n := len(b.keys); {
	case n == b.k && key < b.keys[0]:
		return
	case n < b.k:
		if b.keys = append(b.keys, key); n+1 < b.k {
			return
		}
		slices.Sort(b.keys) // a heap
	default:
		b.replace(key)
	}
	worst, _ := ofKey(b.keys[0])
	b.least = math.Nextafter32(worst, float32(math.Inf(1))) // what is as near comes too late
}

// replace replaces the root of the heap.
func (b *Best) replace(key uint64) {
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

// pieceWork is how many values of vectors a scan looks at before it asks whether to go on: about a millisecond.
const pieceWork = 1 << 23

// Scan looks at the documents of p, a segment behind all before, whose first docID is base. They are those of mask, bits by
// their numbers, unless it is nil. It ends early once stopped returns true.
func (b *Best) Scan(p *Part, base uint32, mask []uint64, stopped func() bool) (err error) {
	set := p.set(func(e error) { err = p.query.in(e) })
	queries, least := []*vector.Query{p.vectorQuery()}, []float32{b.least}
	var pending struct { // the document whose vectors are looked at
		some  bool
		doc   uint32
		score float32
	}
	flush := func() {
		if pending.some {
			b.offer(base+pending.doc, pending.score)
			pending.some = false
		}
	}
	offer := func(_, i int, score float32) float32 {
		doc := p.Doc(i)
		if pending.some && pending.doc == doc {
			pending.score = max(pending.score, score)
			return b.least
		}
		flush()
		pending.some, pending.doc, pending.score = true, doc, score
		return b.least
	}
	if mask != nil && p.Docs() != nil {
		mask = p.ofDocs(mask)
	}
	piece := max(pieceWork/len(p.query.Vector)&^63, 64)
	for lo := 0; lo < p.Len() && !stopped() && err == nil; lo += piece {
		vector.Scan(queries, set, lo, min(lo+piece, p.Len()), mask, least, offer)
	}
	flush()
	return err
}

// ofDocs returns the mask of the vectors of the documents of a mask.
func (p *Part) ofDocs(mask []uint64) []uint64 {
	own, docs := make([]uint64, (p.Len()+63)/64), p.Docs()
	members := 0
	for _, w := range mask {
		members += bits.OnesCount64(w)
	}
	if members*gather > p.Len() {
		for i, doc := range docs {
			own[i/64] |= mask[doc/64] >> (doc % 64) & 1 << (i % 64)
		}
		return own
	}
	for at, w := range mask {
		for ; w != 0; w &= w - 1 {
			doc := uint32(64*at + bits.TrailingZeros64(w))
			for i := p.Of(doc); i < len(docs) && docs[i] == doc; i++ {
				own[i/64] |= 1 << (i % 64)
			}
		}
	}
	return own
}

// gather is how many vectors are looked at in the time that finding those of a document takes.
const gather = 64

// Hit is a document, and how near it is by package vector.
type Hit struct {
	Doc  uint32 // global docID
	Near float32
}

// Hits returns what was found, by docID.
func (b *Best) Hits() []Hit {
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
