package algorithm

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/filter"
)

// Op says what an Expr is.
type Op uint8

// The kinds of Expr.
const (
	OpNone    Op = iota // matches nothing
	OpAll               // all documents; a constant
	OpWord              // a word of the query
	OpBool              // its Kids by their roles
	OpBest              // at least one of its Kids, of which the best score counts
	OpConst             // its only Kid, with a constant for a score
	OpSet               // the documents of Set, or that pass Columns; it does not score
	OpPhrase            // a Sequence of words of the query
	OpNear              // the nearest documents of Near
	OpSimilar           // what the vectors of Near add to other nodes: one of Should of an OpBool whose AtLeast is 0; it matches nothing
	opDot               // what an OpBest with Weights, an OpNear or an OpSimilar is in a segment: a leaf that scores by itself
)

// Expr is what a query matches and scores, as a tree. Format/FORMAT.md, section 8, says how.
type Expr struct {
	Op   Op
	Word int // of OpWord: the number of the word in the query
	Kids []Expr
	// Of OpBool: how many of the Kids are of each role, in this order.
	Must, Should, Not, Filter int
	AtLeast                   int            // of OpBool: how many Should must match
	Tie                       float32        // of OpBest: what the other scores are multiplied by
	Score                     float32        // of OpConst and OpAll
	Weights                   []uint32       // of OpBest: of a Dot, see dot.go; then its Kids are words, and Score is its factor
	Set                       *docset.Global // of OpSet, or
	Columns                   *filter.Compiled
	Sets                      []*docset.Set // by segment, once resolved: what is in Set or passes Columns, nil where all documents do
	Sequence                  Sequence      // of OpPhrase
	Near                      *Near         // of OpNear and OpSimilar
	Alternatives              bool          // of OpBool: it must match for the Should of a node, which do not restrict an OpNear beside it
}

// Sequence is a Phrase. Whoever executes trees calls its methods and knows no other type, so that a program without phrases
// has no code for them.
type Sequence interface {
	// Words yields the words of the query that it has.
	Words(yield func(word int) bool)
	// Weigh returns the weight of its matches, given how many documents have a word and the Scorers of fields.
	Weigh(df func(word int) uint64, scorers func(field int) *bm25.Scorer) float32
	// enter returns the phrase in the current segment, which has the lists of words but those that are nil. It returns
	// nil if nothing matches there.
	enter(r *Run, list func(word int) *posting.List) sequence
}

// sequence is a phrase in the current segment.
type sequence interface {
	matchNode
	leaf
}

// leaf is a leaf of a tree that reads several lists, in the current segment: a phrase or a dot product. Documents that it is
// asked for ascend. How often one matches is a frequency, or what a dot product sums up to.
type leaf interface {
	// cost returns about how many postings are read to find all matches.
	cost() uint64
	// stand returns what stands for a list of the matches: its field, weight, bound and number of documents.
	stand() *posting.List
	// limit sets the bound of stand, once the lists are open and have theirs.
	limit()
	// next returns the first match from doc on that scores more than need, unless that is negative, or a document before it.
	next(doc uint32, need float64) uint32
	// read appends the matches from lo up to hi to docs and how often they match, shifted left by 32 bits, to at. It leaves
	// out those that score no more than need, unless it is negative or they are members, if that is not nil.
	read(docs []uint32, at []uint64, lo, hi uint32, need float64, members *bitset.Set) ([]uint32, []uint64)
	// find appends which of docs match to which, and how often to at, as read does.
	find(docs, which []uint32, at []uint64) ([]uint32, []uint64)
	// all offers all matches of the documents to consider, if that is faster than in windows, which it reports.
	all() bool
	// forget drops references to the query.
	forget()
	// size returns how many elements it has memory for.
	size() int
}
