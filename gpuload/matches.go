package gpuload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/query"
)

// Conjunction is a batch of conjunctions laid out in device memory, whose docIDs
// are wanted, not scores: Ao 2011's setting. It may run many times. It holds its
// lists' residency only while no other batch needs their room, so it is for
// executors whose lists all fit.
type Conjunction struct {
	x       *Executor
	st      stage
	p       kernels.IntersectParams
	g       kernels.GatherParams
	kernel  kernels.Kernel
	merging *merging // of strategies other than Probe
	queries int
	order   []int // where each query's docIDs come among the results
	// Postings is how many postings the first lists have together.
	Postings int64
}

// NewConjunction lays queries out for a stream, to be answered by that strategy.
func (x *Executor) NewConjunction(ctx context.Context, queries []query.Query, stream int, how Strategy) (c *Conjunction, err error) {
	if how >= StrategyCount {
		return nil, fmt.Errorf("gpuload: no %v", how)
	}
	if stream < 0 || stream >= Streams {
		return nil, fmt.Errorf("gpuload: no stream %d", stream)
	}
	plans := x.resolve(queries)
	c = &Conjunction{x: x, queries: len(queries), st: stage{dev: x.dev, most: new(most), zoneFirst: x.stages[stream%len(x.stages)].zoneFirst}}
	c.st.reset(stream)
	defer func() {
		if err != nil {
			c.Close()
			c = nil
		}
	}()
	use, smalls := make([]*plan, len(plans)), 0
	for i := range plans {
		if plans[i].err != nil {
			return c, fmt.Errorf("query %d: %w", i, plans[i].err)
		}
		use[i] = &plans[i]
		smalls += plans[i].weight.smalls
	}
	if smalls > zoneSlots {
		return c, fmt.Errorf("gpuload: a batch of docIDs has %d lists without an extent, %d are the most: %w", smalls, zoneSlots, ErrUnsupported)
	}
	x.mu.Lock()
	x.epoch++
	epoch := x.epoch
	x.mu.Unlock()
	if err := x.bring(ctx, use, epoch); err != nil {
		return c, err
	}
	if how == Auto {
		how = x.choose(use)
	}
	return c, c.layOut(use, how)
}

// tileRun is how many blocks of a first list a tile has: docIDs that pass the presence
// words are looked up 128 at a time, and one in ten passes.
const tileRun = 8

// layOut makes the tiles, runs of blocks of a first list, and what goes with them.
func (c *Conjunction) layOut(plans []*plan, how Strategy) error {
	x, st := c.x, &c.st
	l := &layout{x: x, st: st, plans: plans}
	size, stride, run := 1024+4*len(plans), uint32(128), uint32(tileRun)
	if how.merges() {
		run = 1
	}
	var tiles []kernels.Tile
	first := make([]uint32, 0, len(plans)+1)
	for i, p := range plans {
		if p.cpu || !x.usable(p) {
			return fmt.Errorf("query %d: %w", i, ErrUnsupported)
		}
	}
	// Queries that look into the same list run at the same time, so that they find
	// its blocks in L2.
	slices.SortStableFunc(plans, func(a, b *plan) int { return cmp.Compare(a.second(len(x.segments)), b.second(len(x.segments))) })
	c.order = make([]int, len(plans))
	for i, p := range plans {
		c.order[p.index] = i
		first = append(first, uint32(len(tiles)))
		size += 256*len(p.lists) + 128*len(x.segments)
		for s := range x.segments {
			if p.done { // a term that occurs nowhere
				break
			}
			n, ok := x.conjunctive(p, s)
			if !ok {
				continue
			}
			c.Postings += int64(n)
			o := &p.lists[s]
			blocks := blocksOf(o)
			if how.merges() {
				blocks = (n + 127) / 128
			}
			for b := uint32(0); b < blocks; b += run {
				tiles = append(tiles, kernels.Tile{Job: uint32(len(l.chores)), First: b})
			}
			if o.small == nil {
				stride = max(stride, 1<<o.want.list.logBlock)
			}
			l.chores = append(l.chores, chore{plan: p, seg: s, slot: i})
		}
		for j := range p.lists {
			if s := p.lists[j].small; s != nil {
				size += 8*len(s.docs) + 64
			}
		}
	}
	first = append(first, uint32(len(tiles)))
	if how.merges() {
		return c.layOutMerged(l, size, tiles, first, how)
	}
	stride *= run
	room := int64(len(tiles)) * int64(stride)
	if err := errors.Join(st.reserveIn(size+8*len(tiles)), st.reserveOut(4*(len(plans)+1)+4*int(room)+64),
		st.reserveWork(4*room+8*int64(len(tiles))+8*int64(len(plans))+256)); err != nil {
		return err
	}
	for i := range l.chores {
		l.addTerms(&l.chores[i])
	}
	c.p = kernels.IntersectParams{Lists: x.lists.table, Queries: put(st, l.queries()), Terms: put(st, l.terms),
		Tiles: put(st, tiles), Counts: st.scratch(4 * int64(len(tiles))), Out: st.scratch(4 * room),
		NTiles: uint32(len(tiles)), Stride: stride, Locate: how.locate(x.options), Run: run}
	c.kernel = [...]kernels.Kernel{kernels.IntersectPacked, kernels.IntersectNewPFD, kernels.IntersectDocs}[l.family]
	if how == Element {
		c.kernel = kernels.IntersectElements
	}
	c.gather(l, first, room)
	return nil
}

// gather lays out what brings the docIDs of all tiles together, and enqueues all.
func (c *Conjunction) gather(l *layout, first []uint32, room int64) {
	st, n := &c.st, len(c.order)
	starts := (4*(n+1) + 15) &^ 15
	c.g = kernels.GatherParams{In: c.p.Out, Counts: c.p.Counts, QueryTiles: put(st, first),
		TileStarts: st.scratch(4 * int64(c.p.NTiles)), Totals: st.scratch(4 * int64(n)), Starts: st.outDev,
		Out: st.outDev + Ptr(starts), NQueries: uint32(n), NTiles: c.p.NTiles, Stride: c.p.Stride, Limit: uint32(room)}
	l.send()
	c.launch()
}

// launch enqueues the kernels and the copy of where each query's docIDs start.
func (c *Conjunction) launch() {
	b := &c.st.batch
	if c.merging != nil {
		c.merging.launch(b)
	} else {
		b.Launch(c.kernel, int(c.p.NTiles+7)/8, 0, kernels.Bytes(&c.p))
	}
	b.Launch(kernels.SumTiles, int(c.g.NQueries+7)/8, 0, kernels.Bytes(&c.g))
	b.Launch(kernels.ScanQueries, 1, 0, kernels.Bytes(&c.g))
	b.Launch(kernels.GatherDocs, int(c.g.NTiles+7)/8, 0, kernels.Bytes(&c.g))
	b.CopyOut(c.st.out[:4*(c.queries+1)], c.st.outDev)
}

// Start submits the batch: descriptors to the device, kernels, starts back.
func (c *Conjunction) Start() error { return c.x.dev.Submit(&c.st.batch) }

// Matches are the docIDs of a Conjunction's queries.
type Matches struct {
	starts, docs []uint32
	order        []int
}

// Of returns query i's docIDs, ascending.
func (m Matches) Of(i int) []uint32 {
	at := m.order[i]
	return m.docs[m.starts[at]:m.starts[at+1]]
}

// Finish waits and fetches the docIDs, which are valid until the next Start.
func (c *Conjunction) Finish() (m Matches, err error) {
	if err := c.x.dev.Wait(c.st.stream); err != nil {
		return m, err
	}
	m = Matches{starts: format.Uint32s(c.st.out[:4*(c.queries+1)]), order: c.order}
	at := int(c.g.Out - c.st.outDev)
	n := int(min(m.starts[c.queries], c.g.Limit))
	m.docs = format.Uint32s(c.st.out[at : at+4*n])
	b := Batch{Stream: c.st.stream}
	b.CopyOut(c.st.out[at:at+4*n], c.g.Out)
	if err := c.x.dev.Submit(&b); err != nil {
		return m, err
	}
	return m, c.x.dev.Wait(c.st.stream)
}

// second returns the slot of a plan's second list, 0 where it is not resident.
func (p *plan) second(segments int) uint32 {
	if len(p.lists) < 2*segments {
		return 0
	}
	for _, o := range p.lists[segments : 2*segments] {
		if r := o.want.list; r != nil {
			return r.slot
		}
	}
	return 0
}

// Close frees the batch's buffers.
func (c *Conjunction) Close() { c.st.close() }
