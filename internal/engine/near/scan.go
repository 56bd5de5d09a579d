package near

import (
	"math/bits"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/vector"
)

// Scan finds the documents that are nearest to a Query in several segments. Any number of goroutines take pieces of them and share what
// they have found: the answer does not depend on who looks at what, and when.
type Scan struct {
	best    best
	sources []source
	piece   int // vectors; 0 means as many as pieceWork allows
	pieces  int // of all sources
	values  int
	next    atomic.Int64 // the first piece that nobody has taken
	failed  atomic.Bool
}

// source is a segment that is looked at.
type source struct {
	*Part
	base  uint32
	mask  []uint64 // of vectors
	query *vector.Query
	size  int // of a piece, in vectors
	end   int // number of the first piece behind
}

// pieceWork is how many values of vectors a goroutine looks at before it asks whether to go on: about a quarter of a millisecond.
const pieceWork = 1 << 21

// NewScan returns a Scan for k documents; k is above 0. Pieces have so many vectors, or the usual number if that is 0.
func NewScan(k, piece int) *Scan { return &Scan{best: best{k: k}, piece: piece} }

// Add adds a segment, whose first docID is base, before Work is called. The documents to look at are those of mask, bits by their
// numbers, unless it is nil. The Parts of all segments are of one Query.
func (s *Scan) Add(p *Part, base uint32, mask []uint64) {
	if p.Len() == 0 {
		return
	}
	if mask != nil && p.Docs() != nil {
		mask = p.ofDocs(mask)
	}
	dims := len(p.query.Vector)
	x := source{Part: p, base: base, mask: mask, query: p.vectorQuery(), size: s.piece}
	if x.size == 0 {
		x.size = max(pieceWork/dims&^63, 64)
	}
	s.pieces += (p.Len() + x.size - 1) / x.size
	x.end = s.pieces
	s.values += dims * p.members(mask)
	s.sources = append(s.sources, x)
}

// members returns how many vectors are in a mask.
func (p *Part) members(mask []uint64) (n int) {
	if mask == nil {
		return p.Len()
	}
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	return n
}

// Values returns how many values the vectors to look at have.
func (s *Scan) Values() int { return s.values }

// Work looks at pieces until all are taken, stopped returns true, or another goroutine has failed. Once all that work have returned, without
// having been stopped, Hits has the answer.
func (s *Scan) Work(stopped func() bool) error {
	w := working{scan: s, at: -1}
	for !s.failed.Load() && !stopped() {
		n := int(s.next.Add(1)) - 1
		if n >= s.pieces {
			return nil
		}
		if w.look(n); w.err != nil {
			s.Fail()
			return w.err
		}
	}
	return nil
}

// Fail makes those that work return.
func (s *Scan) Fail() { s.failed.Store(true) }

// Hits returns what was found, by docID.
func (s *Scan) Hits() []Hit { return s.best.hits() }

// working is a goroutine that works on a Scan.
type working struct {
	scan    *Scan
	at      int // the current source
	set     *vector.Set
	err     error
	pending struct { // the document whose vectors are looked at
		some  bool
		doc   uint32
		score float32
	}
}

// look looks at the piece of a number, which is behind all that w has looked at.
func (w *working) look(n int) {
	s, from := w.scan, 0
	for i := max(w.at, 0); ; i++ {
		if n < s.sources[i].end {
			if i > 0 {
				from = s.sources[i-1].end
			}
			if i != w.at {
				w.at, w.set = i, s.sources[i].set(func(err error) { w.err = s.sources[i].Part.query.in(err) })
			}
			break
		}
	}
	x := &s.sources[w.at]
	lo, hi := x.border((n-from)*x.size), x.border((n-from+1)*x.size)
	if lo == hi {
		return
	}
	least := []float32{s.best.least(x.base + x.Doc(lo))}
	vector.Scan([]*vector.Query{x.query}, w.set, lo, hi, x.mask, least, w.offer)
	w.flush()
}

// border returns i, or the first vector behind it that is not of the same document as the one before: pieces have all of a document.
func (x *source) border(i int) int {
	for i < x.Len() && i > 0 && x.Doc(i) == x.Doc(i-1) {
		i++
	}
	return min(i, x.Len())
}

// offer takes the score of a vector. It returns what those behind it must score.
func (w *working) offer(_, i int, score float32) float32 {
	x, p := &w.scan.sources[w.at], &w.pending
	doc := x.base + x.Doc(i)
	if p.some && p.doc == doc {
		p.score = max(p.score, score)
	} else {
		w.flush()
		p.some, p.doc, p.score = true, doc, score
	}
	return w.scan.best.least(doc)
}

// flush offers the pending document.
func (w *working) flush() {
	if p := &w.pending; p.some {
		w.scan.best.offer(p.doc, p.score)
		p.some = false
	}
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
