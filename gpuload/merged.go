package gpuload

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/kernels"
)

// Strategy is a way to intersect lists. All find the same.
type Strategy uint8

// The ways. Probe looks for the docIDs of the shortest list in the blocks of the others
// that can hold them, and decodes no more; Options.Locate says how blocks are found, or
// the strategy itself. The ways that merge decode all lists of a batch first, each once.
const (
	Auto Strategy = iota // Element, Find1 or Probe, by codecs and lengths
	Probe
	MergePath       // equal shares of the merge, Griffin 2018 section 3.1.2
	Find1           // Parallel Merge Find, Ding 2009 section 7: a search for each docID
	Find2           // splitters of thread blocks first
	Find3           // then of warps
	Find4           // then of threads
	ProbeSkip       // Probe by binary search in the skip header, Ding 2009 section 8
	ProbeRegression // Probe by safe ranges, Ao 2011 section 3.3
	ProbeHash       // Probe by hash buckets, Ao 2011 section 3.4
	Element         // Probe, but lists of the linear-regression codecs by single elements, Ao 2011 section 4.3, Algorithm 1
	StrategyCount   // how many there are
)

var strategyNames = [StrategyCount]string{"auto", "probe", "mergepath", "find1", "find2", "find3", "find4", "skip", "lr", "hash", "element"}

// mergeShare is how many times the length of each decoded list the queries of a batch have
// to go through it for merging to pay.
const mergeShare = 16

// choose returns Element if most postings of longer lists are of a codec that gives single
// elements, Find1 if most have no presence words and each list serves many queries, or
// Probe. On an H200, with 128 to 1,024 queries a list, Find1 answers 1.1 to 1.4 times as
// many as Probe where there are no presence words, and 0.7 of them or fewer where there are.
func (x *Executor) choose(plans []*plan) Strategy {
	var long, lists, elements, bare int64
	seen := map[any]bool{}
	for _, p := range plans {
		if p.done || p.cpu {
			continue
		}
		for s := range x.segments {
			if _, ok := x.conjunctive(p, s); !ok {
				continue
			}
			for t := range p.weights {
				o := &p.lists[t*len(x.segments)+s]
				if !seen[o.source()] {
					seen[o.source()] = true
					lists += int64(o.n)
				}
				if t == 0 {
					continue
				}
				long += int64(o.n)
				if o.small == nil && o.want.list.elements {
					elements += int64(o.n)
				}
				if o.n < x.lists.least {
					bare += int64(o.n)
				}
			}
		}
	}
	switch {
	case 2*elements > long:
		return Element
	case 2*bare > long && lists*mergeShare < long:
		return Find1
	}
	return Probe
}

// merges reports whether lists are decoded and merged.
func (s Strategy) merges() bool { return s >= MergePath && s <= Find4 }

// locate returns how blocks are found.
func (s Strategy) locate(o Options) uint32 {
	if s < ProbeSkip || s > ProbeHash {
		return o.Locate
	}
	return kernels.LocateSkip + uint32(s-ProbeSkip)
}

// String returns the name of a strategy.
func (s Strategy) String() string {
	if s < StrategyCount {
		return strategyNames[s]
	}
	return fmt.Sprintf("strategy(%d)", uint8(s))
}

// merging is the part of a Conjunction that intersects decoded lists.
type merging struct {
	spread  kernels.DecodeParams
	merge   kernels.MergeParams
	collect kernels.CollectParams
	kernel  kernels.Kernel
	hits    Ptr
	room    int64 // of hits
}

// spreadBlocks is how many blocks a warp of SpreadDocs decodes.
const spreadBlocks = 8

// decoded is one list of a batch, decoded once.
type decoded struct {
	o    *posting
	slot uint32
	at   Ptr
}

// source tells a list apart from others of a batch.
func (o *posting) source() any {
	if o.small != nil {
		return o.small
	}
	return o.want.list
}

// layOutMerged lays out what decodes the lists of chores and merges them; first has
// become the first tile of each query, tiles are of 128 docIDs of a first list.
func (c *Conjunction) layOutMerged(l *layout, size int, tiles []kernels.Tile, first []uint32, how Strategy) error {
	x, st := c.x, &c.st
	seen, order := map[any]*decoded{}, []*decoded(nil)
	var lists, hits int64
	spreads, jobs, merges := 0, 0, 0
	for i := range l.chores {
		ch := &l.chores[i]
		na := int64(0)
		for t := range ch.plan.weights {
			o := &ch.plan.lists[t*len(x.segments)+ch.seg]
			if seen[o.source()] == nil {
				d := &decoded{o: o}
				seen[o.source()] = d
				order = append(order, d)
				lists += 4*int64(o.n) + 16
				spreads += int(blocksOf(o)+spreadBlocks-1) / spreadBlocks
			}
			if t == 0 {
				na = int64(o.n)
				continue
			}
			jobs++
			merges += mergeTiles(how, na, int64(o.n))
		}
		hits += 4 * na
	}
	room := int64(len(tiles)) * 128
	size += 8*(len(tiles)+spreads+merges) + 16*len(order) + 40*(jobs+len(l.chores)) + 4096
	if err := errors.Join(st.reserveIn(size), st.reserveOut(4*(len(c.order)+1)+4*int(room)+64),
		st.reserveWork(lists+hits+4*room+8*int64(len(tiles))+8*int64(len(c.order))+512)); err != nil {
		return err
	}
	for i := range l.chores {
		l.addTerms(&l.chores[i])
		ch := &l.chores[i]
		for t, o := range ch.drive {
			seen[o.source()].slot = l.terms[ch.first+t].List
		}
	}
	m := &merging{room: hits, hits: st.scratch(hits), kernel: kernels.MergeFind}
	if how == MergePath {
		m.kernel = kernels.MergePath
	}
	c.mergeJobs(m, l, seen, order, how)
	c.p = kernels.IntersectParams{Counts: st.scratch(4 * int64(len(tiles))), Out: st.scratch(4 * room), NTiles: uint32(len(tiles)), Stride: 128}
	m.collect.Queries, m.collect.Tiles = put(st, l.queries()), put(st, tiles)
	m.collect.Counts, m.collect.Out, m.collect.NTiles = c.p.Counts, c.p.Out, uint32(len(tiles))
	c.merging = m
	c.gather(l, first, room)
	return nil
}

// mergeTiles returns how many thread blocks intersect lists of na and nb docIDs.
func mergeTiles(how Strategy, na, nb int64) int {
	if how == MergePath {
		return int((na + nb + kernels.MergeTile - 1) / kernels.MergeTile)
	}
	return int((na + kernels.FindTile - 1) / kernels.FindTile)
}

// mergeJobs lays out the lists to decode and the pairs to merge.
func (c *Conjunction) mergeJobs(m *merging, l *layout, seen map[any]*decoded, order []*decoded, how Strategy) {
	st := &c.st
	var decodes []kernels.DecodeJob
	var blocks, tiles []kernels.Tile
	for i, d := range order {
		d.at = st.scratch(4 * int64(d.o.n))
		decodes = append(decodes, kernels.DecodeJob{Out: d.at, List: d.slot})
		for b := uint32(0); b < blocksOf(d.o); b += spreadBlocks {
			blocks = append(blocks, kernels.Tile{Job: uint32(i), First: b})
		}
	}
	var jobs, firsts []kernels.MergeJob
	at := m.hits
	for i := range l.chores {
		drive := l.chores[i].drive
		job := kernels.MergeJob{A: seen[drive[0].source()].at, Hits: at, NA: drive[0].n}
		firsts = append(firsts, job)
		for _, o := range drive[1:] {
			job.B, job.NB = seen[o.source()].at, o.n
			step := uint32(kernels.FindTile)
			if how == MergePath {
				step = kernels.MergeTile
			}
			for t := range mergeTiles(how, int64(job.NA), int64(job.NB)) {
				tiles = append(tiles, kernels.Tile{Job: uint32(len(jobs)), First: uint32(t) * step})
			}
			jobs = append(jobs, job)
		}
		at += 4 * Ptr(job.NA)
	}
	m.spread = kernels.DecodeParams{Lists: c.x.lists.table, Jobs: put(st, decodes), Tiles: put(st, blocks),
		NTiles: uint32(len(blocks)), TileBlocks: spreadBlocks}
	m.merge = kernels.MergeParams{Jobs: put(st, jobs), Tiles: put(st, tiles), NTiles: uint32(len(tiles)), Levels: uint32(how-Find1) + 1}
	m.collect.Jobs = put(st, firsts)
}

// launch enqueues the kernels.
func (m *merging) launch(b *Batch) {
	b.Launch(kernels.SpreadDocs, int(m.spread.NTiles+7)/8, 0, kernels.Bytes(&m.spread))
	b.Fill(m.hits, m.room)
	b.Launch(m.kernel, int(m.merge.NTiles), 0, kernels.Bytes(&m.merge))
	b.Launch(kernels.CollectHits, int(m.collect.NTiles+7)/8, 0, kernels.Bytes(&m.collect))
}
