package gpuload

import (
	"slices"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/kernels"
)

// overflowKeys is how many keys beyond the postings of its first list a query of a
// batch may collect; one with more is answered by accumulators instead.
const overflowKeys = 1 << 14

// A first list of longDriver blocks or more is taken in two passes: an eighth of it
// first, whose best keys make a floor for the rest.
const longDriver = 32

// part is a run of blocks of a driver.
type part struct{ query, from, to uint32 }

// pass is one launch of Rank.
type pass struct {
	queries []kernels.QueryDesc
	parts   []part
	blocks  int64
}

// ranked lays out conjunctions, or disjunctions list by list: first a part of the
// postings of each query's first list, whose best keys make a floor, then the rest of
// it, which makes a better one, then the other lists.
func (l *batch) ranked(size int) error {
	st := l.st
	caps := l.rankedChores()
	tiles := 0
	var keys int64
	for i, p := range l.plans {
		keys += caps[i]
		for j := range p.lists {
			if p.lists[j].n > 0 {
				tiles += int(blocksOf(&p.lists[j]))
			}
		}
	}
	outKeys, outBytes := l.outLayout()
	if err := l.reserve(size+12*(tiles+3*len(l.chores))+64*3*len(l.chores)+256*len(l.plans)+4096, 8*keys+1024, outBytes); err != nil {
		return err
	}
	zeros, counts := layout.Space[uint32](st.Buffers, len(l.plans))
	clear(zeros)
	floors := l.floors()
	outs := make([]kernels.Ptr, len(l.plans))
	for i := range outs {
		outs[i] = st.Scratch(8 * caps[i])
	}
	for i := range l.chores {
		l.addTerms(&l.chores[i])
	}
	l.byLists()
	passes := l.passes(outs, caps)
	terms := layout.Put(st.Buffers, l.terms)
	selects := make([]kernels.Select, len(l.plans))
	for i, p := range l.plans {
		selects[i] = kernels.Select{Keys: outs[i], Counts: counts + kernels.Ptr(4*i), Groups: 1, Stride: uint32(caps[i]), K: uint32(p.k),
			Out: outs[i], OutCount: counts + kernels.Ptr(4*i), Floor: floors + kernels.Ptr(8*i)}
	}
	launches := []func(){l.launch(&passes[0], terms, counts, floors)}
	for i := range passes[1:] {
		if s := &passes[1+i]; len(s.parts) > 0 {
			launches = append(launches, l.selection(selects), l.launch(s, terms, counts, floors))
		}
	}
	l.toOut(selects, outKeys)
	launches = append(launches, l.selection(selects))
	return l.finish(outKeys, launches...)
}

// rankedChores makes the chores, and returns how many keys each plan may collect.
func (l *batch) rankedChores() (caps []int64) {
	x := l.x
	caps = make([]int64, len(l.plans))
	for slot, p := range l.plans {
		for s := range x.views {
			if _, ok := x.conjunctive(p, s); !ok && (l.conjunctive || x.occurs(p, s) == 0) {
				continue
			}
			l.chores = append(l.chores, chore{plan: p, seg: s, slot: slot})
			caps[slot] += x.firstOf(p, s)
		}
		if !l.conjunctive && len(p.weights) > 1 {
			caps[slot] += x.options.overflow
		}
	}
	return caps
}

// passes divides the chores' drivers among the launches of Rank. outs and caps are where
// the keys of each plan go, and how many there may be.
func (l *batch) passes(outs []kernels.Ptr, caps []int64) (passes [3]pass) {
	descs := l.queries()
	passes[0].grow(len(l.chores))
	for i := range l.chores {
		c := &l.chores[i]
		d := descs[i]
		d.Out, d.Cap = outs[c.slot], uint32(caps[c.slot])
		for t, o := range c.drive {
			nb := blocksOf(o)
			d.Driver = uint32(t)
			switch {
			case t > 0 && l.conjunctive:
			case t > 0:
				passes[2].add(d, 0, nb)
			case nb >= longDriver:
				passes[0].add(d, 0, nb/8)
				passes[1].add(d, nb/8, nb)
			default:
				passes[0].add(d, 0, nb)
			}
		}
	}
	return passes
}

// maxTiles is about how many tiles a pass has: enough to fill all warps of a device several
// times, and few enough that what passes a tile's sieve fills a warp.
const maxTiles = 1 << 13

// byLists orders the chores by their second lists, so that warps that run at the
// same time look into the same lists and find their blocks in L2.
func (l *batch) byLists() {
	order := make([]uint64, len(l.chores))
	for i := range l.chores {
		if c := &l.chores[i]; c.terms > 1 {
			order[i] = uint64(l.terms[c.first+1].List) << 32
		}
		order[i] |= uint64(i)
	}
	slices.Sort(order)
	sorted := make([]chore, len(l.chores))
	for i, o := range order {
		sorted[i] = l.chores[uint32(o)]
	}
	l.chores = sorted
}

func (s *pass) grow(n int) {
	s.parts, s.queries = make([]part, 0, n), make([]kernels.QueryDesc, 0, n)
}

func (s *pass) add(q kernels.QueryDesc, from, to uint32) {
	s.parts = append(s.parts, part{uint32(len(s.queries)), from, to})
	s.queries = append(s.queries, q)
	s.blocks += int64(to - from)
}

// launch lays a pass out and returns its launch.
func (l *batch) launch(s *pass, terms, counts, floors kernels.Ptr) func() {
	required := uint32(0)
	if l.conjunctive {
		required = 1
	}
	run := uint32(1)
	for s.blocks/int64(run) > maxTiles && run < 32 {
		run *= 2
	}
	n := 0
	for _, o := range s.parts {
		n += int((o.to - o.from + run - 1) / run)
	}
	tiles, at := layout.Space[kernels.RankTile](l.st.Buffers, n)
	for _, o := range s.parts {
		for b := o.from; b < o.to; b += run {
			tiles[0] = kernels.RankTile{Query: o.query, First: b, End: o.to}
			tiles = tiles[1:]
		}
	}
	p := kernels.RankParams{Lists: l.x.lists.table, Queries: layout.Put(l.st.Buffers, s.queries), Terms: terms, Tiles: at,
		Counts: counts, Floors: floors, Codes: l.x.codes, NTiles: uint32(n), Run: run, Required: required,
		Locate: l.x.options.locate}
	k := kernels.For(kernels.RankDocs, l.codecs)
	return func() { l.st.Batch.Launch(k, (n+7)/8, 0, kernels.Bytes(&p)) }
}

// firstOf returns how many postings the first list of a plan in a segment has.
func (x *Executor) firstOf(p *plan, seg int) int64 {
	for t := range p.weights {
		if n := p.lists[t*len(x.views)+seg].n; n > 0 {
			return int64(n)
		}
	}
	return 0
}
