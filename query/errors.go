package query

import (
	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/store"
)

// ErrInvalid is matched by the errors for values that do not exist or are out of range, and for nodes that an index cannot
// answer. It matches store.ErrInvalid.
var ErrInvalid = errs.ErrQuery

// ErrTooManyTerms is matched by the error for a query with more than MaxTerms distinct terms.
var ErrTooManyTerms = errs.ErrTooManyTerms

// ErrClosed is matched by the errors of searches in what is closed. It is store.ErrClosed.
var ErrClosed = store.ErrClosed
