package gpu

import (
	"fmt"
	"math"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Conjunction is a batch of conjunctive queries, prepared in device memory, that returns
// docIDs without scores, as in Ao 2011. It can be run repeatedly. Other batches may evict
// its lists, so use it only with Executors whose lists all fit in device memory. A
// Conjunction is not safe for concurrent use.
type Conjunction struct {
	x       *Executor
	st      stages.Stage
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
		s.size += 256*len(p.lists) + 128*len(x.docs.Views)
		for seg := range x.docs.Views {
			if p.done { // one of its terms does not occur
				break
			}
			n, ok := p.conjunctive(seg, len(x.docs.Views))
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

// merging is the state of a Conjunction that intersects decoded lists.
type merging struct {
	spread  kernels.DecodeParams
	merge   kernels.MergeParams
	collect kernels.CollectParams
	hits    kernels.Ptr
	room    int64 // of hits
}

// launch enqueues the kernels.
func (m *merging) launch(b *cuda.Batch) {
	b.Launch(kernels.SpreadDocs, int(m.spread.NTiles+7)/8, 0, kernels.Bytes(&m.spread))
	b.Fill(m.hits, m.room)
	b.Launch(kernels.MergePath, int(m.merge.NTiles), 0, kernels.Bytes(&m.merge))
	b.Launch(kernels.CollectHits, int(m.collect.NTiles+7)/8, 0, kernels.Bytes(&m.collect))
}

// step makes a Conjunction the intersection of one query's intermediate result, or first
// list, with another list.
type step struct {
	descs  []kernels.ListDesc // of the intermediate result
	to     kernels.Ptr        // where the docIDs go
	head   int64              // docIDs that are copied to the host at once
	blocks int64              // of the first list
}

// run returns the number of blocks of a tile: few enough to occupy the device, and no more than in a
// batch.
func (c *step) run() uint32 {
	run := uint32(1)
	for run < tileRun && c.blocks/int64(run) > andTiles {
		run *= 2
	}
	return run
}

// maxHead is the maximum of step.head. A short intermediate result is with the host as
// soon as its length is, and moving it to the CPU costs nothing more.
const maxHead = 4096

func (c *Conjunction) free() {
	c.closed = true
	if c.started {
		_ = c.x.dev.Wait(c.st.Stream) // it uses the buffers
	}
	c.st.Close()
}
