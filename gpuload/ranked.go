package gpuload

import (
	"slices"

	"github.com/pinion-index/pinion/kernels"
)

// overflowKeys is how many keys beyond the postings of its first list a query of a
// batch may collect; one with more is answered by accumulators instead.
const overflowKeys = 1 << 14

// pass is one launch of Rank.
type pass struct {
	queries []kernels.QueryDesc
	drivers []*posting
	blocks  int64
}

// ranked lays out conjunctions, or disjunctions list by list: first the postings of
// each query's first list, whose best keys make a floor, then those of the others.
func (l *layout) ranked(size int) error {
	x, st, conjunctive := l.x, l.st, l.conjunctive
	caps := make([]int64, len(l.plans))
	for slot, p := range l.plans {
		for s := range x.segments {
			if _, ok := x.conjunctive(p, s); !ok && (conjunctive || x.occurs(p, s) == 0) {
				continue
			}
			l.chores = append(l.chores, chore{plan: p, seg: s, slot: slot})
			caps[slot] += x.firstOf(p, s)
		}
		if !conjunctive && len(p.weights) > 1 {
			caps[slot] += overflowKeys
		}
	}
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
	n := int64(len(l.plans))
	if err := l.reserve(size+8*min(tiles, maxTiles+2*len(l.chores)*8)+16*tiles/32+160*len(l.plans)+4096, 12*n+8*keys+1024, outBytes); err != nil {
		return err
	}
	counts, floors := st.scratch(4*n), st.scratch(8*n)
	outs := make([]Ptr, len(l.plans))
	for i := range outs {
		outs[i] = st.scratch(8 * caps[i])
	}
	for i := range l.chores {
		l.addTerms(&l.chores[i])
	}
	l.byLists()
	var passes [2]pass
	passes[0].queries = make([]kernels.QueryDesc, 0, len(l.chores))
	passes[0].drivers = make([]*posting, 0, len(l.chores))
	descs := l.queries()
	for i := range l.chores {
		c := &l.chores[i]
		d := descs[i]
		d.Out, d.Cap = outs[c.slot], uint32(caps[c.slot])
		for t, o := range c.drive {
			if t > 0 && conjunctive {
				break
			}
			d.Driver = uint32(t)
			passes[min(t, 1)].add(d, o)
		}
	}
	terms := put(st, l.terms)
	selects := make([]kernels.Select, len(l.plans))
	for i, p := range l.plans {
		selects[i] = kernels.Select{Keys: outs[i], Counts: counts + Ptr(4*i), Groups: 1, Stride: uint32(caps[i]), K: uint32(p.k),
			Out: outs[i], OutCount: counts + Ptr(4*i), Floor: floors + Ptr(8*i)}
	}
	required := uint32(0)
	if conjunctive {
		required = 1
	}
	launches := []func(){l.launch(&passes[0], terms, counts, floors, required)}
	if len(passes[1].drivers) > 0 {
		launches = append(launches, l.selection(selects), l.launch(&passes[1], terms, counts, floors, required))
	}
	l.toOut(selects, outKeys)
	launches = append(launches, l.selection(selects))
	return l.finish(outKeys, counts, 4*n, floors, launches...)
}

// maxTiles is about how many tiles a pass has: enough for all warps of a device
// several times over.
const maxTiles = 1 << 18

// byLists orders the chores by their second lists, so that warps that run at the
// same time look into the same lists and find their blocks in L2.
func (l *layout) byLists() {
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

func (s *pass) add(q kernels.QueryDesc, driver *posting) {
	s.queries = append(s.queries, q)
	s.drivers = append(s.drivers, driver)
	s.blocks += int64(blocksOf(driver))
}

// launch lays a pass out and returns its launch.
func (l *layout) launch(s *pass, terms, counts, floors Ptr, required uint32) func() {
	run := uint32(1)
	for s.blocks/int64(run) > maxTiles && run < 32 {
		run *= 2
	}
	n := 0
	for _, o := range s.drivers {
		n += int((blocksOf(o) + run - 1) / run)
	}
	tiles, at := spaceFor[kernels.Tile](l.st, n)
	for i, o := range s.drivers {
		for b := uint32(0); b < blocksOf(o); b += run {
			tiles[0] = kernels.Tile{Job: uint32(i), First: b}
			tiles = tiles[1:]
		}
	}
	p := kernels.RankParams{Lists: l.x.lists.table, Queries: put(l.st, s.queries), Terms: terms, Tiles: at,
		Counts: counts, Floors: floors, Codes: l.x.codes, NTiles: uint32(n), Run: run, Required: required,
		Locate: l.x.options.Locate}
	return func() { l.st.batch.Launch(kernels.Rank, (n+7)/8, 0, kernels.Bytes(&p)) }
}

// firstOf returns how many postings the first list of a plan in a segment has.
func (x *Executor) firstOf(p *plan, seg int) int64 {
	for t := range p.weights {
		if n := p.lists[t*len(x.segments)+seg].n; n > 0 {
			return int64(n)
		}
	}
	return 0
}
