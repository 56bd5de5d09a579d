package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
)

// patient is an Executor whose queries must all be answered in a time.
type patient struct{ search.Executor }

// Unwrap returns what answers.
func (p patient) Unwrap() search.Executor { return p.Executor }

// lostAfter is when a query that is not answered counts as lost.
const lostAfter = 5 * time.Minute

var errLost = errors.New("not all queries are answered")

// Execute answers queries.
func (p patient) Execute(ctx context.Context, queries []search.Query) (results []search.Result, err error) {
	done := make(chan struct{})
	go func() {
		results, err = p.Executor.Execute(ctx, queries)
		close(done)
	}()
	select {
	case <-done:
		return results, err
	case <-time.After(lostAfter):
		return nil, fmt.Errorf("%w: %d asked %v ago", errLost, len(queries), lostAfter)
	}
}

// submitting answers queries through Submit, from a few goroutines. Some queries are
// cancelled and asked again.
type submitting struct {
	x     *hybrid.Executor
	small bool // the queue, so that queries may be refused
	seed  uint64
}

// submitted is the answer to one query.
type submitted struct {
	calls atomic.Int32
	hits  []search.Hit
	err   error
}

// Execute answers queries.
func (s *submitting) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	answers := make([]submitted, len(queries))
	errs := make([]error, 1+s.seed%3)
	var answered sync.WaitGroup // answers that are still to come
	var group sync.WaitGroup
	for g := range errs {
		group.Go(func() {
			r := rand.New(rand.NewPCG(s.seed, uint64(g)))
			for i := g; i < len(queries) && errs[g] == nil; i += len(errs) {
				errs[g] = s.submit(ctx, r, &queries[i], &answers[i], &answered)
			}
		})
	}
	group.Wait()
	answered.Wait()
	results := make([]search.Result, len(queries))
	for i := range answers {
		a := &answers[i]
		if n := a.calls.Load(); n != 1 || a.err != nil {
			errs = append(errs, fmt.Errorf("query %d: %d answers, error %v", i, n, a.err))
		}
		results[i].Hits = a.hits
		switch q := queries[i]; { // Submit gives only hits
		case len(q.Sort)+len(q.Facets) > 0:
			r, err := s.x.Search(ctx, q)
			results[i].Total, results[i].Sort, results[i].Facets, errs = r.Total, r.Sort, r.Facets, append(errs, err)
		case q.Total:
			n, err := s.x.Count(ctx, q)
			results[i].Total, errs = n, append(errs, err)
		}
	}
	return results, errors.Join(errs...)
}

// submit submits a query, again where it is refused, and sometimes cancels it before.
func (s *submitting) submit(ctx context.Context, r *rand.Rand, q *search.Query, a *submitted, answered *sync.WaitGroup) error {
	if r.IntN(16) == 0 {
		if err := s.cancelled(ctx, r, q); err != nil {
			return err
		}
	}
	own := *q
	own.RawTerms = make([][]byte, len(q.RawTerms))
	for i, t := range q.RawTerms {
		own.RawTerms[i] = slices.Clone(t)
	}
	answered.Add(1)
	err := s.again(func() error {
		return s.x.Submit(ctx, &own, func(hits []search.Hit, err error) {
			if a.calls.Add(1) == 1 {
				a.hits, a.err = slices.Clone(hits), err
				for i, t := range own.RawTerms { // they are the caller's again
					for k := range t {
						t[k] = '-'
					}
					own.RawTerms[i] = nil
				}
				answered.Done()
			}
		})
	})
	if err != nil {
		answered.Done()
	}
	return err
}

// cancelled submits a query that is cancelled at some moment: it is answered, or the error is
// the context's.
func (s *submitting) cancelled(ctx context.Context, r *rand.Rand, q *search.Query) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 2)
	stop := time.AfterFunc(time.Duration(r.IntN(1000)-200)*time.Microsecond, cancel)
	defer stop.Stop()
	err := s.again(func() error { return s.x.Submit(ctx, q, func(_ []search.Hit, err error) { done <- err }) })
	if err == nil {
		err = <-done
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// again calls f until the queue has room.
func (s *submitting) again(f func() error) error { return again(s.small, f) }

func again(small bool, f func() error) error {
	for {
		err := f()
		if !small || !errors.Is(err, hybrid.ErrOverload) {
			return err
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// searching answers queries by Search, from three goroutines.
type searching struct {
	x     *hybrid.Executor
	small bool
}

// Execute answers queries.
func (s *searching) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	results, errs := make([]search.Result, len(queries)), make([]error, len(queries))
	var group sync.WaitGroup
	for g := range 3 {
		group.Go(func() {
			for i := g; i < len(queries); i += 3 {
				errs[i] = again(s.small, func() (err error) {
					results[i], err = s.x.Search(ctx, queries[i])
					return err
				})
			}
		})
	}
	group.Wait()
	return results, errors.Join(errs...)
}

// stepping answers queries by a Stepper.
type stepping struct{ *gpu.Stepper }

// Execute answers queries.
func (s stepping) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	results := make([]search.Result, len(queries))
	for i, q := range queries {
		var err error
		if results[i], err = s.Search(ctx, q, nil); err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
	}
	return results, nil
}
