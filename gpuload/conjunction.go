package gpuload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// Conjunction is a batch of conjunctive queries, prepared in device memory, that returns
// docIDs without scores, as in Ao 2011. It can be run repeatedly. Other batches may evict
// its lists, so use it only with Executors whose lists all fit in device memory. A
// Conjunction is not safe for concurrent use.
type Conjunction struct {
	x       *Executor
	st      stage
	p       kernels.IntersectParams
	g       kernels.GatherParams
	kernel  kernels.Kernel
	merging *merging // for strategies that merge; otherwise nil
	order   []int    // by query: its index in the results
	slots   int      // results: one for each query or, of a step, for each segment
	step    *step    // what the Conjunction is a step of; otherwise nil
	first   int64    // postings in the first lists
	started bool
	closed  bool
}

// ErrNotStarted is returned by Conjunction.Finish without a preceding Start.
var ErrNotStarted = errors.New("gpuload: conjunction not started")

// NewConjunction prepares queries for a stream, 0 to 7; Conjunctions on different streams
// can overlap. Mode and K of the queries are ignored. The error matches ErrUnsupported if
// the device cannot answer a query; Options.CPU is not used.
func (x *Executor) NewConjunction(ctx context.Context, queries []query.Query, stream int, how Strategy) (*Conjunction, error) {
	if how >= strategyCount {
		return nil, fmt.Errorf("%w: gpuload: no %v", query.ErrInvalid, how)
	}
	if stream < 0 || stream >= len(x.stages) {
		return nil, fmt.Errorf("%w: gpuload: no stream %d", query.ErrInvalid, stream)
	}
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	ctx = orBackground(ctx)
	if err := x.await(ctx); err != nil {
		return nil, err
	}
	queries, err := x.parser.Complete(queries)
	if err != nil {
		return nil, err
	}
	c := &Conjunction{x: x, st: stage{Buffers: layout.NewBuffers(x.dev, new(layout.Peak)), stream: stream,
		zoneFirst: x.stages[stream].zoneFirst}}
	c.st.Reset(stream)
	if err := c.prepare(ctx, queries, how); err != nil {
		c.st.Close()
		return nil, err
	}
	x.mu.Lock()
	x.conjunctions[c] = true
	x.mu.Unlock()
	return c, nil
}

// prepare resolves the queries, loads their lists and prepares the batch.
func (c *Conjunction) prepare(ctx context.Context, queries []query.Query, how Strategy) error {
	x := c.x
	queries = slices.Clone(queries)
	for i := range queries {
		queries[i].Mode, queries[i].K = query.And, 1
	}
	plans := x.resolve(queries)
	use, smalls := make([]*plan, len(plans)), 0
	for i := range plans {
		if plans[i].err != nil {
			return fmt.Errorf("query %d: %w", i, plans[i].err)
		}
		use[i] = &plans[i]
		smalls += plans[i].weight.smalls
	}
	if smalls > zoneSlots {
		return fmt.Errorf("gpuload: a batch of docIDs has %d lists without an extent, %d are the most: %w", smalls, zoneSlots, ErrUnsupported)
	}
	if err := x.bring(ctx, use, x.nextEpoch()); err != nil {
		return err
	}
	for i, p := range use {
		if p.cpu || !x.usable(p) {
			return fmt.Errorf("query %d: %w", i, x.why(p))
		}
	}
	if how == Auto {
		how = x.choose(use)
	}
	return c.layOut(use, how)
}

// Postings returns the total number of postings in the first lists of the queries.
func (c *Conjunction) Postings() int64 { return c.first }

// tileRun is the number of blocks of a first list in a tile. The docIDs that pass the
// presence words are looked up 128 at a time, and about one in ten passes.
const tileRun = 8

// spread is the division of a Conjunction's jobs into tiles.
type spread struct {
	tiles  []kernels.Tile
	first  []uint32 // the first tile of each result, and the end
	size   int      // bytes of In, without the tiles
	stride uint32   // maximum number of docIDs in a block
}

// layOut divides the first lists into tiles, which are runs of blocks, and prepares the
// batch. All lists of the plans are on the device.
func (c *Conjunction) layOut(plans []*plan, how Strategy) error {
	x, st := c.x, &c.st
	// Queries that read the same list run at the same time, so that they find its blocks
	// in L2.
	slices.SortStableFunc(plans, func(a, b *plan) int { return cmp.Compare(a.second(len(x.views)), b.second(len(x.views))) })
	l := &batch{x: x, st: st, plans: plans}
	run := uint32(tileRun)
	if c.step != nil {
		l.descs, l.local, run = c.step.descs, true, c.step.run()
	}
	if how == MergePath {
		if !mergeable(plans) {
			return fmt.Errorf("gpuload: %v cannot merge lists of %d postings or more: %w", how, mostMerged, ErrUnsupported)
		}
		s := c.spread(l, 1, true)
		return c.layOutMerged(l, s.size, s.tiles, s.first)
	}
	s := c.spread(l, run, false)
	stride := s.stride * run
	room := int64(len(s.tiles)) * int64(stride)
	if err := fits(room); err != nil {
		return err
	}
	if err := x.makeRoom(st, s.size+8*len(s.tiles), 4*room+8*int64(len(s.tiles))+8*int64(c.slots)+256, c.outSize(room)); err != nil {
		return err
	}
	for i := range l.jobs {
		l.addTerms(&l.jobs[i])
	}
	c.p = kernels.IntersectParams{Lists: x.lists.Table, Queries: layout.Put(st.Buffers, l.queries()), Terms: layout.Put(st.Buffers, l.terms),
		Tiles: layout.Put(st.Buffers, s.tiles), Counts: st.Scratch(4 * int64(len(s.tiles))), Out: st.Scratch(4 * room),
		NTiles: uint32(len(s.tiles)), Stride: stride, Locate: how.locate(x.options), Run: run}
	c.kernel = kernels.For(kernels.Intersect, l.codecs)
	if how == Element {
		c.kernel = kernels.IntersectElements
	}
	c.gather(l, s.first, room)
	return nil
}

// spread makes the jobs of the plans and divides their first lists into tiles of run
// blocks, or of 128 docIDs if the lists are decoded first.
func (c *Conjunction) spread(l *batch, run uint32, decoded bool) (s spread) {
	x := c.x
	s.size, s.stride = 1024+4*len(l.plans), 128
	c.order = make([]int, len(l.plans))
	for i, p := range l.plans {
		c.order[p.index] = i
		if c.step == nil {
			s.first = append(s.first, uint32(len(s.tiles)))
		}
		s.size += 256*len(p.lists) + 128*len(x.views)
		for seg := range x.views {
			if p.done { // one of its terms does not occur
				break
			}
			n, ok := x.conjunctive(p, seg)
			if !ok {
				continue
			}
			if c.step != nil {
				s.first = append(s.first, uint32(len(s.tiles)))
			}
			c.first += int64(n)
			o := &p.lists[seg]
			blocks := blocksOf(o)
			if decoded {
				blocks = (n + 127) / 128
			}
			for b := uint32(0); b < blocks; b += run {
				s.tiles = append(s.tiles, kernels.Tile{Job: uint32(len(l.jobs)), First: b})
			}
			if o.small == nil {
				s.stride = max(s.stride, 1<<o.want.List.LogBlock)
			}
			l.jobs = append(l.jobs, job{plan: p, seg: seg, slot: i})
		}
		for j := range p.lists {
			if v := p.lists[j].small; v != nil {
				s.size += 8*v.Len() + 64
			}
		}
	}
	c.slots = len(s.first)
	s.first = append(s.first, uint32(len(s.tiles)))
	s.size += 4 * c.slots
	return s
}

// fits returns an error if room for so many docIDs is more than kernels count.
func fits(room int64) error {
	if room > math.MaxUint32 {
		return fmt.Errorf("gpuload: a batch of docIDs needs room for %d of them, 2^32-1 are the most: %w", room, ErrUnsupported)
	}
	return nil
}

// outSize returns the bytes of Out for room docIDs.
func (c *Conjunction) outSize(room int64) int {
	if c.step != nil {
		room = c.step.head
	}
	return 4*(c.slots+1) + 4*int(room) + 64
}

// gather prepares the kernels that concatenate the docIDs of all tiles, and enqueues
// everything.
func (c *Conjunction) gather(l *batch, first []uint32, room int64) {
	st, n := &c.st, c.slots
	starts := c.headAt()
	c.g = kernels.GatherParams{In: c.p.Out, Counts: c.p.Counts, QueryTiles: layout.Put(st.Buffers, first),
		TileStarts: st.Scratch(4 * int64(c.p.NTiles)), Totals: st.Scratch(4 * int64(n)), Starts: st.OutDev,
		Out: st.OutDev + kernels.Ptr(starts), NQueries: uint32(n), NTiles: c.p.NTiles, Stride: c.p.Stride, Limit: uint32(room)}
	if c.step != nil {
		c.g.Out, c.g.Limit = c.step.to, uint32(c.first)
	}
	l.send()
	c.launch()
}

// launch enqueues the kernels and the copy of the start of each query's docIDs.
func (c *Conjunction) launch() {
	b := &c.st.Batch
	if c.merging != nil {
		c.merging.launch(b)
	} else {
		b.Launch(c.kernel, int(c.p.NTiles+7)/8, 0, kernels.Bytes(&c.p))
	}
	b.Launch(kernels.SumTiles, int(c.g.NQueries+7)/8, 0, kernels.Bytes(&c.g))
	b.Launch(kernels.ScanQueries, 1, 0, kernels.Bytes(&c.g))
	b.Launch(kernels.GatherDocs, int(c.g.NTiles+7)/8, 0, kernels.Bytes(&c.g))
	b.CopyOut(c.st.Out[:4*(c.slots+1)], c.st.OutDev)
	if c.step != nil {
		b.CopyOut(c.st.Out[c.headAt():][:4*c.step.head], c.step.to)
	}
}

// headAt returns where a step's first docIDs are in Out: after the starts.
func (c *Conjunction) headAt() int { return (4*(c.slots+1) + 15) &^ 15 }

// enter begins a call; c.x.leave ends it.
func (c *Conjunction) enter() error {
	if err := c.x.enter(); err != nil {
		return err
	}
	if c.closed {
		c.x.leave()
		return ErrClosed
	}
	return nil
}

// Start submits the batch and returns without waiting for it. Call Finish to get the
// results.
func (c *Conjunction) Start() error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.x.leave()
	c.started = true
	return c.x.dev.Submit(&c.st.Batch)
}

// Matches are the docIDs of a Conjunction's queries.
type Matches struct {
	starts, docs []uint32
	order        []int
}

// Of returns the docIDs of query i in ascending order. i is the index of the query in the
// slice given to NewConjunction.
func (m Matches) Of(i int) []uint32 {
	at := m.order[i]
	return m.docs[m.starts[at]:m.starts[at+1]]
}

// Finish waits for the batch submitted by Start and returns its docIDs, which are valid
// until the next Start or Close. Without a preceding Start it returns ErrNotStarted.
func (c *Conjunction) Finish() (m Matches, err error) {
	if err := c.enter(); err != nil {
		return m, err
	}
	defer c.x.leave()
	if !c.started {
		return m, ErrNotStarted
	}
	c.started = false
	if err := c.x.dev.Wait(c.st.stream); err != nil {
		return m, err
	}
	m = Matches{starts: format.Uint32s(c.st.Out[:4*(c.slots+1)]), order: c.order}
	at := int(c.g.Out - c.st.OutDev)
	n := int(min(m.starts[c.slots], c.g.Limit))
	m.docs = format.Uint32s(c.st.Out[at : at+4*n])
	b := cuda.Batch{Stream: c.st.stream}
	b.CopyOut(c.st.Out[at:at+4*n], c.g.Out)
	if err := c.x.dev.Submit(&b); err != nil {
		return m, err
	}
	return m, c.x.dev.Wait(c.st.stream)
}

// second returns the slot of a plan's second list, or 0 if it is not resident.
func (p *plan) second(segments int) uint32 {
	if len(p.lists) < 2*segments {
		return 0
	}
	for _, o := range p.lists[segments : 2*segments] {
		if r := o.want.List; r != nil {
			return r.Slot
		}
	}
	return 0
}

// Close waits for a submitted batch and frees the Conjunction's memory. Closing the
// Executor does the same. Further calls do nothing.
func (c *Conjunction) Close() {
	if c.enter() != nil {
		return
	}
	defer c.x.leave()
	c.x.mu.Lock()
	delete(c.x.conjunctions, c)
	c.x.mu.Unlock()
	c.free()
}

func (c *Conjunction) free() {
	c.closed = true
	if c.started {
		_ = c.x.dev.Wait(c.st.stream) // it uses the buffers
	}
	c.st.Close()
}
