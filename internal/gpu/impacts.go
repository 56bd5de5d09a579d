package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
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

// dot makes the plan of q if that is one Dot; ok is false otherwise.
func (r *resolver) dot(p *plan, q *search.Query) (ok bool, err error) {
	if r.x.impacts == nil || q.Node == nil {
		return false, nil
	}
	own := &r.dots
	if ok, err = r.x.parser.AppendDot(own, q); !ok || err != nil {
		return ok, err
	}
	if p.mode = query.ModeOr; p.k == 0 || len(own.Terms) == 0 {
		p.done = true
		return true, nil
	}
	if p.cpu = len(own.Terms) > kernels.MaxTerms || p.k > mostDotHits || q.Trace || q.Static != nil || !(own.Factor >= leastFactor && own.Factor <= mostFactor); p.cpu {
		return true, nil
	}
	if own.Docs != nil || own.Columns != nil {
		p.ask = &ask{docs: own.Docs, columns: own.Columns}
	}
	if p.cpu = p.ask != nil && !r.x.docs.Aligned; p.cpu {
		return true, nil
	}
	t, err := r.x.tilesOf(context.Background(), own.Field)
	if p.cpu = t == nil; p.cpu || err != nil {
		return true, err
	}
	p.dot = &take(&r.taken, 1)[0]
	*p.dot = dot{tiles: t, terms: take(&r.weighted, len(own.Terms))[:0], factor: own.Factor, low: 1}
	bound := uint64(0)
	for i, term := range own.Terms {
		x, ok := t.Term(term)
		if !ok {
			continue
		}
		w := own.Weights[i]
		p.dot.terms = append(p.dot.terms, kernels.ImpactTerm{Number: x.Number, Weight: w})
		p.weight.all += int64(x.Postings)
		bound += uint64(w) * uint64(x.Most)
		if p.ask == nil {
			p.dot.low = max(p.dot.low, w*uint32(x.AtLeast(p.k)))
		}
	}
	p.dot.bound, p.weight.first = uint32(bound), p.weight.all
	p.done, p.cpu = len(p.dot.terms) == 0, bound >= mostSum
	return true, nil
}

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
