package algorithm

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// An OpNear is found before a tree is executed, over all segments: then it is a list of documents with their scores. An OpSimilar
// scores the documents that it is asked for, and is asked for those alone that other nodes match: as one of Should it need
// not match, and it costs more than any list, so that it is never a source.

// Near is what an OpNear or OpSimilar compares with.
type Near struct {
	near.Query
	K     int          // of OpNear; 0 of OpSimilar
	Probe float64      // of OpNear: the part of the vectors that is compared at least; 0 means all
	Parts []*near.Part // of OpSimilar: by segment, once resolved; nil where there are no vectors
	Found []near.Found // of OpNear: by segment, once resolved
	// Hits are what an OpNear matches, by global docID: once resolved, or before that if they are Known.
	Hits  []near.Hit
	Known bool
	// Approximate says, once resolved, or before that if they are Known, that nearer ones may be left out.
	Approximate bool
	Number      int // of an OpNear of a part of a collection, among those of the query, also those that the tree has not
}

// nears is the place of the first OpNear or OpSimilar: after all Dots, before all constants.
const nears = dots + dots/2

// near returns the node of an OpNear or OpSimilar.
func (t *tree) near(e *Expr, scores bool) (*node, int) {
	place, r := nears+t.number, t.run
	var own leaf
	switch {
	case e.Op == OpSimilar:
		if p := e.Near.Parts[r.segment]; p != nil {
			own = &similar{run: r, part: p, scorer: p.Scorer()}
		}
	case len(e.Near.Found[r.segment].Docs) > 0:
		own = &nearest{found: &e.Near.Found[r.segment]}
	}
	if own == nil {
		return nil, place
	}
	n := t.room(opDot)
	n.leaf, n.list, n.scores, n.place, n.cost = own, own.stand(), scores, place, own.cost()
	return n, place
}

// scoresOf sets dst to the scores of documents, as the leaf of n, an opDot, has them in at.
func (n *node) scoresOf(dst []float32, at []uint64) {
	if _, ok := n.leaf.(*dot); ok {
		products(dst, at, n.score)
		return
	}
	for i, bits := range at {
		dst[i] = math.Float32frombits(uint32(bits >> 32))
	}
}

// scored returns a score as scoresOf takes it.
func scored(score float32) uint64 { return uint64(math.Float32bits(score)) << 32 }

// nearest is an OpNear in the current segment: a leaf without a state.
type nearest struct {
	found *near.Found
	own   posting.List
}

func (x *nearest) cost() uint64         { return uint64(len(x.found.Docs)) }
func (x *nearest) stand() *posting.List { return &x.own }
func (x *nearest) limit()               { x.own.Bound = x.found.Most }
func (x *nearest) all() bool            { return false }
func (x *nearest) forget()              { x.found = nil }
func (x *nearest) size() int            { return 0 }

func (x *nearest) next(doc uint32, _ float64) uint32 {
	if i, _ := slices.BinarySearch(x.found.Docs, doc); i < len(x.found.Docs) {
		return x.found.Docs[i]
	}
	return posting.End
}

func (x *nearest) read(docs []uint32, at []uint64, lo, hi uint32, need float64, members *bitset.Set) ([]uint32, []uint64) {
	i, _ := slices.BinarySearch(x.found.Docs, lo)
	for ; i < len(x.found.Docs) && x.found.Docs[i] < hi; i++ {
		doc, score := x.found.Docs[i], x.found.Scores[i]
		if need < 0 || float64(score) > need || members != nil && members.Next(doc) == doc {
			docs, at = append(docs, doc), append(at, scored(score))
		}
	}
	return docs, at
}

func (x *nearest) find(docs, which []uint32, at []uint64) ([]uint32, []uint64) {
	rest, scores := x.found.Docs, x.found.Scores
	for i, doc := range docs {
		n, ok := slices.BinarySearch(rest, doc)
		if rest, scores = rest[n:], scores[n:]; ok {
			which, at = append(which, uint32(i)), append(at, scored(scores[0]))
		}
	}
	return which, at
}

// similar is an OpSimilar in the current segment.
type similar struct {
	run    *Run
	part   *near.Part
	scorer *near.Scorer
	own    posting.List
}

// cost is more than that of all lists.
func (x *similar) cost() uint64         { return 1 << 40 }
func (x *similar) stand() *posting.List { return &x.own }
func (x *similar) limit()               { x.own.Bound = x.part.Most() }
func (x *similar) all() bool            { return false }
func (x *similar) forget()              { x.run, x.part, x.scorer = nil, nil, nil }
func (x *similar) size() int            { return 0 }

func (x *similar) next(doc uint32, _ float64) uint32 {
	if i := x.part.Of(doc); i < x.part.Len() {
		return x.part.Doc(i)
	}
	return posting.End
}

func (x *similar) read(docs []uint32, at []uint64, lo, hi uint32, need float64, members *bitset.Set) ([]uint32, []uint64) {
	for doc := x.next(lo, need); doc < hi && !x.run.Due(); doc = x.next(doc+1, need) {
		if score, ok := x.of(doc); ok && (need < 0 || float64(score) > need || members != nil && members.Next(doc) == doc) {
			docs, at = append(docs, doc), append(at, scored(score))
		}
	}
	return docs, at
}

func (x *similar) find(docs, which []uint32, at []uint64) ([]uint32, []uint64) {
	for i, doc := range docs {
		if x.run.Due() {
			break
		}
		if score, ok := x.of(doc); ok {
			which, at = append(which, uint32(i)), append(at, scored(score))
		}
	}
	return which, at
}

// of returns the score of a document. It is false for one without a vector, and on damage.
func (x *similar) of(doc uint32) (float32, bool) {
	score, ok := x.scorer.Of(doc)
	if x.scorer.Err != nil {
		x.run.fail(x.scorer.Err)
	}
	return score, ok && x.run.Err == nil
}

// AddTo adds the matches of the window to a bitmap of all documents of the segment.
func (m *Matcher) AddTo(words []uint64) {
	if !m.bitmaps {
		bitset.Add(words, 0, m.docs)
		return
	}
	bitset.Or(words[m.lo/64:], m.words)
}
