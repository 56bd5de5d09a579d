package hybrid

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
)

// searchColumns is Search for a query that is sorted, counted or collapsed by columns, which the CPU answers.
func (x *Executor) searchColumns(ctx context.Context, q query.Query) (query.Result, error) {
	if x.ended.Load() {
		return query.Result{}, ErrClosed
	}
	q.Trace = false
	return x.cpu.Search(ctx, q)
}

// wantsColumns reports whether q is a query for searchColumns.
func wantsColumns(q query.Query) bool { return q.Reorders(trusted.Caller{}) }

// executeColumns is ExecuteInto for queries of which some are for searchColumns.
func (x *Executor) executeColumns(ctx context.Context, queries []query.Query, a *query.Arena) ([]query.Result, error) {
	if x.ended.Load() {
		return nil, ErrClosed
	}
	var own, others []query.Query
	var numbers [2][]int // of own, and of others
	for i, q := range queries {
		if err := q.CheckPart(trusted.Caller{}, x.ofPart); err != nil {
			return nil, &query.NumberError{Number: i, Err: err}
		}
		if wantsColumns(q) {
			own, numbers[0] = append(own, q), append(numbers[0], i)
		} else {
			others, numbers[1] = append(others, q), append(numbers[1], i)
		}
	}
	sorted, err := x.cpu.Execute(ctx, own)
	if err != nil {
		return nil, renumber(err, numbers[0])
	}
	rest, err := x.ExecuteInto(ctx, others, a)
	if err != nil {
		return nil, renumber(err, numbers[1])
	}
	results := make([]query.Result, len(queries))
	for i := range rest {
		results[numbers[1][i]] = rest[i]
	}
	for i := range sorted {
		results[numbers[0][i]] = sorted[i]
	}
	return results, nil
}

// renumber makes a *query.NumberError in err one of the queries that have numbers.
func renumber(err error, numbers []int) error {
	var of *query.NumberError
	if errors.As(err, &of) {
		return &query.NumberError{Number: numbers[of.Number], Err: of.Err}
	}
	return err
}
