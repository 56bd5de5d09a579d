package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// ErrNotStarted is returned by Conjunction.Finish without a preceding Start.
var ErrNotStarted = errors.New("gpuload: conjunction not started")

// NewConjunction prepares queries for a stream, 0 to 7; Conjunctions on different streams
// can overlap. K of the queries is ignored, and without a Node their Mode. A Node must be a conjunction of terms, of one
// field or of several; Text that is searched in several fields is none. The error matches ErrUnsupported for other
// queries, and for those that the device cannot answer; Options.CPU is not used.
func (x *Executor) NewConjunction(ctx context.Context, queries []search.Query, stream int, how Strategy) (*Conjunction, error) {
	if how >= strategyCount {
		return nil, fmt.Errorf("%w: gpuload: no %v", query.ErrInvalid, how)
	}
	if stream < 0 || stream >= stages.Count {
		return nil, fmt.Errorf("%w: gpuload: no stream %d", query.ErrInvalid, stream)
	}
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	ctx = orBackground(ctx)
	if err := x.state.await(ctx); err != nil {
		return nil, err
	}
	queries, err := x.complete(queries)
	if err != nil {
		return nil, err
	}
	c := &Conjunction{x: x, st: stages.Stage{Buffers: layout.NewBuffers(x.dev, new(layout.Peak)), Stream: stream,
		ZoneFirst: x.stages.All[stream].ZoneFirst}}
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
func (c *Conjunction) prepare(ctx context.Context, queries []search.Query, how Strategy) error {
	x := c.x
	queries = slices.Clone(queries)
	for i := range queries {
		if queries[i].After != nil {
			return fmt.Errorf("query %d: %w", i, ReasonAfter.unsupported())
		}
		if queries[i].Total {
			return fmt.Errorf("query %d: %w", i, reasonTotal.unsupported())
		}
		queries[i].Params = query.Params{} // nothing is scored
		if queries[i].K = 1; queries[i].Node == nil {
			queries[i].Mode = query.ModeAnd
		}
	}
	plans := x.resolve(queries)
	use, smalls := make([]*plan, len(plans)), 0
	for i := range plans {
		if plans[i].err != nil {
			return fmt.Errorf("query %d: %w", i, plans[i].err)
		}
		if p := &plans[i]; p.clauses != nil || p.mode != query.ModeAnd && len(p.weights) > 1 {
			return fmt.Errorf("query %d, a Node of mode %v: %w", i, p.mode, ErrUnsupported)
		}
		use[i] = &plans[i]
		smalls += plans[i].weight.smalls
	}
	if smalls > stages.Zone {
		return fmt.Errorf("gpuload: a batch of docIDs has %d lists without an extent, %d are the most: %w", smalls, stages.Zone, ErrUnsupported)
	}
	if err := x.bring(ctx, use, x.stages.Next()); err != nil {
		return err
	}
	for i, p := range use {
		switch {
		case p.why != OnDevice:
		case p.ask != nil:
			p.why = reasonTable
		case !p.usable():
			p.why = reasonMisfit
		}
		if p.why != OnDevice {
			return fmt.Errorf("query %d: %w", i, p.refusal(x.lists))
		}
	}
	if how == Auto {
		how = choose(use, len(x.docs.Views))
	}
	return c.layOut(use, how)
}

// Postings returns the total number of postings in the first lists of the queries.
func (c *Conjunction) Postings() int64 { return c.first }

// layOut divides the first lists into tiles, which are runs of blocks, and prepares the
// batch. All lists of the plans are on the device.
func (c *Conjunction) layOut(plans []*plan, how Strategy) error {
	x, st := c.x, &c.st
	// Queries that read the same list run at the same time, so that they find its blocks
	// in L2.
	slices.SortStableFunc(plans, func(a, b *plan) int { return cmp.Compare(a.second(len(x.docs.Views)), b.second(len(x.docs.Views))) })
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
	if err := x.stages.Room(st, s.size+8*len(s.tiles), 4*room+8*int64(len(s.tiles))+8*int64(c.slots)+256, c.outSize(room)); err != nil {
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
	if err := c.x.dev.Wait(c.st.Stream); err != nil {
		return m, err
	}
	m = Matches{starts: format.Uint32s(c.st.Out[:4*(c.slots+1)]), order: c.order}
	at := int(c.g.Out - c.st.OutDev)
	n := int(min(m.starts[c.slots], c.g.Limit))
	m.docs = format.Uint32s(c.st.Out[at : at+4*n])
	b := cuda.Batch{Stream: c.st.Stream}
	b.CopyOut(c.st.Out[at:at+4*n], c.g.Out)
	if err := c.x.dev.Submit(&b); err != nil {
		return m, err
	}
	return m, c.x.dev.Wait(c.st.Stream)
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
