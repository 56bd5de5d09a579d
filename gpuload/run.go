package gpuload

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/query"
)

// run answers conjunctions or disjunctions in batches, as many at a time as there are
// stages. Each batch needs a stream and, while it is prepared, a processor.
func (x *Executor) run(ctx context.Context, s *scratch, plans []*plan, how way) error {
	if len(plans) > leastQueries && how != byTiles {
		plans = s.byPartner(plans)
	}
	batches := x.cut(plans, how)
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
			if err := x.batch(ctx, s.arena, b, how); err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		}
	}
	x.join(min(len(batches), len(x.stages)), func(int) { work() })
	if failed != nil || len(batches) == 1 || !slices.ContainsFunc(plans, func(p *plan) bool { return p.cpu }) {
		return failed
	}
	// Lists that did not fit together with those of other batches may fit alone.
	again := slices.DeleteFunc(slices.Clone(plans), func(p *plan) bool { return !p.cpu })
	for _, b := range x.cut(again, how) {
		for _, p := range b {
			p.cpu = false
		}
		if err := x.batch(ctx, s.arena, b, how); err != nil {
			return err
		}
	}
	return nil
}

// byPartner sorts plans roughly by the offsets of their second lists, so that queries of
// one batch read the same lists and find their blocks in L2. One pass of counting sort
// takes a tenth of the time of a full sort; each batch sorts its own queries.
func (s *scratch) byPartner(plans []*plan) []*plan {
	const places = 1 << 12
	var last int64
	for _, p := range plans {
		last = max(last, p.weight.partner)
	}
	shift := max(0, bits.Len64(uint64(last))-12)
	var starts [places + 1]int
	for _, p := range plans {
		starts[p.weight.partner>>shift+1]++
	}
	for i := range places {
		starts[i+1] += starts[i]
	}
	sorted := slices.Grow(s.sorted[:0], len(plans))[:len(plans)]
	s.sorted = sorted
	for _, p := range plans {
		at := &starts[p.weight.partner>>shift]
		sorted[*at] = p
		*at++
	}
	return sorted
}

// batch answers one batch, with hits in a.
func (x *Executor) batch(ctx context.Context, a *query.Arena, plans []*plan, how way) error {
	var st *stage
	x.aside(func() {
		select {
		case st = <-x.idle:
		case <-ctx.Done():
		}
	})
	if st == nil {
		return ctx.Err()
	}
	x.mu.Lock() // oldest must see the epoch
	x.epoch++
	st.epoch = x.epoch
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		st.epoch = 0
		x.mu.Unlock()
		x.idle <- st
	}()
	st.Reset(st.stream)
	if err := x.submit(ctx, st, plans, how); err != nil {
		// Work enqueued before the failure may still use the buffers.
		return errors.Join(err, x.dev.Wait(st.stream))
	}
	st.pending.arena = a
	return x.harvest(st)
}

// cut divides plans into batches.
func (x *Executor) cut(plans []*plan, how way) (batches [][]*plan) {
	most := min(max(len(plans)/(2*len(x.stages))+1, leastQueries), batchQueries)
	if how == byTiles || how == byTilesAlone {
		return x.cutTiled(plans, how == byTilesAlone)
	}
	limit := x.options.Threshold
	var postings, hits int64
	smalls, first := 0, 0
	for i, p := range plans {
		n, small := p.weight.first, p.weight.smalls
		switch how {
		case byOr:
			n += x.options.overflow
		case byRanges:
			n = x.keysOf(p)
		}
		if i > first && (postings+n > limit || hits+int64(p.k) > batchHits || smalls+small > zoneSlots || i-first >= most) {
			batches = append(batches, plans[first:i])
			postings, hits, smalls, first = 0, 0, 0, i
		}
		postings += n
		hits += int64(p.k)
		smalls += small
	}
	if first < len(plans) {
		batches = append(batches, plans[first:])
	}
	return batches
}

// harvest waits for the batch of a stage and reads its results.
func (x *Executor) harvest(st *stage) error {
	p := st.pending
	if p.plans == nil {
		return nil
	}
	st.pending = pending{}
	var err error
	x.aside(func() { err = x.dev.Wait(st.stream) })
	if err != nil {
		return err
	}
	x.ran(st)
	p.read(st.Out)
	return nil
}

// timer returns the event before the kernels of a stage; the next one is behind them.
func timer(st *stage) int { return residency.Timers + 2*st.stream }

// ran adds the time of a stage's kernels to Stats.Busy.
func (x *Executor) ran(st *stage) {
	// An Executor that shares the device may have recorded the events again meanwhile.
	if ms, err := x.dev.Elapsed(timer(st), timer(st)+1); err == nil {
		x.mu.Lock()
		x.busy += float64(ms) / 1e3
		x.mu.Unlock()
	}
}

// answer sets the hits of plans, or marks plans for the CPU. The caller settles the error.
func (x *Executor) answer(ctx context.Context, plans []*plan) error {
	if ok, err := x.works(ctx); err != nil {
		return err
	} else if !ok {
		toCPU(plans)
		return nil
	}
	x.working.Add(1)
	defer x.working.Add(-1)
	return x.onDevice(ctx, new(scratch), plans)
}

// onDevice answers plans in batches.
func (x *Executor) onDevice(ctx context.Context, s *scratch, plans []*plan) error {
	and, or, dots := s.and[:0], s.or[:0], s.dots[:0]
	for _, p := range plans {
		switch {
		case p.done || p.cpu:
		case p.dot != nil:
			dots = append(dots, p)
		case p.mode == query.Or:
			or = append(or, p)
		default:
			and = append(and, p)
		}
	}
	if err := x.runTiled(ctx, s, dots); err != nil {
		return err
	}
	if err := x.run(ctx, s, and, byAnd); err != nil {
		return err
	}
	for _, p := range and {
		if p.mode == query.AndOr && !p.cpu && len(p.hits) < p.k {
			p.hits = nil
			or = append(or, p)
		}
	}
	s.and, s.or, s.dots = and, or, dots
	return x.disjoin(ctx, s, or)
}

// disjoin answers disjunctions, each in the way that is likely to be faster. Those for whose keys that has no room are
// answered by ranges of documents, if need be with room for every document, or by the CPU if these are too many.
func (x *Executor) disjoin(ctx context.Context, s *scratch, plans []*plan) error {
	byList, byRange := s.byList[:0], s.byRange[:0]
	for _, p := range plans {
		if x.dense(p) {
			byRange = append(byRange, p)
		} else {
			byList = append(byList, p)
		}
	}
	s.byList, s.byRange = byList, byRange
	if err := x.run(ctx, s, byList, byOr); err != nil {
		return err
	}
	if err := x.run(ctx, s, byRange, byRanges); err != nil {
		return err
	}
	again := overflowed(byList)
	if err := x.run(ctx, s, again, byRanges); err != nil {
		return err
	}
	rest := overflowed(append(again, byRange...))
	for _, p := range rest {
		p.all = true
	}
	many := func(p *plan) bool { return x.keysOf(p) > x.options.Threshold }
	for _, p := range rest {
		if many(p) {
			toCPU([]*plan{p})
		}
	}
	return x.run(ctx, s, slices.DeleteFunc(rest, many), byRanges)
}

// overflowed returns those of plans for whose keys there was no room.
func overflowed(plans []*plan) (some []*plan) {
	for _, p := range plans {
		if p.overflow && !p.cpu {
			some = append(some, p)
		}
	}
	return some
}

// dense reports whether a disjunction is answered by ranges of documents: if four times its terms and three times the bits
// of its k are 50 or more, as of 10 terms for the top 10, 8 for the top 100 and 5 for the top 1,000. Otherwise bounds rule so
// much out that going list by list is faster (docs/notes/gpu-queries.md).
func (x *Executor) dense(p *plan) bool {
	if x.options.ranges != 0 {
		return x.options.ranges > 0
	}
	return len(p.weights) > 1 && 4*len(p.weights)+3*bits.Len(uint(p.k)) >= 50
}

// runTiled answers Dots, those again that had no room for their keys.
func (x *Executor) runTiled(ctx context.Context, s *scratch, dots []*plan) error {
	if len(dots) == 0 {
		return nil
	}
	if err := x.run(ctx, s, dots, byTiles); err != nil {
		return err
	}
	var rest []*plan
	for _, p := range dots {
		if p.overflow {
			p.overflow = false
			rest = append(rest, p)
		}
	}
	return x.run(ctx, s, rest, byTilesAlone)
}
