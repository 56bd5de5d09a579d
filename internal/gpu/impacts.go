package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
)

// impactField is what an Executor knows of a field of impacts, which goes to the device as a whole when the first Dot
// asks for it. It stays there until its memory is needed for what is used more.
type impactField struct {
	tiles   atomic.Pointer[residency.Tiles]
	refused atomic.Bool // it does not fit, or a list is damaged: the CPU answers
	busy    atomic.Bool // it is being loaded behind queries
	mu      sync.Mutex  // of loads, guards err
	err     error       // why it is refused
}

// impacts are the fields of impacts by number, others nil; nil if there are none.
type impacts []*impactField

// mostSum is what the sums of a Dot are less than on the device: sums that differ give scores that differ.
const mostSum = 1 << 23

// mostDotHits is the greatest k of a Dot: a tile finds no more keys.
const mostDotHits = kernels.ImpactList

// Factors of scores on the device are between these, so that no score is subnormal or infinite.
const leastFactor, mostFactor = 1. / (1 << 100), 1 << 100

// tilesOf returns a field in tiles, and loads it if it is not there: behind queries, which meanwhile get nil, where there
// is a CPU to answer them.
func (x *Executor) tilesOf(ctx context.Context, field int) (*residency.Tiles, error) {
	f := x.impacts[field]
	if f == nil || f.refused.Load() {
		return nil, nil
	}
	if t := f.tiles.Load(); t != nil && !t.List.Gone.Load() {
		return t, nil
	}
	switch {
	case !x.state.works.Load():
		return nil, nil
	case x.options.CPU == nil:
		return f.load(ctx, x, field)
	case f.busy.CompareAndSwap(false, true):
		go func() {
			defer f.busy.Store(false)
			if x.enter() == nil {
				defer x.leave()
				_ = x.settle(nil, device(f.load(context.Background(), x, field)))
			}
		}()
	}
	return nil, nil
}

// device returns an error of the device.
func device(_ *residency.Tiles, err error) error { return err }

// load makes the field of that number resident. The error is one of the device or of ctx; otherwise, tiles are nil if the field is refused.
func (f *impactField) load(ctx context.Context, x *Executor, field int) (*residency.Tiles, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.tiles.Load(); t != nil && !t.List.Gone.Load() {
		return t, nil
	}
	if f.err != nil {
		return nil, nil
	}
	t, err := x.lists.LoadTiles(ctx, field, uint32(x.options.tileDocs), x.stages.Oldest(x.stages.Next()))
	switch {
	case err == nil:
		f.tiles.Store(t)
	case ctx.Err() != nil || errors.Is(err, ErrDevice) || errors.Is(err, ErrMemory):
		return nil, err
	default:
		f.err = err
		f.refused.Store(true)
	}
	return t, nil
}

// load makes all fields of impacts resident that fit.
func (all impacts) load(ctx context.Context, x *Executor) error {
	for i, f := range all {
		if f == nil {
			continue
		}
		if _, err := f.load(ctx, x, i); err != nil {
			return err
		}
	}
	return nil
}

// resident returns how many fields of impacts are resident, and their bytes.
func (all impacts) resident() (n, bytes int64) {
	for _, f := range all {
		if f == nil {
			continue
		}
		if t := f.tiles.Load(); t != nil && !t.List.Gone.Load() {
			n, bytes = n+1, bytes+t.List.Size
		}
	}
	return n, bytes
}

// impactFields returns a state for each field of impacts, or nil if there is none.
func impactFields(fields []docs.Field) (all impacts) {
	for i, f := range fields {
		if f.Impacts {
			if all == nil {
				all = make(impacts, len(fields))
			}
			all[i] = new(impactField)
		}
	}
	return all
}
