package gpu

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/search"
)

// scratch answers plans in batches. It is memory for that, and where the hits go.
type scratch struct {
	x                   *Executor // of onDevice
	and, or, dots, near []*plan
	trees               [3][]*plan // by one driver, by several, by ranges
	sorted              []*plan
	arena               *search.Arena
}

// run answers conjunctions, disjunctions or Dots in batches, as many at a time as there are
// stages. Each batch needs a stream and, while it is prepared, a processor.
func (s *scratch) run(ctx context.Context, plans []*plan) error {
	if len(plans) == 0 {
		return nil
	}
	x := s.x
	if len(plans) > leastQueries && plans[0].way < byTiles {
		plans = s.byPartner(plans)
	}
	batches := x.shape().cut(plans)
	var mu sync.Mutex
	next, failed := 0, error(nil)
	take := func() []*plan {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = ctx.Err()
		}
		if failed != nil || next == len(batches) {
			return nil
		}
		next++
		return batches[next-1]
	}
	work := func() {
		for b := take(); b != nil; b = take() {
			if err := s.batch(ctx, b); err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		}
	}
	x.working.join(min(len(batches), stages.Count), func(int) { work() })
	if failed != nil || len(batches) == 1 || !slices.ContainsFunc(plans, func(p *plan) bool { return p.why != OnDevice }) {
		return failed
	}
	// Lists that did not fit together with those of other batches may fit alone.
	again := slices.DeleteFunc(slices.Clone(plans), func(p *plan) bool { return p.why == OnDevice })
	for _, b := range x.shape().cut(again) {
		for _, p := range b {
			p.why = OnDevice
		}
		if err := s.batch(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// byPartner sorts plans roughly by the offsets of their second lists, so that queries of
// one batch read the same lists and find their blocks in L2. Those that go by ranges come
// first, so that few batches have some. One pass of counting sort
// takes a tenth of the time of a full sort; each batch sorts its own queries.
func (s *scratch) byPartner(plans []*plan) []*plan {
	const places = 1 << 12
	var last int64
	for _, p := range plans {
		last = max(last, p.weight.partner)
	}
	shift := max(0, bits.Len64(uint64(last))-12)
	place := func(p *plan) int64 {
		if p.way.ranged() {
			return 0
		}
		return p.weight.partner >> shift
	}
	var starts [places + 1]int
	for _, p := range plans {
		starts[place(p)+1]++
	}
	for i := range places {
		starts[i+1] += starts[i]
	}
	sorted := slices.Grow(s.sorted[:0], len(plans))[:len(plans)]
	s.sorted = sorted
	for _, p := range plans {
		at := &starts[place(p)]
		sorted[*at] = p
		*at++
	}
	return sorted
}

// batch answers one batch.
func (s *scratch) batch(ctx context.Context, plans []*plan) error {
	x := s.x
	var st *stages.Stage
	var err error
	x.working.aside(func() { st, err = x.stages.Take(ctx) })
	if err != nil {
		return err
	}
	defer x.stages.Give(st)
	st.Reset(st.Stream)
	l := &x.batches[st.Stream]
	l.reset(x, st, plans[0].conjoins())
	if err := l.submit(ctx, plans); err != nil {
		// Work enqueued before the failure may still use the buffers.
		return errors.Join(err, x.dev.Wait(st.Stream))
	}
	l.arena = s.arena
	return l.harvest()
}

// harvest waits for a batch that has been submitted and reads its results.
func (l *batch) harvest() error {
	x, st, p := l.x, l.st, l.pending
	if p.submitted == nil {
		return nil
	}
	l.pending = pending{}
	var err error
	x.working.aside(func() { err = x.dev.Wait(st.Stream) })
	if err != nil {
		return err
	}
	x.stages.Ran(st)
	p.read(st.Out)
	return nil
}

// answer sets the hits of plans, or marks plans for the CPU. The caller settles the error.
func (x *Executor) answer(ctx context.Context, plans []*plan) error {
	if ok, err := x.works(ctx); err != nil {
		return err
	} else if !ok {
		toCPU(plans, ReasonNoDevice)
		return nil
	}
	x.working.Add(1)
	defer x.working.Add(-1)
	return new(scratch).onDevice(ctx, x, plans)
}

// onDevice answers plans in batches.
func (s *scratch) onDevice(ctx context.Context, x *Executor, plans []*plan) error {
	s.x = x
	and, or, dots, near := s.and[:0], s.or[:0], s.dots[:0], s.near[:0]
	for i := range s.trees {
		s.trees[i] = s.trees[i][:0]
	}
	for _, p := range plans {
		if p.done || p.why != OnDevice {
			continue
		}
		switch p.way = x.shape().way(p); p.way {
		case byTiles:
			dots = append(dots, p)
		case byVectors:
			near = append(near, p)
		case byAnd:
			and = append(and, p)
		case byClauses, byDrivers:
			kind := 2
			if p.way == byDrivers {
				kind = min(len(p.clauses.drivers), 2) - 1
			}
			s.trees[kind] = append(s.trees[kind], p)
		default:
			or = append(or, p)
		}
	}
	if err := s.runTiled(ctx, dots); err != nil {
		return err
	}
	if err := s.runNearest(ctx, near); err != nil {
		return err
	}
	if err := s.run(ctx, and); err != nil {
		return err
	}
	for _, p := range and {
		if p.why == OnDevice && p.next() {
			p.way = x.shape().way(p)
			or = append(or, p)
		}
	}
	s.and, s.or, s.dots, s.near = and, or, dots, near
	for _, trees := range s.trees {
		if err := s.disjoin(ctx, trees); err != nil {
			return err
		}
	}
	return s.disjoin(ctx, or)
}

// disjoin answers disjunctions. Those for whose keys that has no room are answered by ranges of documents, if need be with
// room for every document, or by the CPU if these are too many.
func (s *scratch) disjoin(ctx context.Context, plans []*plan) error {
	x := s.x
	for len(plans) > 0 {
		if err := s.run(ctx, plans); err != nil {
			return err
		}
		plans = slices.DeleteFunc(overflowed(plans), func(p *plan) bool {
			again := !p.all
			switch p.all = p.way.ranged(); p.way {
			case byLists:
				p.way = byRanges
			case byDrivers:
				p.way = byClauses
			}
			if again = again && (!p.all || x.shape().keysOf(p) <= x.options.Threshold); !again {
				p.leave(reasonKeys)
			}
			return !again
		})
	}
	return nil
}

// overflowed returns those of plans for whose keys there was no room.
func overflowed(plans []*plan) (some []*plan) {
	for _, p := range plans {
		if p.overflow && p.why == OnDevice {
			some = append(some, p)
		}
	}
	return some
}

// runTiled answers Dots, those again that had no room for their keys.
func (s *scratch) runTiled(ctx context.Context, dots []*plan) error {
	if err := s.run(ctx, dots); err != nil {
		return err
	}
	var rest []*plan
	for _, p := range dots {
		if p.overflow {
			p.overflow, p.all = false, true
			rest = append(rest, p)
		}
	}
	return s.run(ctx, rest)
}
