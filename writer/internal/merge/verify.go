package merge

import (
	"context"
	"sync"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/check"
	"github.com/pinion-index/pinion/store"
)

// Verify checks segments on up to threads goroutines, each to its level, and returns
// the error of the first one, in order, in which there is a fault.
func Verify(ctx context.Context, threads int, segments []*segment.Segment, level func(i int) check.Level) error {
	errs := make([]error, len(segments))
	slots := make(chan struct{}, max(threads, 1))
	var group sync.WaitGroup
	for i, s := range segments {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			defer store.CatchFault(store.ArmFault(), &errs[i])
			errs[i] = check.Segment(ctx, s, check.Options{Level: level(i)})
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
