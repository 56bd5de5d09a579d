package query

import (
	"cmp"
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/topk"
	"github.com/pinion-index/pinion/schema"
)

// Mode selects the documents that match.
type Mode uint8

// The modes.
const (
	Or    Mode = iota // documents that hold at least one of the terms
	And               // documents that hold every term
	AndOr             // the result of And if it has K hits, otherwise that of Or
)

var modeNames = [...]string{Or: "or", And: "and", AndOr: "and-or"}

// String returns the mode's name on the command line: or, and, and-or.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ParseMode is the inverse of String. Its error matches ErrInvalid.
func ParseMode(name string) (Mode, error) {
	for m, n := range modeNames {
		if n == name {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown mode %q (known: or, and, and-or)", ErrInvalid, name)
}

// DefaultK is the maximum number of hits of a Query whose K is 0.
const DefaultK = 10

// Query is one ranked Boolean query. The package comment defines the edge cases.
type Query struct {
	// Text is what is searched for. The analyzer of the index cuts it into terms as it cut
	// the documents; there is no syntax. A repeated word counts each time. If the index has a
	// schema, all its fields of text are searched, as by a Match.
	Text string
	// RawTerms are terms beside those of Text, in any order, spelled as in the dictionary: the
	// analyzer does not see them, so that "LORD" is found nowhere if it writes "lord".
	// Searcher.Parse makes them from text. A repeated term counts each time. If the index has a
	// schema, terms must name their fields, as Term does.
	RawTerms [][]byte
	// Node, unless nil, is what is searched for, instead of Text and RawTerms. It says how terms are
	// combined, so that Mode must be Or, its zero value.
	Node Node
	// K is the maximum number of hits; 0 means DefaultK. Searcher.Count counts matches.
	K int
	// Mode selects the documents that match.
	Mode Mode
	// Algorithm computes the result. All algorithms give the same result.
	Algorithm Algorithm
	// Filter, unless nil, holds the global docIDs that may be hits. Bool.Filter takes filters by values.
	Filter *roaring.Bitmap
	// After, unless nil, leaves out the hits up to this one, which is the last of the page before:
	// only hits with a lower score, or the same score and a greater docID, count. Searcher.Matches and
	// Searcher.Count ignore it. With AndOr, whose answer depends on K, it is not possible.
	After *Position
	// Total asks for Result.Total. Unless all matches are hits, it takes as long as Searcher.Count. With AndOr, whose answer depends on
	// K, it is not possible.
	Total bool
	// Sort, unless empty, are the fields by whose values hits are sorted, the first one first and then by docID. Scores are not
	// computed then: they are 0.
	Sort []SortBy
	// SortAfter, unless nil, leaves out the hits up to this one, as After does, of hits that are sorted. Searcher.Matches and
	// Searcher.Count ignore it, and Sort, Facets and Collapse.
	SortAfter *SortPosition
	// Facets ask for Result.Facets, which are those of all matches, not only of the hits. With them Result.Total costs
	// nothing, and is set.
	Facets []Facet
	// Collapse, unless "", is a field that has a column: of hits with the same value in it, only the best is one, and K and After
	// say how many of these. Of several values the least counts; a hit without a value is alone. Result.Total and Result.Facets
	// count all matches.
	Collapse string
	// Static, unless nil, adds to the scores of matches what a column says.
	Static *Static
	// Frequencies, unless nil, are the document frequencies that scores are from, and the words that a Prefix, Wildcard,
	// Regexp or Fuzzy stands for: those of a collection of which a part is searched. They go with Options.Collection.
	Frequencies *Frequencies
	// Trace asks for Result.Trace, which Search and Execute of a Searcher give.
	Trace bool
}

// Position is a place in the order of hits: that of a Hit.
type Position struct {
	Score float32
	Doc   uint32
}

// Check returns an error matching ErrInvalid if Mode or Algorithm is not one of the declared
// constants, K is negative, After is no position, q asks for what its mode does not have, or parts of
// q contradict each other. Executors check their queries.
func (q *Query) Check() error {
	switch {
	case int(q.Mode) >= len(modeNames):
		return fmt.Errorf("%w: %v", ErrInvalid, q.Mode)
	case int(q.Algorithm) >= len(algorithm.Names):
		return fmt.Errorf("%w: %v", ErrInvalid, q.Algorithm)
	case q.K < 0:
		return fmt.Errorf("%w: K is %d, less than 0", ErrInvalid, q.K)
	case q.After != nil && !(q.After.Score >= 0):
		return fmt.Errorf("%w: After has the score %v", ErrInvalid, q.After.Score)
	case q.Total && q.Mode == AndOr:
		return fmt.Errorf("%w: %v has no set of matches that does not depend on K", ErrInvalid, q.Mode)
	case q.After != nil && q.Mode == AndOr:
		return fmt.Errorf("%w: After with mode %v, whose hits depend on K", ErrInvalid, q.Mode)
	}
	if err := q.checkColumns(); err != nil {
		return err
	}
	return q.checkNode()
}

// CheckPart is Check for executors other than Searchers. part says that they search a part of a collection, whose
// Frequencies queries bring.
func (q *Query) CheckPart(_ trusted.Caller, part bool) error {
	if err := q.Check(); err != nil {
		return err
	}
	if (q.Frequencies != nil) != part {
		return engine.ErrFrequencies
	}
	return nil
}

// Engine returns q, which must be valid, as what executes it sees it.
func (q *Query) Engine(trusted.Caller) engine.Query { return q.engine() }

func (q *Query) engine() (x engine.Query) {
	q.toEngine(&x)
	return x
}

// toEngine sets x, a zero value, to q as the engine sees it. In place it is faster: a copy of what was just written
// waits for it.
func (q *Query) toEngine(x *engine.Query) {
	x.Text, x.Terms, x.K, x.Mode = q.Text, q.RawTerms, cmp.Or(q.K, DefaultK), engine.Mode(q.Mode)
	x.Algorithm, x.Filter, x.Total = algorithm.Name(q.Algorithm), q.Filter, q.Total
	if q.Node != nil {
		x.Node = q.Node
	}
	if q.wantsColumns() {
		x.Columns = &wants{q.Sort, q.SortAfter, q.Facets, q.Collapse, q.Static}
	}
	if q.Frequencies != nil {
		x.Frequencies = &given{all: q.Frequencies}
	}
	if q.After != nil {
		x.After = max(topk.Key(q.After.Doc, q.After.Score+0), 1) // no hit has the key 0
	}
}

// Result is the answer to one query.
type Result struct {
	Hits  []Hit  // the best first
	Total uint64 // of the documents that match, also those before Query.After; 0 unless Query.Total is set or there are Facets
	Trace *Trace // what was done; nil unless Query.Trace is set and a Searcher answered
	// Sort has for each hit the values by which it is sorted, one for each element of Query.Sort; the zero Value is that of a
	// hit without one.
	Sort [][]schema.Value
	// Facets has the counts of each element of Query.Facets.
	Facets []FacetCounts
}

// Hit is one document of a result.
type Hit struct {
	Doc   uint32  // global docID of the document
	Score float32 // at least 0
}

// Executor answers batches of queries over one snapshot: a Searcher in one goroutine, a pool.Pool
// in several, package gpuload on a GPU. All executors give the same results to the bit.
type Executor interface {
	// Execute returns one Result for each query, in their order. On an error it returns no
	// results at all. The error is the context's if the context is done, matches ErrInvalid
	// for a query that Check refuses, and names the damage found in the index. A *NumberError
	// in it says which query failed, if one did.
	Execute(ctx context.Context, queries []Query) ([]Result, error)
}

// NumberError is the failure of one query of a batch.
type NumberError struct {
	Number int // index of the query
	Err    error
}

// Error says which query failed, and why.
func (e *NumberError) Error() string { return fmt.Sprintf("query %d: %v", e.Number, e.Err) }

// Unwrap returns Err.
func (e *NumberError) Unwrap() error { return e.Err }
