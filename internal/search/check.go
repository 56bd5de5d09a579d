package search

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// Check returns an error matching ErrInvalid if Mode or Algorithm is not one of the declared
// constants, K is negative, After is no position, q asks for what its mode does not have, or parts of
// q contradict each other. Executors check their queries.
func (q *Query) Check() error {
	switch {
	case q.Mode > query.ModeAndOr:
		return fmt.Errorf("%w: %v", query.ErrInvalid, q.Mode)
	case int(q.Algorithm) >= len(algorithm.Names):
		return fmt.Errorf("%w: %v", query.ErrInvalid, q.Algorithm)
	case q.K < 0:
		return fmt.Errorf("%w: K is %d, less than 0", query.ErrInvalid, q.K)
	case q.After != nil && !(q.After.Score >= 0):
		return fmt.Errorf("%w: After has the score %v", query.ErrInvalid, q.After.Score)
	case q.Total && q.Mode == query.ModeAndOr:
		return fmt.Errorf("%w: %v has no set of matches that does not depend on K", query.ErrInvalid, q.Mode)
	case q.After != nil && q.Mode == query.ModeAndOr:
		return fmt.Errorf("%w: After with mode %v, whose hits depend on K", query.ErrInvalid, q.Mode)
	case q.Frequencies == nil && q.Neighbors != nil:
		return fmt.Errorf("%w: Neighbors without Frequencies", query.ErrInvalid)
	}
	if err := q.checkColumns(); err != nil {
		return err
	}
	if err := q.Params.Check(); err != nil {
		return err
	}
	return q.checkNode()
}

// CheckPart is Check for executors other than Searchers. part says that they search a part of a collection, whose
// Frequencies queries bring.
func (q *Query) CheckPart(part bool) error {
	if err := q.Check(); err != nil {
		return err
	}
	if (q.Frequencies != nil) != part {
		return engine.ErrFrequencies
	}
	return nil
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

// checkColumns returns what is wrong with what q asks of columns, whatever the schema.
func (q *Query) checkColumns() error {
	switch {
	case !q.wantsColumns() && q.SortAfter == nil:
		return nil
	case q.Mode == query.ModeAndOr && q.reorders():
		return fmt.Errorf("%w: mode %v with Sort, Facets or Collapse: it has no set of matches that does not depend on K", query.ErrInvalid, q.Mode)
	case len(q.Sort) > query.MaxSort:
		return fmt.Errorf("%w: %d fields to sort by, at most %d", query.ErrInvalid, len(q.Sort), query.MaxSort)
	case countFacets(q.Facets) > query.MaxFacets:
		return fmt.Errorf("%w: %d facets, at most %d", query.ErrInvalid, countFacets(q.Facets), query.MaxFacets)
	case len(q.Sort) > 0 && q.After != nil:
		return fmt.Errorf("%w: After is a place among scores, but hits are sorted: SortAfter is one there", query.ErrInvalid)
	case len(q.Sort) == 0 && q.SortAfter != nil:
		return fmt.Errorf("%w: SortAfter without Sort", query.ErrInvalid)
	case q.SortAfter != nil && len(q.SortAfter.Values) != len(q.Sort):
		return fmt.Errorf("%w: SortAfter has %d values, Sort has %d fields", query.ErrInvalid, len(q.SortAfter.Values), len(q.Sort))
	}
	for i, s := range q.Sort {
		switch again := slices.ContainsFunc(q.Sort[:i], func(o SortBy) bool { return o.Field == s.Field && o.Score == s.Score }); {
		case s.Score && (s.Field != "" || s.Desc):
			return fmt.Errorf("%w: Sort by Score, which is the best first, and with Field or Desc", query.ErrInvalid)
		case s.Score && again:
			return fmt.Errorf("%w: Score to sort by twice", query.ErrInvalid)
		case again:
			return fmt.Errorf("%w: the field %q to sort by twice", query.ErrInvalid, s.Field)
		}
	}
	for i := range q.Facets {
		if err := q.Facets[i].check(); err != nil {
			return err
		}
	}
	if q.Static != nil {
		return q.Static.check(q.Sort)
	}
	return nil
}
