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

// checkNode returns an error matching ErrInvalid if q says something beside a Node that contradicts it.
func (q *Query) checkNode() error {
	if q.Node == nil {
		return nil
	}
	return q.checkBeside()
}

// checkBeside is checkNode if there is a Node.
func (q *Query) checkBeside() error {
	switch {
	case q.Text != "" || len(q.RawTerms) > 0:
		return fmt.Errorf("%w: a Node beside Text or RawTerms", query.ErrInvalid)
	case q.Mode != query.ModeOr:
		return fmt.Errorf("%w: mode %v beside a Node, which has its own", query.ErrInvalid, q.Mode)
	}
	return nil
}
