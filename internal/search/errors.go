package search

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/query"
)

// unsupportedError is an error for queries that no executor can answer yet.
type unsupportedError struct{ what string }

func (e *unsupportedError) Error() string { return "query: not supported yet: " + e.what }

func (e *unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

func unsupported(format string, args ...any) error {
	return &unsupportedError{fmt.Sprintf(format, args...)}
}

// errTerms is matched by the error for an expansion where no snapshot is searched.
var errTerms = fmt.Errorf("%w: only a Searcher knows the terms", query.ErrInvalid)
