package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
)

// wholeField is what an Executor knows of a field whose segments go to the device as a whole when the first query asks for it, such as one of
// impacts. They stay there over commits until their memory is needed for what is used more. P is what a segment has, and S what a snapshot has.
type wholeField[P wholePart, S any, Set wholeSet[P, S]] struct {
	loadPart func(ctx context.Context, x *Executor, d *docs.Docs, s *residency.Segment, oldest uint64) (P, error) // s is of d

	// stale, unless nil, reports whether what a segment of d has is to be made anew: not of the snapshot for which it was made.
	stale func(x *Executor, d *docs.Docs, p P) bool

	set     atomic.Pointer[S] // of the snapshot; nil: a segment may not be there
	refused atomic.Bool       // one does not fit, or is damaged: the CPU answers
	busy    atomic.Bool       // it is being loaded behind queries

	mu    sync.Mutex // of loads, guards the fields below
	parts map[int]P  // by number of the segment
	errs  map[int]error
}

// wholePart is a field in a segment on the device.
type wholePart interface {
	Gone() bool
	Memory() *residency.List
	Has(*residency.Segment) bool
}

// wholeSet is a field in the segments of a snapshot.
type wholeSet[P wholePart, S any] interface {
	*S
	add(p P, of *residency.Segment)
	gone() bool // a part has been evicted
}

// of returns the field, and loads it if it is not there: behind queries, which meanwhile get nil, where there is a CPU to answer them.
func (f *wholeField[P, S, Set]) of(ctx context.Context, x *Executor) (*S, error) {
	if f.refused.Load() {
		return nil, nil
	}
	if s := f.there(); s != nil {
		return s, nil
	}
	switch {
	case !x.state.works.Load():
		return nil, nil
	case x.options.CPU == nil:
		return f.load(ctx, x)
	case f.busy.CompareAndSwap(false, true):
		x.behind.Add(1)
		go func() {
			defer x.behind.Done()
			defer f.busy.Store(false)
			f.loadBehind(x)
		}()
	}
	return nil, nil
}

// there returns the field if all of it is on the device, or nil.
func (f *wholeField[P, S, Set]) there() *S {
	s := f.set.Load()
	if s == nil || Set(s).gone() {
		return nil
	}
	return s
}

// load makes the field resident, within a call. The error is one of the device or of ctx; otherwise, the set is nil if the field is refused.
func (f *wholeField[P, S, Set]) load(ctx context.Context, x *Executor) (*S, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.there(); s != nil || f.refused.Load() {
		return s, nil
	}
	s, err := f.make(ctx, x, x.docs)
	if err == nil {
		f.settle(s)
	}
	return s, err
}

// settle notes what make has returned, nil for a field that is refused.
func (f *wholeField[P, S, Set]) settle(s *S) {
	f.set.Store(s)
	f.refused.Store(s == nil)
}

// loadBehind makes the field resident behind calls, also while the Executor goes on to another snapshot: then it loads what that has beside.
func (f *wholeField[P, S, Set]) loadBehind(x *Executor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for x.enter() == nil {
		if f.there() != nil || f.refused.Load() {
			x.leave()
			return
		}
		d := x.docs
		s, err := x.snapshot.Retain()
		x.leave()
		if err != nil {
			return
		}
		set, err := f.make(x.ctx, x, d)
		_ = s.Close()
		if err != nil {
			_ = x.settle(nil, err)
			return
		}
		if x.enter() != nil {
			return
		}
		if x.docs == d {
			f.settle(set)
		}
		x.leave()
	}
}

// make makes all segments of d resident, or returns nil if one cannot be. f.mu must be held.
func (f *wholeField[P, S, Set]) make(ctx context.Context, x *Executor, d *docs.Docs) (*S, error) {
	f.forget(x, d)
	set := new(S)
	for i := range d.Segments {
		p, err := f.part(ctx, x, d, &d.Segments[i])
		if err != nil || f.errs[d.Segments[i].Number] != nil {
			return nil, err
		}
		Set(set).add(p, &d.Segments[i])
	}
	if Set(set).gone() { // the last ones have evicted the first
		return nil, nil
	}
	return set, nil
}

// forget drops what segments have that d does not have, and what is stale. No set has it.
func (f *wholeField[P, S, Set]) forget(x *Executor, d *docs.Docs) {
	kept := make(map[int]bool, len(d.Segments))
	for i := range d.Segments {
		kept[d.Segments[i].Number] = true
	}
	for n, p := range f.parts {
		if !kept[n] || f.stale != nil && f.stale(x, d, p) {
			x.lists.Discard(p.Memory())
			delete(f.parts, n)
		}
	}
	for n := range f.errs {
		if !kept[n] {
			delete(f.errs, n)
		}
	}
}

// part returns what a segment of d has, and loads it if it is not there. Why it cannot be is in f.errs; the error is one of the device or of ctx.
func (f *wholeField[P, S, Set]) part(ctx context.Context, x *Executor, d *docs.Docs, s *residency.Segment) (p P, err error) {
	p, ok := f.parts[s.Number]
	if ok && !p.Gone() && p.Has(s) || f.errs[s.Number] != nil {
		return p, nil
	}
	if ok {
		x.lists.Discard(p.Memory())
	}
	p, err = f.loadPart(ctx, x, d, s, x.stages.Oldest(x.stages.Next()))
	if f.parts == nil {
		f.parts, f.errs = map[int]P{}, map[int]error{}
	}
	switch {
	case err == nil:
		f.parts[s.Number] = p
	case ctx.Err() != nil || errors.Is(err, ErrDevice) || errors.Is(err, ErrMemory):
		return p, err
	default:
		f.errs[s.Number] = err
	}
	return p, nil
}

// fewNew is the share of documents, as 1/fewNew, that are loaded while queries wait: a thousandth takes about a millisecond.
const fewNew = 64

// mostNew is how long they may take, should others be loaded meanwhile.
const mostNew = 20 * time.Millisecond

// follow goes on to x.docs, when no call runs: what is resident stays. Of a field that was resident, segments are loaded at once that have few
// documents; others are loaded behind queries, which the CPU answers meanwhile.
func (f *wholeField[P, S, Set]) follow(x *Executor) {
	had := f.there() != nil
	f.set.Store(nil)
	f.refused.Store(false)
	if !had || !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	missing := uint64(0)
	for i := range x.docs.Segments {
		s := &x.docs.Segments[i]
		if p, ok := f.parts[s.Number]; !ok || p.Gone() || !p.Has(s) {
			missing += uint64(s.Seg.Meta().Docs)
		}
	}
	if missing > x.docs.N/fewNew {
		return
	}
	ctx, cancel := context.WithTimeout(x.ctx, mostNew)
	defer cancel()
	if s, err := f.make(ctx, x, x.docs); err == nil {
		f.settle(s)
	}
}
