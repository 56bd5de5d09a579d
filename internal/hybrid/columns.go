package hybrid

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion/internal/search"
)

// searchColumns is Search for a query that is sorted, counted or collapsed by columns, which the CPU answers.
func (x *Executor) searchColumns(ctx context.Context, q search.Query) (search.Result, error) {
	if x.gate.ended.Load() {
		return search.Result{}, ErrClosed
	}
	q.Trace = false
	return x.cpu.Search(ctx, q)
}

// wantsColumns reports whether q is a query for searchColumns.
func wantsColumns(q search.Query) bool { return q.Reorders() }

// executeColumns is ExecuteInto for queries of which some are for searchColumns.
func (x *Executor) executeColumns(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	if x.gate.ended.Load() {
		return nil, ErrClosed
	}
	var own, others []search.Query
	var numbers [2][]int // of own, and of others
	for i, q := range queries {
		if err := q.CheckPart(x.ofPart); err != nil {
			return nil, &search.NumberError{Number: i, Err: err}
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
	results := make([]search.Result, len(queries))
	for i := range rest {
		results[numbers[1][i]] = rest[i]
	}
	for i := range sorted {
		results[numbers[0][i]] = sorted[i]
	}
	return results, nil
}

// renumber makes a *search.NumberError in err one of the queries that have numbers.
func renumber(err error, numbers []int) error {
	var of *search.NumberError
	if errors.As(err, &of) {
		return &search.NumberError{Number: numbers[of.Number], Err: of.Err}
	}
	return err
}
