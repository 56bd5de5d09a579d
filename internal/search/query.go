package search

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

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
	// combined, so that Mode must be ModeOr, its zero value.
	Node query.Node
	// K is the maximum number of hits; 0 means DefaultK. Searcher.Count counts matches.
	K int
	// Mode selects the documents that match.
	Mode query.Mode
	// Algorithm computes the result. All algorithms give the same result.
	Algorithm Algorithm
	// Filter, unless nil, holds the global docIDs that may be hits. Bool.Filter takes filters by values.
	Filter *docset.Global
	// After, unless nil, leaves out the hits up to this one, which is the last of the page before:
	// only hits behind it count. Searcher.Matches and
	// Searcher.Count ignore it. With ModeAndOr, whose answer depends on K, it is not possible.
	After *Position
	// Total asks for Result.Total. Unless all matches are hits, it takes as long as Searcher.Count. With ModeAndOr, whose answer depends on
	// K, it is not possible.
	Total bool
	// Sort, unless empty, are the fields by whose values hits are sorted, the first one first, and then as hits with equal
	// scores are. Scores are not
	// computed then: they are 0.
	Sort []SortBy
	// SortAfter, unless nil, leaves out the hits up to this one, as After does, of hits that are sorted. Searcher.Matches and
	// Searcher.Count ignore it, and Sort, Facets and Collapse.
	SortAfter *SortPosition
	// Facets ask for Result.Facets, which are those of all matches, not only of the hits. With them Result.Total costs
	// nothing, and is set.
	Facets []Facet
	// Chosen are filters that restrict hits, Result.Total and Facets, but for those with IgnoreOwn: one for a field. They go with Facets, and
	// not with a Nearest, whose matches depend on all filters. Matches and Count obey them too. Split makes them of a filter.
	Chosen []Chosen
	// Collapse, unless "", is a field that has a column: of hits with the same value in it, only the best is one, and K and After
	// say how many of these. Of several values the least counts; a hit without a value is alone. Result.Total and Result.Facets
	// count all matches.
	Collapse string
	// Static, unless nil, adds to the scores of matches what a column says, or multiplies them by it.
	Static *Static
	// Params, where they are not 0, are in place of those of the Searcher, and so of the schema: the answer is that of an index
	// and a Searcher with them. Queries that bring the same ones share what is computed of them.
	Params query.Params
	// Frequencies, unless nil, are the document frequencies that scores are from, and the words that a Prefix, Wildcard,
	// Regexp or Fuzzy stands for: those of a collection of which a part is searched. They go with Options.Collection.
	Frequencies *query.Frequencies
	// Neighbors are what each Nearest of Node matches in the part of a collection that is searched, as Searcher.Neighbors numbers them. They
	// go with Frequencies.
	Neighbors []query.Neighbors
	// Limited, unless nil, is set to the nodes that stand for more terms than may score each.
	Limited *[]query.Limited
	// Approximate, unless nil, is set to whether vectors were left out that a Nearest with Probe does not compare, or those compared are
	// codes of a field of schema.Int8.
	Approximate *bool
	// Trace asks for Result.Trace, which Search and Execute of a Searcher give.
	Trace bool
}

// Position is a place in the order of hits: that of a Hit.
type Position struct {
	Score float32
	Doc   uint32
	// Order, in an index that keeps an order, is the value that hits there have in it, as Snapshot.OrderValue gives it: one
	// element. If it is empty, that of Doc counts.
	Order []schema.Value
	// Before says that the place is before all hits with the score, and Order if there is one, whatever Doc is.
	Before bool
}

// ByFields reports whether what q, which is complete, searches for is not all in RawTerms, as with a schema or boosts.
func (q *Query) ByFields() bool { return q.Node != nil || q.Text != "" }

// Engine returns q, which must be valid, as what executes it sees it.
func (q *Query) Engine() engine.Query { return q.engine() }

func (q *Query) engine() (x engine.Query) {
	q.toEngine(&x)
	return x
}

// toEngine sets x, a zero value, to q as the engine sees it. In place it is faster: a copy of what was just written
// waits for it.
func (q *Query) toEngine(x *engine.Query) {
	x.Text, x.Terms, x.K, x.Mode = q.Text, q.RawTerms, cmp.Or(q.K, query.DefaultK), engine.Mode(q.Mode)
	x.Params = engine.Params(q.Params)
	x.Algorithm, x.Filter, x.Total = algorithm.Name(q.Algorithm), q.Filter, q.Total
	if q.Node != nil {
		x.Node = q.Node
	}
	if q.wantsColumns() {
		x.Columns = &wants{q.Sort, q.SortAfter, q.Facets, q.Collapse, q.Static, q.Chosen}
	}
	if q.Limited != nil {
		x.Limited = q.Limited
	}
	if x.Approximate = q.Approximate; x.Approximate != nil {
		*x.Approximate = false
	}
	if q.Frequencies != nil {
		x.Frequencies = &given{all: q.Frequencies, near: q.Neighbors}
	}
	if q.After != nil {
		x.After = &engine.Place{Score: q.After.Score, Doc: q.After.Doc, Before: q.After.Before, Order: q.After.Order}
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
	// Order is what SetOrder has set.
	Order *ResultOrder
	// Groups is what SetGroups has set: of each hit the least value in the field of Query.Collapse, the zero Value of one without.
	Groups []schema.Value
	// Left says that there is no answer: an executor over a device has left the query to others.
	Left bool
}

// Hit is one document of a result.
type Hit struct {
	Doc   uint32  // global docID of the document
	Score float32 // at least 0
}

// Executor answers batches of queries over one snapshot: a Searcher in one goroutine,
// package gpuload on a GPU. All executors give the same results to the bit.
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

// WantsColumns reports whether q asks for something that columns say.
func (q *Query) WantsColumns() bool { return q.wantsColumns() }

func (q *Query) wantsColumns() bool { return q.reorders() || q.Static != nil }

// Reorders reports whether q asks more of columns than static scores.
func (q *Query) Reorders() bool { return q.reorders() }

// reorders reports whether q wants more of columns than static scores.
func (q *Query) reorders() bool {
	return len(q.Sort)+len(q.Facets)+len(q.Chosen) > 0 || q.Collapse != ""
}

// ResultOrder is by what hits with equal scores, or equal values that they are sorted by, are in order.
type ResultOrder struct {
	Desc   bool           // the greatest value first
	Values []schema.Value // of each hit; the zero Value of one without a value, which comes last
}
