// Package ordered runs jobs on several goroutines and consumes their results in
// order.
package ordered

import (
	"cmp"
	"context"
	"sync"
)

// Run runs work on the jobs that produce yields, on several goroutines, and passes
// the results to consume in the order of the jobs. produce runs in a goroutine of
// its own, consume in the caller's. newWorker is called in each worker goroutine.
// At most ahead jobs are between produce and consume. Run stops at the first error
// in order and returns it when all goroutines have ended. With 0 threads everything runs in the
// caller's goroutine.
func Run[J, R any](ctx context.Context, threads, ahead int,
	produce func(ctx context.Context, yield func(J) bool) error,
	newWorker func() func(context.Context, J) (R, error),
	consume func(R) error,
) error {
	if threads == 0 {
		return inline(ctx, produce, newWorker(), consume)
	}
	type task struct {
		job    J
		result R
		err    error
		done   chan struct{}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()

	queue := make(chan *task, ahead) // in order, for consume
	todo := make(chan *task, ahead)
	var produced error
	group.Go(func() {
		defer close(queue)
		defer close(todo)
		produced = produce(ctx, func(j J) bool {
			t := &task{job: j, done: make(chan struct{})}
			select {
			case queue <- t:
			case <-ctx.Done():
				return false
			}
			todo <- t // has room: queue is as long and is emptied later
			return true
		})
	})
	for range threads {
		group.Go(func() {
			work := newWorker()
			for t := range todo {
				if t.err = ctx.Err(); t.err == nil {
					t.result, t.err = work(ctx, t.job)
				}
				close(t.done)
			}
		})
	}
	for t := range queue {
		<-t.done
		if t.err != nil {
			return t.err
		}
		if err := consume(t.result); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return produced
}

// inline is Run with 0 threads.
func inline[J, R any](ctx context.Context, produce func(ctx context.Context, yield func(J) bool) error,
	work func(context.Context, J) (R, error), consume func(R) error,
) error {
	var failed error
	err := produce(ctx, func(j J) bool {
		var result R
		if failed = ctx.Err(); failed == nil {
			result, failed = work(ctx, j)
		}
		if failed == nil {
			failed = consume(result)
		}
		return failed == nil
	})
	return cmp.Or(failed, ctx.Err(), err)
}
