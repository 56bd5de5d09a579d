package gpuload

import (
	"context"
	"errors"
	"fmt"

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
	queries int
	// Postings is how many postings the first lists have together.
	Postings int64
}

// NewConjunction lays queries out for a stream.
func (x *Executor) NewConjunction(ctx context.Context, queries []query.Query, stream int) (c *Conjunction, err error) {
	if stream < 0 || stream >= Streams {
		return nil, fmt.Errorf("gpuload: no stream %d", stream)
	}
	plans := x.resolve(queries)
	x.mu.Lock()
	defer x.mu.Unlock()
	c = &Conjunction{x: x, queries: len(queries), st: stage{dev: x.dev, zoneFirst: x.stages[stream&1].zoneFirst}}
	c.st.reset(stream)
	defer func() {
		if err != nil {
			c.Close()
			c = nil
		}
	}()
	use := make([]*plan, len(plans))
	for i := range plans {
		if plans[i].err != nil {
			return c, fmt.Errorf("query %d: %w", i, plans[i].err)
		}
		use[i] = &plans[i]
	}
	x.epoch++
	if err := x.bring(ctx, use); err != nil {
		return c, err
	}
	return c, c.layOut(use)
}

func (c *Conjunction) layOut(plans []*plan) error {
	x, st := c.x, &c.st
	l := &layout{x: x, st: st, plans: plans}
	size, stride := 1024+4*len(plans), uint32(128)
	var tiles []kernels.Tile
	first := make([]uint32, 0, len(plans)+1)
	for i, p := range plans {
		first = append(first, uint32(len(tiles)))
		if p.cpu || !x.usable(p) {
			return fmt.Errorf("query %d: %w", i, ErrUnsupported)
		}
		size += 160*len(p.lists) + 128*len(x.segments)
		for s := range x.segments {
			n, ok := x.conjunctive(p, s)
			if p.done || !ok {
				continue
			}
			c.Postings += int64(n)
			o := &p.lists[s]
			for b := range blocksOf(o) {
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
	room := int64(len(tiles)) * int64(stride)
	if err := errors.Join(st.reserveIn(size+8*len(tiles)), st.reserveOut(4*(len(plans)+1)+4*int(room)+64),
		st.reserveWork(4*room+8*int64(len(tiles))+8*int64(len(plans))+256)); err != nil {
		return err
	}
	for i := range l.chores {
		ch := &l.chores[i]
		ch.first, ch.terms = l.addTerms(ch.plan, ch.seg)
	}
	c.p = kernels.IntersectParams{Lists: x.lists.table, Queries: put(st, l.queries()), Terms: put(st, l.terms),
		Tiles: put(st, tiles), Counts: st.scratch(4 * int64(len(tiles))), Out: st.scratch(4 * room),
		NTiles: uint32(len(tiles)), Stride: stride, Locate: x.options.Locate}
	starts := (4*(len(plans)+1) + 15) &^ 15
	c.g = kernels.GatherParams{In: c.p.Out, Counts: c.p.Counts, QueryTiles: put(st, first),
		TileStarts: st.scratch(4 * int64(len(tiles))), Totals: st.scratch(4 * int64(len(plans))), Starts: st.outDev,
		Out: st.outDev + Ptr(starts), NQueries: uint32(len(plans)), NTiles: uint32(len(tiles)), Stride: stride,
		Limit: uint32(room)}
	l.send()
	c.launch()
	return nil
}

// launch enqueues the kernels and the copy of where each query's docIDs start.
func (c *Conjunction) launch() {
	b := &c.st.batch
	b.Launch(kernels.IntersectDocs, int(c.p.NTiles+7)/8, 0, kernels.Bytes(&c.p))
	b.Launch(kernels.SumTiles, int(c.g.NQueries+7)/8, 0, kernels.Bytes(&c.g))
	b.Launch(kernels.ScanQueries, 1, 0, kernels.Bytes(&c.g))
	b.Launch(kernels.GatherDocs, int(c.g.NTiles+7)/8, 0, kernels.Bytes(&c.g))
	b.CopyOut(c.st.out[:4*(c.queries+1)], c.st.outDev)
}

// Start submits the batch: descriptors to the device, kernels, starts back.
func (c *Conjunction) Start() error { return c.x.dev.Submit(&c.st.batch) }

// Finish waits and fetches the docIDs. docs[starts[i]:starts[i+1]] are query i's,
// valid until the next Start.
func (c *Conjunction) Finish() (starts, docs []uint32, err error) {
	if err := c.x.dev.Wait(c.st.stream); err != nil {
		return nil, nil, err
	}
	starts = format.Uint32s(c.st.out[:4*(c.queries+1)])
	at := int(c.g.Out - c.st.outDev)
	n := int(min(starts[c.queries], c.g.Limit))
	b := Batch{Stream: c.st.stream}
	b.CopyOut(c.st.out[at:at+4*n], c.g.Out)
	if err := c.x.dev.Submit(&b); err != nil {
		return nil, nil, err
	}
	if err := c.x.dev.Wait(c.st.stream); err != nil {
		return nil, nil, err
	}
	return starts, format.Uint32s(c.st.out[at : at+4*n]), nil
}

// Close frees the batch's buffers.
func (c *Conjunction) Close() { c.st.close() }
