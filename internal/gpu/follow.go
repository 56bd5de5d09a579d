package gpu

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// ErrAnew means that an Executor cannot go on to a snapshot: it is to be opened anew for that.
var ErrAnew = errors.New("gpuload: the device is to be opened anew")

// Follow makes x answer over another snapshot of the index, such as a later commit, with cpu in the place of Options.CPU and scorer in that of
// Options.Scorer. What both snapshots have stays on the device: of segments lengths and fields of impacts, of adjacent segments whose
// lists are joined (residency.Join) lists. Deletes, norms, and what is known of terms and filters are made anew.
//
// It waits for running calls, and calls wait for it: some milliseconds. FilterBits and Conjunctions are closed. The error matches
// ErrAnew, query.ErrInvalid or ErrClosed if x goes on as before, and otherwise is that of a device, which answers no more.
func (x *Executor) Follow(snapshot *reader.Snapshot, cpu search.Executor, scorer *search.Scorer) error {
	if err := x.enter(); err != nil {
		return err
	}
	o := x.options
	x.leave()
	o.CPU, o.Scorer, o.fields = cpu, scorer, nil
	next, err := hostHalf(snapshot, o)
	if err != nil {
		return err
	}
	defer next.cancel()
	x.life.Lock()
	defer x.life.Unlock()
	if err := x.follows(next); err != nil {
		return errors.Join(err, next.snapshot.Close())
	}
	for c := range x.conjunctions {
		c.free()
	}
	clear(x.conjunctions)
	next.docs.Continue(x.docs)
	x.lists.Follow(next.docs.Segments, next.docs.Views)
	err = next.docs.LoadAfter(x.docs)
	old := x.snapshot
	x.options.CPU, x.options.Scorer, x.options.fields = o.CPU, next.options.Scorer, next.options.fields
	x.docs, x.snapshot, x.parser, x.part, x.tied, x.terms, x.dictionaries = next.docs, next.snapshot, next.parser, next.part, next.tied, next.terms, next.dictionaries
	x.openTables()
	x.found = sync.Pool{}
	x.impacts.follow(x)
	x.vectors.follow(x)
	if err != nil {
		x.state.retire(err)
	}
	return errors.Join(err, old.Close())
}

// follows returns why x cannot go on to what next has.
func (x *Executor) follows(next *Executor) error {
	switch {
	case x.closed:
		return ErrClosed
	case x.snapshot == nil || next.options.CPU == nil != (x.options.CPU == nil):
		return fmt.Errorf("%w: gpuload without a snapshot, or with a CPU once", query.ErrInvalid)
	case !x.state.works.Load():
		return errors.Join(ErrAnew, x.state.failed())
	case next.docs.N > docs.Most:
		return fmt.Errorf("%w: the index has grown", ErrAnew)
	case len(next.docs.Fields) != len(x.docs.Fields):
		return fmt.Errorf("%w: the index has other fields", ErrAnew)
	case next.docs.MostBytes()+residency.VectorBytes(next.docs.Segments) > x.lists.Arena.Size() && x.lists.Arena.Size() < x.options.Memory:
		return fmt.Errorf("%w: the index has grown", ErrAnew)
	}
	for i := range next.docs.Fields {
		a, b := next.docs.Fields[i], x.docs.Fields[i]
		if a.Scorer, b.Scorer = nil, nil; a != b {
			return fmt.Errorf("%w: the index has other fields", ErrAnew)
		}
	}
	return nil
}

// Follow is Executor.Follow on all devices.
func (g *Group) Follow(snapshot *reader.Snapshot, cpu search.Executor, scorer *search.Scorer) error {
	if len(g.members) == 0 {
		return ErrClosed
	}
	g.cpu = cpu
	errs := make([]error, len(g.members))
	var all sync.WaitGroup
	for i, m := range g.members {
		all.Go(func() { errs[i] = m.x.Follow(snapshot, m, scorer) })
	}
	all.Wait()
	return errors.Join(errs...)
}
