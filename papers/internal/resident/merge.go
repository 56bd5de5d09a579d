package resident

import (
	"math"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// stored is a compressed list in pinned host memory, and room for it on the device.
type stored struct {
	payload, ends, last       []byte
	atPayload, atEnds, atLast kernels.Ptr
	list                      kernels.Ptr
	n, nb                     int
}

func store(m *Memory, c codec.Codec, docs []uint32) (*stored, error) {
	s := &stored{n: len(docs), nb: blocks(len(docs), 128)}
	ends, last := make([]uint32, s.nb+1), make([]uint32, s.nb)
	b, err := c.AppendDocs(nil, ends, docs)
	if err != nil {
		return nil, err
	}
	for j := range last {
		last[j] = docs[min(128*j+128, len(docs))-1]
	}
	hold := func(b []byte) ([]byte, kernels.Ptr) {
		h := m.Pinned(len(b))
		copy(h, b)
		return h, m.Put(b)
	}
	words := len(b) / 4
	s.payload, s.atPayload = hold(pad(b))
	s.ends, s.atEnds = hold(kernels.Slice(ends))
	s.last, s.atLast = hold(kernels.Slice(last))
	d := kernels.ListDesc{Docs: s.atPayload, DocEnds: s.atEnds, Freqs: s.atPayload, FreqEnds: s.atEnds, Last: s.atLast, N: uint32(s.n), Blocks: uint32(s.nb),
		DocWords: uint32(words), FreqWords: uint32(words), DocsCodec: uint8(c.ID()), FreqsCodec: uint8(c.ID()), LogBlock: 7, MaxDoc: 1 << 31}
	s.list = m.Put(kernels.Bytes(&d))
	return s, m.Err()
}

// copyIn copies the list to the device, and returns the bytes.
func (s *stored) copyIn(g *cuda.Batch) {
	s.copyHead(g)
	g.CopyIn(s.atPayload, s.payload)
}

// copyHead copies endpoints and skip header.
func (s *stored) copyHead(g *cuda.Batch) {
	g.CopyIn(s.atEnds, s.ends)
	g.CopyIn(s.atLast, s.last)
}

// Compressed is two compressed lists whose intersection is timed alone, as Griffin 2018 does
// in sections 3.2 and 4.3.2: with or without the copies of the lists.
type Compressed struct {
	m                    *Memory
	a, b                 *stored
	docsA, docsB         kernels.Ptr // decoded
	hits                 kernels.Ptr
	finder               *finder
	heads, compact       compaction
	needed, ranks, where kernels.Ptr
	tiles, job           kernels.Ptr
	nTiles               int
	out                  kernels.Ptr
	n, list, found       []byte
}

// NewCompressed encodes two lists in a codec with blocks of 128; a is the shorter one.
func NewCompressed(m *Memory, c codec.Codec, a, b []uint32) (x *Compressed, err error) {
	x = &Compressed{m: m, finder: newFinder(m, len(a)), heads: newCompaction(m, len(a)), compact: newCompaction(m, len(a)),
		needed: m.Room(4 * len(a)), ranks: m.Room(4 * len(a)), where: m.Room(4 * len(a)), hits: m.Room(4 * len(a)), out: m.Room(4 * len(a)),
		docsA: m.Room(512 * blocks(len(a), 128)), docsB: m.Room(512 * blocks(len(b), 128)),
		n: m.Pinned(4), list: m.Pinned(4 * len(a)), found: m.Pinned(4 * len(a))}
	if x.a, err = store(m, c, a); err != nil {
		return nil, err
	}
	if x.b, err = store(m, c, b); err != nil {
		return nil, err
	}
	var tiles []kernels.Tile
	for at := 0; at < len(a)+len(b); at += kernels.MergeTile {
		tiles = append(tiles, kernels.Tile{First: uint32(at)})
	}
	x.nTiles, x.tiles = len(tiles), m.Put(kernels.Slice(tiles))
	x.job = m.Put(kernels.Bytes(&kernels.MergeJob{A: x.docsA, B: x.docsB, Hits: x.hits, NA: uint32(len(a)), NB: uint32(len(b))}))
	return x, m.Err()
}

func (x *Compressed) decode(g *cuda.Batch, s *stored, to kernels.Ptr) {
	g.Launch(own.Decode, blocks(s.nb, 8), 0, kernels.Bytes(&own.BlockParams{List: s.list, Docs: to, N: uint32(s.nb)}))
}

// keep launches the compaction of a's docIDs whose position is below limit, and returns where
// their number is.
func (x *Compressed) keep(g *cuda.Batch, positions kernels.Ptr, limit uint32) kernels.Ptr {
	p := own.KeepParams{A: x.docsA, Positions: positions, Counts: x.compact.counts, Starts: x.compact.starts, Out: x.out, NA: uint32(x.a.n), NB: limit}
	tiles := blocks(x.a.n, own.KeepTile)
	g.Launch(own.Count, tiles, 0, kernels.Bytes(&p))
	total := x.compact.scan(g, x.a.n)
	g.Launch(own.Keep, tiles, 0, kernels.Bytes(&p))
	return total
}

// finish copies the result out.
func (x *Compressed) finish(g *cuda.Batch, total kernels.Ptr) ([]uint32, error) {
	g.CopyOut(x.n, total)
	if _, err := x.m.Run(g); err != nil {
		return nil, err
	}
	n := format.Uint32s(x.n)[0]
	var out cuda.Batch
	out.CopyOut(x.found[:4*n], x.out)
	_, err := x.m.Run(&out)
	return format.Uint32s(x.found[:4*n]), err
}

// Merge decodes both lists and merges them by MergePath (section 3.1.2). transfer says whether
// the lists are copied to the device first. It returns the docIDs and the seconds.
func (x *Compressed) Merge(transfer bool) ([]uint32, float64, error) {
	var g cuda.Batch
	start := time.Now()
	if transfer {
		x.a.copyIn(&g)
		x.b.copyIn(&g)
	}
	x.decode(&g, x.a, x.docsA)
	x.decode(&g, x.b, x.docsB)
	g.FillWords(x.hits, math.MaxUint32, int64(4*x.a.n)) // a hit adds one, which gives 0
	g.Launch(kernels.MergePath, x.nTiles, 0, kernels.Bytes(&kernels.MergeParams{Jobs: x.job, Tiles: x.tiles, NTiles: uint32(x.nTiles)}))
	found, err := x.finish(&g, x.keep(&g, x.hits, 1))
	return found, time.Since(start).Seconds(), err
}

// Search decodes the shorter list, searches for each docID in the skip header of the longer
// one, decodes the blocks that are needed, and searches in these. With a transfer the needed
// blocks alone are copied, once the host knows them (section 3.1.2).
func (x *Compressed) Search(transfer bool) ([]uint32, float64, error) {
	var g cuda.Batch
	start := time.Now()
	if transfer {
		x.a.copyIn(&g)
		x.b.copyHead(&g)
	}
	x.decode(&g, x.a, x.docsA)
	na, nb := x.a.n, x.b.nb
	x.finder.launch(&g, own.FindParams{A: x.docsA, B: x.b.atLast, NA: uint32(na), NB: uint32(nb)}, 0)
	tiles := blocks(na, own.KeepTile)
	heads := own.HeadParams{Blocks: x.finder.positions, Counts: x.heads.counts, Starts: x.heads.starts, Out: x.needed, Ranks: x.ranks, NA: uint32(na), NB: uint32(nb)}
	g.Launch(own.CountHeads, tiles, 0, kernels.Bytes(&heads))
	total := x.heads.scan(&g, na)
	g.Launch(own.PlaceHeads, tiles, 0, kernels.Bytes(&heads))
	if transfer {
		g.CopyOut(x.n, total)
		g.CopyOut(x.list[:4*min(na, nb)], x.needed)
		if _, err := x.m.Run(&g); err != nil {
			return nil, 0, err
		}
		g.Reset()
		x.copyBlocks(&g, format.Uint32s(x.list)[:format.Uint32s(x.n)[0]])
	}
	g.Launch(own.Decode, blocks(min(na, nb), 8), 0, kernels.Bytes(&own.BlockParams{List: x.b.list, Blocks: x.needed, Count: total, Docs: x.docsB}))
	g.Launch(own.Within, blocks(na, 256), 0, kernels.Bytes(&own.WithinParams{A: x.docsA, Blocks: x.finder.positions, Ranks: x.ranks, Docs: x.docsB,
		Positions: x.where, NA: uint32(na), NB: uint32(nb)}))
	found, err := x.finish(&g, x.keep(&g, x.where, math.MaxUint32))
	return found, time.Since(start).Seconds(), err
}

// gap is how many words between two needed blocks are copied with them: a copy costs as much
// as 50 KB of a longer one.
const gap = 50_000 / 4

// copyBlocks copies the payloads of blocks of the longer list, near ones together.
func (x *Compressed) copyBlocks(g *cuda.Batch, needed []uint32) {
	ends := format.Uint32s(x.b.ends)
	from, to := uint32(0), ends[0] // the list's header
	flush := func() {
		if to > from {
			// Decoders read some words beyond a block.
			g.CopyIn(x.b.atPayload+kernels.Ptr(4*from), x.b.payload[4*from:min(4*int(to)+format.ReadablePadding, len(x.b.payload))])
		}
	}
	for _, j := range needed {
		if lo := ends[j]; lo > to+gap {
			flush()
			from = lo
		}
		to = ends[j+1]
	}
	flush()
}
