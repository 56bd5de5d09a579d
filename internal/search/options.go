package search

import (
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// DefaultDenseBytes is the default of Options.DenseBytes, in bytes for each document.
const DefaultDenseBytes = posting.DefaultDenseBytes

// DefaultFilterBytes is the default of Options.FilterBytes, in bytes for each document: 128 sets at least.
const DefaultFilterBytes = engine.DefaultFilterBytes

// Options configure how a Searcher scores and searches. The zero value means BM25 with
// DefaultParams and the fastest strategies.
type Options struct {
	// Params are the parameters of BM25, where they are not 0 in place of those of the schema. Query.Params are in place of both.
	Params query.Params
	// Seek is how postings are found. Results do not depend on it.
	Seek reader.Strategy
	// DenseBytes bounds the memory for caching long lists as bitmaps with frequencies,
	// in bytes for each document of the snapshot. A list takes 3/16 byte a document and
	// a byte a posting. 0 means DefaultDenseBytes; a negative value disables the cache.
	DenseBytes int
	// FilterBytes bounds the memory for the sets of documents that pass filters of columns, in bytes for each
	// document of a segment. A set takes an eighth of a byte a document at most; those used least recently go first.
	// Searchers of one reader.Index share them, also across commits. 0 means DefaultFilterBytes; a negative value
	// keeps none.
	FilterBytes int
	// Threads is how many goroutines may compare the vectors of a query for a query.Nearest, its own included, where CPUs are not taken by other
	// queries that do so. 0 means 1. All else of a query takes one.
	Threads int
	// Statistics, unless nil, is an index, such as one that reader.Join makes of several. Scores are from its numbers of
	// documents, lengths and document frequencies, and by k1, b and weights of its schema, instead of those of what is
	// searched: the documents of a part have the scores that they have in the whole. Words that a Prefix, Wildcard, Regexp or
	// Fuzzy stands for are still those of what is searched. The schema but for those, or the analyzer, must be the same. NewSearcher
	// retains it.
	Statistics *reader.Snapshot
	// Collection, unless nil, are the statistics of a collection of which a part is searched, where the other parts are
	// not at hand, and each query brings its Frequencies: hits then have the scores of a merge of all parts. The schema of
	// all parts must be the same, but for what Collection.Rank sets. Statistics must be nil.
	Collection *query.Collection
}
