package gpuload

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Accumulation is an algorithm for disjunctions. All give the same results.
type Accumulation uint8

// The algorithms.
const (
	ListByList         Accumulation = iota // list by list, pruned by score floors; queries with too many candidates use SharedAccumulators
	SharedAccumulators                     // term by term, with accumulators in shared memory for one range of documents at a time
	GlobalAccumulators                     // term by term, with an accumulator per document in device memory: Ding 2009 section 8

	accumulationCount
)

var accumulations = [accumulationCount]struct {
	name string
	way  way
}{
	ListByList:         {"lists", byOr},
	SharedAccumulators: {"shared", byAccumulators},
	GlobalAccumulators: {"global", byGlobalAccumulators},
}

// Accumulations returns all algorithms.
func Accumulations() []Accumulation {
	return []Accumulation{ListByList, SharedAccumulators, GlobalAccumulators}
}

// String returns the name of the algorithm: lists, shared or global.
func (a Accumulation) String() string {
	if a < accumulationCount {
		return accumulations[a].name
	}
	return fmt.Sprintf("accumulation(%d)", uint8(a))
}

// ParseAccumulation returns the algorithm with a name. It is the inverse of String.
func ParseAccumulation(name string) (Accumulation, error) {
	for a, v := range accumulations {
		if v.name == name {
			return Accumulation(a), nil
		}
	}
	return 0, fmt.Errorf("gpuload: unknown accumulation %q (known: lists, shared, global)", name)
}

// way returns the way in which run answers disjunctions.
func (a Accumulation) way() way { return accumulations[a].way }

const (
	scratchBytes = 1 << 30 // default of Options.Scratch
	shareBlocks  = 4       // maximum blocks of a list per thread block of Accumulate, if lists have similar lengths
	emptyShares  = 1 << 16 // maximum number of idle thread blocks, if lists differ in length
)

// accumulators prepares disjunctions with accumulators in device memory: as many queries
// at a time as fit into Options.Scratch and the device, at least one. If not even one
// fits, the batch uses accumulators in shared memory.
func (l *batch) accumulators(size int) error {
	x, st := l.x, l.st
	maxk := l.addChores()
	l.parts = make([]layout.Part, len(l.chores))
	for i := range l.chores {
		l.parts[i] = layout.Part{Query: l.chores[i].slot, Docs: l.docs(&l.chores[i])}
	}
	outKeys, outBytes := l.outLayout()
	groups, most, err := l.group(size, maxk, outBytes)
	if err != nil {
		return err
	}
	if groups == nil {
		l.chores = nil
		return l.disjunctions(size)
	}
	floors := l.floors()
	counts := st.Scratch(4 * int64(most.Ranges))
	keys := st.Scratch(8 * int64(maxk) * int64(most.Ranges))
	scores := st.Scratch(most.Bytes)
	for i := range l.chores {
		l.addTerms(&l.chores[i])
	}
	queries := l.queries()
	selects := make([]kernels.Select, len(l.plans))
	for _, g := range groups {
		at := scores
		for i := g.Part; i < g.Part+g.Parts; i++ {
			queries[i].Out = at
			at += kernels.Ptr(l.parts[i].Bytes())
		}
	}
	c := kernels.DisjunctParams{Queries: layout.Put(st.Buffers, queries), Keys: keys, Counts: counts, Floors: floors, Keep: uint32(maxk), Buffer: queueSize}
	a := kernels.AccumulateParams{Lists: x.lists.table, Queries: c.Queries, Terms: layout.Put(st.Buffers, l.terms)}
	var steps [][]func()
	for _, g := range groups {
		collect := l.collect(g, c, selects)
		steps = append(steps, append(l.byRank(g, a), collect))
	}
	l.toOut(selects, outKeys)
	var launches []func()
	for i, g := range groups {
		launches = append(launches, func() { st.Batch.FillWords(scores, kernels.Untouched, g.Bytes) })
		launches = append(launches, steps[i]...)
		launches = append(launches, l.selection(selects[g.Query:g.Query+g.Queries]))
	}
	return l.finish(outKeys, launches...)
}

// group divides the parts into groups whose accumulators fit into Options.Scratch and the
// device's memory, and reserves buffers. most has the maximum bytes and ranges of all
// groups. It returns no groups if not even one query's accumulators fit.
func (l *batch) group(size, maxk, outBytes int) (groups []layout.Group, most layout.Group, err error) {
	lists := 0
	for _, p := range l.plans {
		lists += len(p.lists)
	}
	for bound := l.x.options.Scratch; ; bound = most.Bytes / 2 {
		groups, most = layout.Groups(l.parts, bound), layout.Group{}
		ranges := 0
		for _, g := range groups {
			most.Bytes, most.Ranges = max(most.Bytes, g.Bytes), max(most.Ranges, g.Ranges)
			ranges += g.Ranges
		}
		room := most.Bytes + (4+8*int64(maxk))*int64(most.Ranges) + 256
		err = l.reserve(size+16*ranges+20*lists+256*len(l.plans)+4096, room, outBytes)
		switch {
		case err == nil:
			return groups, most, nil
		case !errors.Is(err, ErrMemory):
			return nil, most, err
		case len(groups) == len(l.plans):
			return nil, most, nil
		}
	}
}

// docs returns the number of documents in the segment of a chore.
func (l *batch) docs(c *chore) uint32 { return l.x.views[c.seg].docs }

// byRank returns the launches that add the lists of a group's queries: the first list of
// every query, then the second of every query, and so on.
func (l *batch) byRank(g layout.Group, p kernels.AccumulateParams) (launches []func()) {
	k := kernels.For(kernels.AddScores, l.codecs)
	for rank := 0; ; rank++ {
		var parts []uint32
		longest, blocks := 0, 0
		for i := g.Part; i < g.Part+g.Parts; i++ {
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
		p.Parts, p.NParts, p.Shares, p.Rank = layout.Put(l.st.Buffers, parts), uint32(len(parts)), uint32(shares), uint32(rank)
		launches = append(launches, func() { l.st.Batch.Launch(k, len(parts)*shares, 0, kernels.Bytes(&p)) })
	}
}

// collect returns the launch that finds the top keys of each range of a group, and fills
// in the selections that follow it.
func (l *batch) collect(g layout.Group, p kernels.DisjunctParams, selects []kernels.Select) func() {
	ranges := make([]kernels.Range, 0, g.Ranges)
	for i := g.Part; i < g.Part+g.Parts; i++ {
		c := &l.chores[i]
		sel := &selects[c.slot]
		if sel.Groups == 0 {
			at := kernels.Ptr(len(ranges))
			*sel = kernels.Select{Keys: p.Keys + 8*kernels.Ptr(p.Keep)*at, Counts: p.Counts + 4*at, Stride: p.Keep, K: uint32(c.plan.k)}
		}
		docs := uint64(l.docs(c))
		n := uint64(g.RangesOf(l.parts[i]))
		sel.Groups += uint32(n)
		for r := range n {
			v := kernels.Range{Query: uint32(i), First: uint32(docs*r/n) &^ 3, Last: uint32(docs*(r+1)/n) &^ 3, Slot: uint32(c.slot)}
			if r == n-1 {
				v.Last = uint32(docs)
			}
			ranges = append(ranges, v)
		}
	}
	p.Ranges, p.NRanges = layout.Put(l.st.Buffers, ranges), uint32(len(ranges))
	return func() { l.st.Batch.Launch(kernels.CollectScores, len(ranges), 8*queueSize, kernels.Bytes(&p)) }
}
