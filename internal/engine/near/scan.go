package near

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/vector"
)

// Vectors are those of a field in several segments, which Scans look at together. They are cut into pieces, which goroutines take in turn,
// round and round: who takes one compares it with all queries under way, each of which is done when it has seen each piece once.
type Vectors struct {
	sources []source
	size    int // of a piece, in vectors; 0 means as many as pieceWork allows
	pieces  int // of all sources
	values  int

	mu    sync.Mutex
	next  int     // the piece to be taken
	scans []*Scan // those that have not been given each piece
}

// source is a segment that is looked at.
type source struct {
	*Part
	base uint32
	mask []uint64 // of vectors
	size int      // of a piece, in vectors
	end  int      // number of the first piece behind
}

// pieceWork is how many values of vectors a goroutine looks at before it asks whether to go on: about a quarter of a millisecond for a query.
const pieceWork = 1 << 21

// NewVectors returns Vectors of no segment. Pieces have so many vectors, or the usual number if that is 0.
func NewVectors(piece int) *Vectors { return &Vectors{size: piece} }

// add adds a segment, with a mask of vectors.
func (v *Vectors) add(c *Candidates) {
	if c.Len() == 0 {
		return
	}
	p, mask, dims := c.Part, c.Mask, len(c.query.Vector)
	x := source{Part: p, base: c.Base, mask: mask, size: v.size}
	if x.size == 0 {
		x.size = max(pieceWork/dims&^63, 64)
	}
	v.pieces += (p.Len() + x.size - 1) / x.size
	x.end = v.pieces
	v.values += dims * p.members(mask)
	v.sources = append(v.sources, x)
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
func (v *Vectors) Values() int { return v.values }

// Scan finds the documents that are nearest to a Query. Any number of goroutines work on it, also those of other Scans of the same Vectors:
// the answer does not depend on who looks at what, and when.
type Scan struct {
	of      *Vectors
	best    best
	queries []*vector.Query // by source

	// under of.mu
	given, pending int // pieces that have been taken for it; those of them that are being looked at
	ended          bool
	lost           bool          // a piece has failed while others looked at it too; set before ended
	done           chan struct{} // closed with ended
}

// Begin begins a Scan for the k documents that are nearest to q, which is of the field of v; k is above 0. Leave ends it.
func (v *Vectors) Begin(q *Query, k int) *Scan {
	s := &Scan{of: v, best: best{k: k}, done: make(chan struct{})}
	for i := range v.sources {
		s.queries = append(s.queries, s.queryOf(i, q))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pieces == 0 {
		s.end()
	} else {
		v.scans = append(v.scans, s)
	}
	return s
}

// queryOf returns q for a source, given those before it. Segments have the same centre, but for the first ones of an index, so that a query
// is turned once.
func (s *Scan) queryOf(i int, q *Query) *vector.Query {
	own := s.of.sources[i]
	if i > 0 && slices.Equal(s.of.sources[i-1].Info.Vectors.Centre, own.Info.Vectors.Centre) {
		return s.queries[i-1]
	}
	return vector.NewQuery(own.Coder(), q.By, q.Vector)
}

// end says that nothing is left to do. of.mu is held.
func (s *Scan) end() {
	if !s.ended {
		s.ended = true
		close(s.done)
	}
}

// Leave makes goroutines pass s over, whatever it has seen.
func (s *Scan) Leave() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.drop()
}

// drop is Leave with of.mu held.
func (s *Scan) drop() {
	s.of.scans = slices.DeleteFunc(s.of.scans, func(o *Scan) bool { return o == s })
	s.end()
}

// Done is closed when s has seen all pieces, or something has failed.
func (s *Scan) Done() <-chan struct{} { return s.done }

// Lost reports whether a goroutine has failed at a piece that it looked at for several Scans: it may be another's failure, so that s must be
// done again alone. s must be done.
func (s *Scan) Lost() bool { return s.lost }

// Hits returns what was found, by docID. s must be done.
func (s *Scan) Hits() []Hit { return s.best.hits() }

// Work looks at pieces, for all Scans, until s has been given each or stopped returns true. Then s is done soon.
func (s *Scan) Work(stopped func() bool) error {
	w := working{of: s.of, at: -1}
	for !stopped() {
		n, ok := w.take(s)
		if !ok {
			return nil
		}
		if err := w.look(n); err != nil {
			return err
		}
	}
	return nil
}

// working is a goroutine that works on Vectors.
type working struct {
	of    *Vectors
	at    int // the current source
	set   *vector.Set
	err   error
	scans []*Scan // what the current piece is looked at for
	// of each Scan
	queries []*vector.Query
	least   []float32
	pending []pending
}

// pending is the document whose vectors are looked at.
type pending struct {
	some  bool
	doc   uint32
	score float32
}

// take takes the next piece for all Scans, unless s is given no more.
func (w *working) take(s *Scan) (n int, ok bool) {
	v := w.of
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.ended || s.given == v.pieces {
		return 0, false
	}
	w.scans = append(w.scans[:0], v.scans...)
	for _, o := range w.scans {
		o.given++
		o.pending++
	}
	v.scans = slices.DeleteFunc(v.scans, func(o *Scan) bool { return o.given == v.pieces })
	n = v.next
	v.next = (n + 1) % v.pieces
	return n, true
}

// look looks at the piece of a number. The error is that of s alone: if others see the piece, all must do without.
func (w *working) look(n int) (err error) {
	seen := false
	defer func() { // also if it faults
		w.of.mu.Lock()
		defer w.of.mu.Unlock()
		for _, s := range w.scans {
			switch s.pending--; {
			case s.ended: // it has failed at another piece, or left
			case !seen:
				s.lost = len(w.scans) > 1
				s.drop()
			case s.pending == 0 && s.given == w.of.pieces:
				s.end()
			}
		}
	}()
	at, _ := slices.BinarySearchFunc(w.of.sources, n+1, func(x source, n int) int { return x.end - n })
	x := &w.of.sources[at]
	if at != w.at {
		w.at, w.set = at, x.set(func(err error) { w.err = x.Part.query.in(err) })
	}
	from := 0
	if at > 0 {
		from = w.of.sources[at-1].end
	}
	if lo, hi := x.border((n-from)*x.size), x.border((n-from+1)*x.size); lo < hi {
		w.queries, w.least, w.pending = w.queries[:0], w.least[:0], w.pending[:0]
		for _, s := range w.scans {
			w.queries, w.least, w.pending = append(w.queries, s.queries[at]), append(w.least, s.best.least(x.base+x.Doc(lo))), append(w.pending, pending{})
		}
		vector.Scan(w.queries, w.set, lo, hi, x.mask, w.least, w.offer)
		for i := range w.scans {
			w.flush(i)
		}
	}
	if seen = w.err == nil; !seen && len(w.scans) == 1 {
		return w.err
	}
	w.err = nil
	return nil
}

// border returns i, or the first vector behind it that is not of the same document as the one before: pieces have all of a document.
func (x *source) border(i int) int {
	for i < x.Len() && i > 0 && x.Doc(i) == x.Doc(i-1) {
		i++
	}
	return min(i, x.Len())
}

// offer takes the score of a vector for a query. It returns what those behind it must score.
func (w *working) offer(query, i int, score float32) float32 {
	x, p := &w.of.sources[w.at], &w.pending[query]
	doc := x.base + x.Doc(i)
	if p.some && p.doc == doc {
		p.score = max(p.score, score)
	} else {
		w.flush(query)
		p.some, p.doc, p.score = true, doc, score
	}
	return w.scans[query].best.least(doc)
}

// flush offers the pending document of a query.
func (w *working) flush(query int) {
	if p := &w.pending[query]; p.some {
		w.scans[query].best.offer(p.doc, p.score)
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
