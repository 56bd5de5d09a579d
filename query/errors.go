package query

import (
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/reader"
)

// ErrInvalid is matched by the errors for values that do not exist or are out of range: a Mode, an
// Algorithm, a strategy, an option.
var ErrInvalid = engine.ErrInvalid

// MaxTerms is the maximum number of distinct terms of a query.
const MaxTerms = engine.MaxTerms

// ErrTooManyTerms is matched by the error for a query with more than MaxTerms distinct terms.
var ErrTooManyTerms = engine.ErrTooManyTerms

// ErrClosed is matched by the errors of calls on a closed Searcher. It is reader.ErrClosed.
var ErrClosed = reader.ErrClosed
