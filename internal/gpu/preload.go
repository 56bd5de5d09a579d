package gpu

import (
	"context"
	"errors"
	"sync"

	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
)

// Preload makes the lists of queries resident, in the order of Plan, as long as they fit
// beside those that are there. The queries are a log of such as will come; those that occur
// often count often. An Executor loads what its queries need anyway: Preload, which may run
// beside them, is for the first to find it there.
func (x *Executor) Preload(ctx context.Context, queries []search.Query) error {
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	ctx = orBackground(ctx)
	if err := x.state.await(ctx); err != nil {
		return err
	}
	queries, err := x.complete(queries)
	if err != nil {
		return err
	}
	if err := x.impacts.loadFor(ctx, x, queries); err != nil {
		return err
	}
	if err := x.loadVectorsFor(ctx, queries); err != nil {
		return err
	}
	wants, lists, err := x.demands(queries)
	if err != nil {
		return err
	}
	ByUse(lists)
	for len(lists) > 0 && err == nil {
		n := preloadable(lists, x.lists.UnusedBytes())
		chunk := make([]*residency.Want, n)
		for i, d := range lists[:n] {
			chunk[i] = wants[d.Key]
		}
		lists = lists[n:]
		if err = ctx.Err(); err == nil {
			err = x.lists.Load(ctx, chunk, 0, x.stages.Next()) // no list is as old as epoch 0
		}
		if !anyLoaded(chunk) {
			break // the device is full
		}
	}
	if errors.Is(err, ErrDevice) {
		x.state.retire(err)
	}
	return err
}

// preloadAtOnce is the most lists that are loaded together. A query that needs one of them
// waits for all.
const preloadAtOnce = 512

// preloadable returns how many lists at the front to load together: when memory
// runs short, fewer, because lists that are loaded together take it in any order.
func preloadable(lists []Demand, unused int64) int {
	left := unused / 2
	for n, d := range lists[:min(len(lists), preloadAtOnce)] {
		if left -= d.Bytes; left < 0 {
			return max(n, 1)
		}
	}
	return min(len(lists), preloadAtOnce)
}

func anyLoaded(wants []*residency.Want) bool {
	for _, w := range wants {
		if w.List != nil {
			return true
		}
	}
	return false
}

// loadFor makes the fields resident that queries need.
func (all impacts) loadFor(ctx context.Context, x *Executor, queries []search.Query) error {
	if all == nil {
		return nil
	}
	var d terms.Dot
	done := map[int]bool{}
	for i := range queries {
		ok, err := x.parser.AppendDot(&d, &queries[i])
		if err != nil {
			return &search.NumberError{Number: i, Err: err}
		}
		if !ok || done[d.Field] || len(d.Terms) == 0 {
			continue
		}
		done[d.Field] = true
		if _, err := all[d.Field].load(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// demands returns the lists of queries, and how many queries use each.
func (x *Executor) demands(queries []search.Query) (map[Key]*residency.Want, []Demand, error) {
	r := x.resolver()
	defer x.found.Put(r)
	wants, at := map[Key]*residency.Want{}, map[Key]int{}
	var plan []Demand
	for i := range queries {
		found, _, _, err := r.distinct(&queries[i])
		if err != nil {
			return nil, nil, &search.NumberError{Number: i, Err: err}
		}
		for _, t := range found {
			for s := range t.Kept.lists {
				o := &t.Kept.lists[s].posting
				if o.n == 0 || o.small != nil {
					continue
				}
				key := Key(o.want.Key.Key)
				n, ok := at[key]
				if !ok {
					n = len(plan)
					w := o.want
					at[key], wants[key] = n, &w
					plan = append(plan, Demand{Key: key, Bytes: int64(o.n) * bytesPerPosting})
				}
				plan[n].Uses++
			}
		}
	}
	return wants, plan, nil
}

// bytesPerPosting is about what a posting takes in a list, in its default codecs.
const bytesPerPosting = 2

// Preload is Executor.Preload: each device loads the lists of the queries that it would
// answer.
func (g *Group) Preload(ctx context.Context, queries []search.Query) error {
	ctx = orBackground(ctx)
	if err := g.Ready(ctx); err != nil {
		return err
	}
	queries, err := g.members[0].x.complete(queries)
	if err != nil {
		return err
	}
	use := g.working()
	if len(use) == 0 {
		return g.Err()
	}
	portions, err := g.route(use, queries)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for i := range portions {
		s := &portions[i]
		wg.Go(func() { s.err = s.x.Preload(ctx, s.queries) })
	}
	wg.Wait()
	var errs []error
	for i := range portions {
		errs = append(errs, portions[i].err)
	}
	return errors.Join(errs...)
}

// LoadAll makes lists resident, in file order, until no more fit. It is optional: an
// Executor loads the lists that its queries need.
func (x *Executor) LoadAll(ctx context.Context) (err error) {
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	ctx = orBackground(ctx)
	if err := x.state.await(ctx); err != nil {
		return err
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	var wants []*residency.Want
	for i := range x.docs.Views {
		err := x.docs.Views[i].EachTerm(func(parts []residency.ListPart, n uint32) {
			if w, ok := x.docs.Views[i].WantOf(parts, n); ok {
				wants = append(wants, &w)
			}
		})
		if err != nil {
			return err
		}
	}
	if err := x.impacts.load(ctx, x); err != nil {
		return err
	}
	if err := x.loadVectors(ctx); err != nil {
		return err
	}
	epoch := x.stages.Next()
	missing, bare := x.lists.Find(wants, epoch)
	if err := x.lists.Mark(bare); err != nil {
		return err
	}
	return x.lists.Load(ctx, missing, x.stages.Oldest(epoch), epoch)
}
