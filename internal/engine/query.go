package engine

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/reader"
)

// The errors that package query documents.
var (
	ErrInvalid      = errs.ErrQuery
	ErrTooManyTerms = errs.ErrTooManyTerms
	ErrClosed       = reader.ErrClosed
	// ErrFrequencies is the error for a query that does not bring what the Searcher wants, or brings what it does not.
	ErrFrequencies = fmt.Errorf("%w: Query.Frequencies go with Options.Collection, and the other way round", ErrInvalid)
)

// MaxTerms is the maximum number of distinct terms of a query.
const MaxTerms = 1 << 16

// Mode selects the documents that match, as query.Mode does.
type Mode uint8

// The modes.
const (
	Or Mode = iota
	And
	AndOr
)

// Query is a search.Query that has been checked, with its defaults filled in.
type Query struct {
	Text      string // cut into terms when the query is executed
	Terms     [][]byte
	Node      any    // what Options.Parse makes words of, instead of Text and Terms
	K         int    // 0 for a query without hits: only its total is wanted
	Total     bool   // of the matches is wanted; Mode must not be AndOr
	Mode      Mode   // of Text and Terms; of Node once it is parsed
	After     *Place // only hits behind it count; nil means all
	Algorithm algorithm.Name
	Params    Params         // in place of what the Scorers have, unless it is zero
	Filter    *docset.Global // unless nil, what may be hits
	// Frequencies are what scores are from if Options.Given; nil otherwise.
	Frequencies Frequencies
	Approximate *bool // set to true if a query finds neighbors approximately; or nil
	Limited     any   // what Options.Parse tells of words that stand for too many; nil if it is not asked
	Columns     any   // what Options.PlanColumns makes a ColumnPlan of; nil if nothing is wanted of columns
}

// Frequencies are the document frequencies of a collection that the index is a part of. What parses the query may
// know more of them.
type Frequencies interface {
	// DF returns the document frequency of a term of a field in the collection, which has docs documents with the field
	// and of which those that are searched, live of them with the term, are a part.
	DF(field int, term []byte, live, docs uint64) (uint64, error)
}

// empty reports whether q has no hits whatever the index holds.
func (q *Query) empty() bool {
	return q.Text == "" && len(q.Terms) == 0 && q.Node == nil && q.Columns == nil
}
