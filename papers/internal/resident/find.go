package resident

import (
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// MaxLevels is the greatest number of levels of recursion of Parallel Merge Find.
const MaxLevels = 4

// ratio is the number of splitters of a level between two of the level before. The paper
// does not give it.
const ratio = 16

// finder has room for the levels of Parallel Merge Find.
type finder struct {
	splitters [MaxLevels]kernels.Ptr // by stride: ratio^(i+1)
	positions kernels.Ptr
}

func newFinder(m *Memory, na int) *finder {
	f := &finder{positions: m.Room(4 * na)}
	stride := 1
	for i := range f.splitters {
		stride *= ratio
		f.splitters[i] = m.Room(4 * (blocks(na, stride) + 1))
	}
	return f
}

// launch finds a in b with levels of recursion; 0 is the direct algorithm. p has what does
// not depend on the level.
func (f *finder) launch(g *cuda.Batch, p own.FindParams, levels int) {
	stride := 1
	for range levels {
		stride *= ratio
	}
	p.From, p.Parent = 0, 1
	for l := levels; l >= 0; l-- {
		p.Stride, p.To = uint32(stride), f.positions
		if l > 0 {
			p.To = f.splitters[l-1]
		}
		g.Launch(own.Find, blocks(blocks(int(p.NA), stride)+1, 256), 0, kernels.Bytes(&p))
		p.From, p.Parent = p.To, p.Stride
		stride /= ratio
	}
}

// compaction has room for the counts of tiles.
type compaction struct{ counts, starts kernels.Ptr }

func newCompaction(m *Memory, n int) compaction {
	tiles := blocks(n, own.KeepTile)
	return compaction{m.Room(4 * tiles), m.Room(4 * (tiles + 1))}
}

// scan launches the scan of the counts of n elements and returns where the total is.
func (c compaction) scan(g *cuda.Batch, n int) kernels.Ptr {
	tiles := blocks(n, own.KeepTile)
	g.Launch(kernels.ScanQueries, 1, 0, kernels.Bytes(&kernels.GatherParams{Totals: c.counts, Starts: c.starts, NQueries: uint32(tiles)}))
	return c.starts + kernels.Ptr(4*tiles)
}

// Pair is two uncompressed lists on the device, with what intersecting them takes.
type Pair struct {
	m        *Memory
	find     own.FindParams
	keep     own.KeepParams
	finder   *finder
	compact  compaction
	n, found []byte
}

// NewPair copies two lists to the device; a is the shorter one.
func NewPair(m *Memory, a, b []uint32) *Pair {
	p := &Pair{m: m, finder: newFinder(m, len(a)), compact: newCompaction(m, len(a)), n: m.Pinned(4), found: m.Pinned(4 * len(a))}
	p.find = own.FindParams{A: m.Put(kernels.Slice(a)), B: m.Put(kernels.Slice(b)), NA: uint32(len(a)), NB: uint32(len(b))}
	p.keep = own.KeepParams{A: p.find.A, B: p.find.B, Positions: p.finder.positions, Counts: p.compact.counts, Starts: p.compact.starts,
		Out: m.Room(4 * len(a)), NA: p.find.NA, NB: p.find.NB}
	return p
}

// PairTimes are what an intersection took, in seconds.
type PairTimes struct {
	Find    float64 // between events
	Compact float64
	Whole   float64 // launches, waiting and the copy of the result
}

// Intersect intersects with that many levels of recursion.
func (p *Pair) Intersect(levels int) (found []uint32, t PairTimes, err error) {
	var g cuda.Batch
	na := int(p.find.NA)
	start := time.Now()
	g.Record(0)
	p.finder.launch(&g, p.find, levels)
	g.Record(1)
	tiles := blocks(na, own.KeepTile)
	g.Launch(own.Count, tiles, 0, kernels.Bytes(&p.keep))
	total := p.compact.scan(&g, na)
	g.Launch(own.Keep, tiles, 0, kernels.Bytes(&p.keep))
	g.Record(2)
	g.CopyOut(p.n, total)
	if _, err = p.m.Run(&g); err != nil {
		return nil, t, err
	}
	n := format.Uint32s(p.n)[0]
	var out cuda.Batch
	out.CopyOut(p.found[:4*n], p.keep.Out)
	if _, err = p.m.Run(&out); err != nil {
		return nil, t, err
	}
	t.Whole = time.Since(start).Seconds()
	t.Find, t.Compact = p.m.Between(0, 1), p.m.Between(1, 2)
	return format.Uint32s(p.found[:4*n]), t, p.m.Err()
}
