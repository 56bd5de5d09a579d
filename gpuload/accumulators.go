package gpuload

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/kernels"
)

// Accumulation is how disjunctions are answered. All ways find the same.
type Accumulation uint8

// The ways.
const (
	ListByList         Accumulation = iota // floors prune lists; queries with too many candidates as by SharedAccumulators
	SharedAccumulators                     // term by term, accumulators for a range of documents at a time in shared memory
	GlobalAccumulators                     // term by term, an accumulator for every document in device memory: Ding 2009 section 8
	AccumulationCount                      // how many there are
)

var accumulationNames = [AccumulationCount]string{"lists", "shared", "global"}

// String returns the name of a way.
func (a Accumulation) String() string {
	if a < AccumulationCount {
		return accumulationNames[a]
	}
	return fmt.Sprintf("accumulation(%d)", uint8(a))
}

// AccumulationByName returns the way of that name.
func AccumulationByName(name string) (a Accumulation, ok bool) {
	i := slices.Index(accumulationNames[:], name)
	return Accumulation(max(i, 0)), i >= 0
}

// ways says how disjunctions go through run.
var ways = [AccumulationCount]way{byOr, byAccumulators, byGlobalAccumulators}

const (
	scratchBytes = 1 << 30 // Options.Scratch if it is 0
	shareBlocks  = 4       // blocks of a list for a thread block of Accumulate at most, where lists are of like length
	emptyShares  = 1 << 16 // thread blocks that may find nothing to do, where lists differ in length
	collectors   = 1 << 11 // thread blocks of CollectScores at least, if documents suffice
	collectDocs  = 1 << 12 // documents of one at least: what it loads at once
)

// sharing is some of a batch's queries, which have accumulators at the same time.
type sharing struct {
	plan, plans   int // the first, and how many
	chore, chores int
	bytes         int64 // of accumulators
	ranges        int   // of documents, of all chores
}

// accumulators lays out disjunctions with accumulators in device memory: as many queries
// at a time as Options.Scratch has room for, at least one, fewer if the device has less.
// If one alone does not fit, accumulators in shared memory answer the batch.
func (l *layout) accumulators(size int) error {
	x, st := l.x, l.st
	maxk, lists := 0, 0
	for slot, p := range l.plans {
		maxk = max(maxk, p.k)
		lists += len(p.lists)
		for s := range x.segments {
			if x.occurs(p, s) > 0 {
				l.chores = append(l.chores, chore{plan: p, seg: s, slot: slot})
			}
		}
	}
	outKeys, outBytes := l.outLayout()
	var groups []sharing
	var most sharing
	for bound := x.options.Scratch; ; bound = most.bytes / 2 {
		groups, most = l.share(bound), sharing{}
		ranges := 0
		for _, g := range groups {
			most.bytes, most.ranges = max(most.bytes, g.bytes), max(most.ranges, g.ranges)
			ranges += g.ranges
		}
		room := most.bytes + (4+8*int64(maxk))*int64(most.ranges) + 256
		err := l.reserve(size+16*ranges+4*lists+256*len(l.plans)+4096, room, outBytes)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrMemory) {
			return err
		}
		if len(groups) == len(l.plans) {
			l.chores = nil
			return l.disjunctions(size)
		}
	}
	floors := l.floors()
	counts := st.scratch(4 * int64(most.ranges))
	keys := st.scratch(8 * int64(maxk) * int64(most.ranges))
	scores := st.scratch(most.bytes)
	for i := range l.chores {
		l.addTerms(&l.chores[i])
	}
	queries := l.queries()
	selects := make([]kernels.Select, len(l.plans))
	for _, g := range groups {
		at := scores
		for i := g.chore; i < g.chore+g.chores; i++ {
			queries[i].Out = at
			at += Ptr(accumulatorBytes(queries[i].Docs))
		}
	}
	c := kernels.DisjunctParams{Queries: put(st, queries), Keys: keys, Counts: counts, Floors: floors, Keep: uint32(maxk), Buffer: queueSize}
	a := kernels.AccumulateParams{Lists: x.lists.table, Queries: c.Queries, Terms: put(st, l.terms)}
	var steps [][]func()
	for _, g := range groups {
		collect := l.collect(g, c, selects)
		steps = append(steps, append(l.byRank(g, a), collect))
	}
	l.toOut(selects, outKeys)
	var launches []func()
	for i, g := range groups {
		launches = append(launches, func() { st.batch.FillWords(scores, kernels.Untouched, g.bytes) })
		launches = append(launches, steps[i]...)
		launches = append(launches, l.selection(selects[g.plan:g.plan+g.plans]))
	}
	return l.finish(outKeys, launches...)
}

// accumulatorBytes returns what the accumulators of that many documents take:
// CollectScores reads four at a time.
func accumulatorBytes(docs uint32) int64 { return (int64(docs) + 3) / 4 * 16 }

// docs returns how many documents the segment of a chore has.
func (l *layout) docs(c *chore) uint32 { return l.x.segments[c.seg].Segment.Meta().Docs }

// share divides the chores among groups that need at most bound bytes of accumulators,
// or have one plan.
func (l *layout) share(bound int64) (groups []sharing) {
	for i := 0; i < len(l.chores); {
		v := sharing{plan: l.chores[i].slot, plans: 1, chore: i}
		for ; i < len(l.chores) && l.chores[i].slot == v.plan; i++ {
			v.chores++
			v.bytes += accumulatorBytes(l.docs(&l.chores[i]))
		}
		if n := len(groups); n > 0 && groups[n-1].bytes+v.bytes <= bound {
			g := &groups[n-1]
			g.plans, g.chores, g.bytes = g.plans+1, g.chores+v.chores, g.bytes+v.bytes
			continue
		}
		groups = append(groups, v)
	}
	for i := range groups {
		g := &groups[i]
		for j := range l.chores[g.chore : g.chore+g.chores] {
			g.ranges += g.runs(l.docs(&l.chores[g.chore+j]))
		}
	}
	return groups
}

// runs returns into how many ranges the documents of a chore are divided.
func (g *sharing) runs(docs uint32) int {
	return max(1, min(collectors/g.chores, int(docs)/collectDocs))
}

// byRank returns the launches that add the lists of a group's queries: of each its first,
// then of each its second, and so on.
func (l *layout) byRank(g sharing, p kernels.AccumulateParams) (launches []func()) {
	k := kernels.AccumulatePacked
	if l.family != packedFamily {
		k = kernels.Accumulate
	}
	for rank := 0; ; rank++ {
		var parts []uint32
		longest, blocks := 0, 0
		for i := g.chore; i < g.chore+g.chores; i++ {
			if c := &l.chores[i]; rank < c.terms {
				n := int(blocksOf(c.drive[rank]))
				longest, blocks = max(longest, n), blocks+n
				parts = append(parts, uint32(i))
			}
		}
		if len(parts) == 0 {
			return launches
		}
		shares := max(1, min((longest+shareBlocks-1)/shareBlocks, (emptyShares+4*blocks/shareBlocks)/len(parts)))
		p := p
		p.Parts, p.NParts, p.Shares, p.Rank = put(l.st, parts), uint32(len(parts)), uint32(shares), uint32(rank)
		launches = append(launches, func() { l.st.batch.Launch(k, len(parts)*shares, 0, kernels.Bytes(&p)) })
	}
}

// collect returns the launch that finds the best keys of each range of a group, and
// describes the selections that follow.
func (l *layout) collect(g sharing, p kernels.DisjunctParams, selects []kernels.Select) func() {
	ranges := make([]kernels.Range, 0, g.ranges)
	for i := g.chore; i < g.chore+g.chores; i++ {
		c := &l.chores[i]
		sel := &selects[c.slot]
		if sel.Groups == 0 {
			at := Ptr(len(ranges))
			*sel = kernels.Select{Keys: p.Keys + 8*Ptr(p.Keep)*at, Counts: p.Counts + 4*at, Stride: p.Keep, K: uint32(c.plan.k)}
		}
		docs := uint64(l.docs(c))
		n := uint64(g.runs(uint32(docs)))
		sel.Groups += uint32(n)
		for r := range n {
			v := kernels.Range{Query: uint32(i), First: uint32(docs*r/n) &^ 3, Last: uint32(docs*(r+1)/n) &^ 3, Slot: uint32(c.slot)}
			if r == n-1 {
				v.Last = uint32(docs)
			}
			ranges = append(ranges, v)
		}
	}
	p.Ranges, p.NRanges = put(l.st, ranges), uint32(len(ranges))
	return func() { l.st.batch.Launch(kernels.CollectScores, len(ranges), 8*queueSize, kernels.Bytes(&p)) }
}
