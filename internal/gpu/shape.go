package gpu

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// shape says how large plans are on the device, and cuts them into batches.
type shape struct {
	docs    *docs.Docs
	options *Options
}

// A thread block of Disjunct takes one range of documents for groupQueries queries, or for as few as
// leastGroup where a launch would have less than leastRanges thread blocks.
const (
	groupQueries = 128
	leastGroup   = 16
	leastRanges  = 1 << 10
	leastWidth   = 512 // documents of a window, where a launch has few of them
)

// What a batch of Dots takes of scratch memory for keys, and how many keys a query may collect as a multiple of its k:
// the floor rises as tiles are done, so about 1.4*k*ln(tiles) are found.
const (
	tileWork = 64 << 20
	keysOfK  = 32
)

// cut divides plans, for which a batch is laid out alike, into batches.
func (s shape) cut(plans []*plan) (batches [][]*plan) {
	most := min(max(len(plans)/(2*stages.Count)+1, leastQueries), batchQueries)
	if len(plans) > 0 && plans[0].way == byTiles {
		return s.cutTiled(plans)
	}
	if len(plans) > 0 && plans[0].way == byVectors {
		return s.cutNearest(plans)
	}
	limit := s.options.Threshold
	var postings, hits int64
	smalls, first := 0, 0
	for i, p := range plans {
		n, small := p.weight.first, p.times()*p.weight.smalls
		switch p.way {
		case byDrivers:
			n = p.length(p.clauses.drivers[0], len(s.docs.Views))
			if len(p.clauses.drivers) > 1 {
				n += s.options.overflow
			}
		case byRanges, byClauses:
			n = s.keysOf(p)
		case byLists:
			n += s.options.overflow
		}
		n += s.spanKeys(p)
		if i > first && (postings+n > limit || hits+int64(p.k) > batchHits || smalls+small > stages.Zone || i-first >= most) {
			batches = append(batches, plans[first:i])
			postings, hits, smalls, first = 0, 0, 0, i
		}
		postings += n
		hits += int64(p.k)
		smalls += small
	}
	if first < len(plans) {
		batches = append(batches, plans[first:])
	}
	return batches
}

// cutTiled divides plans of Dots into batches, each over one field.
func (s shape) cutTiled(plans []*plan) (batches [][]*plan) {
	most := min(max(len(plans)/(2*stages.Count)+1, leastQueries), batchQueries)
	keys, first := int64(0), 0
	for i, p := range plans {
		n := s.leastKeys(p) + s.spanKeys(p)
		if i > first && (8*(keys+n) > tileWork || i-first >= most || p.dot.tiles != plans[first].dot.tiles ||
			uint64(i-first+1)*uint64(p.dot.tiles.total) > 1<<31) {
			batches = append(batches, plans[first:i])
			keys, first = 0, i
		}
		keys += n
	}
	if first < len(plans) {
		batches = append(batches, plans[first:])
	}
	return batches
}

// spanKeys returns how many keys the bitmap of a plan's own takes the place of.
func (s shape) spanKeys(p *plan) int64 {
	if p.span == nil {
		return 0
	}
	return s.docs.Stride() / 8
}

// leastKeys returns for how many keys a Dot has room at least.
func (s shape) leastKeys(p *plan) int64 {
	all := int64(p.dot.tiles.total) * kernels.ImpactList // no tile finds more
	switch {
	case p.all:
		return all
	case s.options.tileKeys > 0:
		return s.options.tileKeys
	}
	return min(all, keysOfK*int64(p.k))
}

// floor returns a key that at least k documents exceed that may be hits of a plan, by the k-th impacts of the lists,
// or 0.
func (s shape) floor(p *plan) (key uint64) {
	if p.within != 0 || p.span != nil || p.ceiling != 0 || p.clauses != nil {
		return 0 // those documents may not be among its hits
	}
	for t, w := range p.weights {
		for seg := range s.docs.Views {
			o := &p.lists[t*len(s.docs.Views)+seg]
			r := o.want.List
			if r == nil {
				continue
			}
			for i, n := range o.reach {
				if tf, dl, ok := r.Kth[i].Pair(); ok && p.k <= int(n) {
					sc := s.docs.Fields[p.field(t)].Scorer
					v := sc.Score(w, float32(tf), sc.Norm(dl))
					key = max(key, uint64(math.Float32bits(v))<<32)
					break
				}
			}
		}
	}
	return key
}

// ranges divides the documents of the jobs, which are sorted by segment, among thread blocks. Where a segment has fewer
// jobs than a thread block has warps, a range has several windows, so that every warp finds one. Documents have so many words of shared
// memory. It returns how many documents a window has, and a range at most.
func (s shape) ranges(jobs []job, words int) (width, span uint32, ranges []kernels.Range) {
	width = max(uint32(s.options.width/words)&^127, 128)
	var work uint64 // documents of jobs
	most, n := 1, 0 // jobs of a segment
	for i, c := range jobs {
		work += uint64(s.docs.Views[c.seg].Docs)
		if n++; i > 0 && jobs[i-1].seg != c.seg {
			n = 1
		}
		most = max(most, n)
	}
	windows := uint32((blockWarps + most - 1) / most)
	width = max(width*uint32(blockWarps+1)/(uint32(blockWarps)+windows)&^127, 128) // in the same shared memory
	for width > leastWidth && work/uint64(width) < leastRanges*leastGroup/2 {
		width = width / 2 &^ 127
	}
	span = windows * width
	group := int(min(max(work/uint64(width)/leastRanges, leastGroup), groupQueries))
	for from := 0; from < len(jobs); {
		to, docs := from, uint64(s.docs.Views[jobs[from].seg].Docs)
		for to < len(jobs) && jobs[to].seg == jobs[from].seg {
			to++
		}
		n := (docs + uint64(span) - 1) / uint64(span)
		for r := range n {
			for q := from; q < to; q += group {
				ranges = append(ranges, kernels.Range{Query: uint32(q), End: uint32(min(q+group, to)),
					First: uint32(docs * r / n), Last: uint32(docs * (r + 1) / n)})
			}
		}
		from = to
	}
	return width, span, ranges
}

// keysOf returns how many keys Disjunct may collect for a plan.
func (s shape) keysOf(p *plan) int64 {
	if p.all {
		return min(int64(s.docs.N), p.weight.all)
	}
	return 4*int64(p.k) + s.options.overflow
}

// dense reports whether a disjunction is answered by ranges of documents. Those read all postings and go through all
// documents. List by list, only postings in lists that the first floor does not rule out are read, but each is looked for in
// the lists after it, and that ends the later the more documents of the collection are wanted. Measured in
// docs/notes/gpu-queries.md, with a margin: a launch more slows the other queries of a batch down.
func (s shape) dense(p *plan) bool {
	if s.options.ranges != 0 {
		return s.options.ranges > 0
	}
	terms := int64(len(p.weights))
	work := terms * terms * max(1, 20-int64(bits.Len64(s.docs.N/uint64(max(p.k, 1))))) // of a posting
	least := 6 * (int64(s.docs.N) + 2*p.weight.all) / max(work, 1)
	return terms > 1 && p.weight.all >= least && s.essential(p, s.floor(p)) >= least
}

// driven reports whether a tree is answered list by list: if the postings of its drivers times the number of its terms are no more than all
// documents and two times all postings, by which ranges of documents take as long. Keys of several drivers are selected in between, so
// that ranges count their matches.
func (s shape) driven(p *plan) bool {
	n := len(p.clauses.drivers)
	switch {
	case n == 0 || n*len(p.weights) > mostDriven || n*p.weight.smalls > stages.Zone || n > 1 && p.counts:
		return false
	case s.options.ranges != 0:
		return s.options.ranges < 0
	}
	work := int64(0)
	for _, t := range p.clauses.drivers {
		work += p.length(t, len(s.docs.Views))
	}
	return work*int64(len(p.weights)) <= int64(s.docs.N)+2*p.weight.all
}

// mostDriven is how many terms all drivers of a tree have at most.
const mostDriven = 512

// essential returns how many postings a disjunction has in lists that a floor does not rule out, by the bounds of those
// that are on the device (Turtle and Flood 1995).
func (s shape) essential(p *plan, floor uint64) (n int64) {
	need, rest := 0.9999*math.Float32frombits(uint32(floor>>32))-p.most, float32(0)
	for t := len(p.weights) - 1; t >= 0; t-- {
		bound := float32(0)
		for i := range s.docs.Views {
			o := &p.lists[t*len(s.docs.Views)+i]
			switch {
			case o.n == 0:
			case o.want.List == nil:
				bound = p.weights[t]
			default:
				bound = max(bound, s.docs.Fields[p.field(t)].Scorer.Bound(p.weights[t], o.want.List.Quad))
			}
		}
		if rest += bound; t == 0 || rest >= need {
			n += p.length(t, len(s.docs.Views))
		}
	}
	return n
}

// tableSlots is the most descriptors of lists with an extent.
const tableSlots = 1 << 20

// arena returns the size of the device memory for lists and fields as a whole: the index may grow to twice its size.
func (s shape) arena() int64 {
	return min(s.options.Memory, 2*(s.docs.MostBytes()+residency.VectorBytes(s.docs.Segments)))
}

// slots returns the size of the table of descriptors.
func (s shape) slots() uint32 {
	return uint32(min(tableSlots, s.options.Memory/512+1024)) + stages.Zones
}

// least returns what the Executor allocates on the device before any query: lists, their
// table, what loads need, and lengths and norms of all documents.
func (s shape) least() int64 {
	return s.arena() + int64(layout.DescSize)*int64(s.slots()) + int64(residency.Loaders*residency.PinnedSize) + s.docs.Bytes()
}

// way decides how the device executes the next step of a plan, by what is known of its lists then.
func (s shape) way(p *plan) way {
	switch {
	case p.dot != nil:
		return byTiles
	case p.near != nil:
		return byVectors
	case p.clauses != nil && s.driven(p):
		return byDrivers
	case p.clauses != nil:
		return byClauses
	case p.mode != query.ModeOr:
		return byAnd
	case s.dense(p):
		return byRanges
	}
	return byLists
}
