package gpu

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// A first list of longDriver blocks or more is processed in two passes: the top keys of
// its first eighth give a floor for the rest.
const longDriver = 32

// ranked prepares conjunctions, or disjunctions list by list: first a part of each
// query's first list, whose top keys give a floor, then the rest of it, which gives a
// higher floor, then the other lists. Disjunctions that go by ranges share the batch: in one
// of their own, a single one took a stage for as long as 1,000 others.
func (l *batch) ranked(size int) error {
	st := l.st
	caps := l.rankedJobs()
	tilesIn, tilesWork := l.tileBytes()
	r := l.rangedJobs(caps)
	var keys int64
	for i := range l.plans {
		keys += caps[i]
	}
	outKeys, outBytes := l.outLayout()
	spansIn, spansWork := l.spanBytes()
	if err := l.reserve(size+tilesIn+r.in()+spansIn+256*len(l.plans)+4096, 8*keys+tilesWork+r.work()+spansWork+1024, outBytes); err != nil {
		return err
	}
	launches := l.markSpans()
	zeros, counts := layout.Space[uint32](st.Buffers, len(l.plans))
	clear(zeros)
	floors := l.floors()
	outs := sized(&l.outs, len(l.plans))
	for i := range outs {
		outs[i] = st.Scratch(8 * caps[i])
	}
	listed := l.jobs[:len(l.jobs)-r.jobs]
	for i := range listed {
		l.addTerms(&listed[i])
	}
	l.byLists(listed)
	codecs := l.codecs
	l.codecs = 0
	for i := len(listed); i < len(l.jobs); i++ {
		l.addTerms(&l.jobs[i])
	}
	descs := l.queries()
	for i, c := range l.jobs {
		descs[i].Out, descs[i].Cap = outs[c.slot], uint32(caps[c.slot])
	}
	terms := l.putTerms()
	ranges := l.launchRanges(&r, descs[len(listed):], terms, counts, floors)
	l.codecs = codecs
	passes := l.divide(listed, descs)
	selects := sized(&l.selects, len(l.plans))
	for i, p := range l.plans {
		selects[i] = kernels.Select{Keys: outs[i], Counts: counts + kernels.Ptr(4*i), Groups: 1, Stride: uint32(caps[i]), K: uint32(p.k),
			Out: outs[i], OutCount: counts + kernels.Ptr(4*i), Floor: floors + kernels.Ptr(8*i), Ceiling: p.ceiling}
	}
	if r.sums > 0 {
		launches = append(launches, func() { st.Batch.Fill(l.totalOf(0), 4*int64(len(l.plans))) })
	}
	for i := range passes {
		if s := &passes[i]; len(s.parts) > 0 {
			if some := l.between(selects[:r.first]); i > 0 && len(some) > 0 {
				launches = append(launches, l.selection(some))
			}
			launches = append(launches, l.launch(s, terms, counts, floors))
		}
	}
	launches = append(launches, ranges...)
	l.toOut(selects, outKeys)
	launches = append(launches, l.selection(selects))
	return l.finish(outKeys, launches...)
}

// between returns the selections that give floors between passes: not those whose keys are counted, all of which the first pass finds.
func (l *batch) between(selects []kernels.Select) (some []kernels.Select) {
	if !slices.ContainsFunc(l.plans, func(p *plan) bool { return p.counts }) {
		return selects
	}
	for i, p := range l.plans[:len(selects)] {
		if !p.counts {
			some = append(some, selects[i])
		}
	}
	return some
}

// rankedJobs makes the jobs of plans that go list by list and returns the number of keys that each plan may
// collect.
func (l *batch) rankedJobs() (caps []int64) {
	x := l.x
	caps = sized(&l.caps, len(l.plans))
	for slot, p := range l.plans {
		if p.way.ranged() {
			break
		}
		if p.way == byDrivers {
			caps[slot] = l.drivenJobs(p, slot)
			continue
		}
		for s := range x.docs.Views {
			if _, ok := p.conjunctive(s, len(x.docs.Views)); !ok && (l.conjunctive || p.occurs(s, len(x.docs.Views)) == 0) {
				continue
			}
			l.jobs = append(l.jobs, job{plan: p, seg: s, slot: slot})
			caps[slot] += p.firstOf(s, len(x.docs.Views))
		}
		if !l.conjunctive && len(p.weights) > 1 {
			caps[slot] += x.options.overflow
		}
	}
	return caps
}

// tileBytes returns the maximum number of bytes that the parts of the passes and the tiles that
// the host cuts take, and of those that the device cuts.
func (l *batch) tileBytes() (in int, work int64) {
	parts, blocks := 0, 0
	for i := range l.jobs {
		c := &l.jobs[i]
		parts++ // a long first list is two
		if c.plan.way == byDrivers {
			parts, blocks = parts+1, blocks+int(blocksOf(&c.plan.lists[c.plan.clauses.drivers[c.nth]*len(l.x.docs.Views)+c.seg]))
			continue
		}
		for t := range c.plan.weights {
			if o := &c.plan.lists[t*len(l.x.docs.Views)+c.seg]; o.n > 0 {
				parts, blocks = parts+1, blocks+int(blocksOf(o))
				if l.conjunctive {
					break
				}
			}
		}
	}
	// A pass has at most maxTiles() tiles of full length, unless these have MostRun blocks, and
	// for each part a shorter one.
	tiles := min(blocks, len(l.passes)*l.maxTiles()+blocks/kernels.MostRun) + parts
	return 64*parts + 16*(parts+tiles/partTiles) + 12*min(tiles, len(l.passes)*l.x.options.tiles), 12*int64(tiles) + 64
}

// divide divides the drivers of jobs among the launches of Rank. descs are the jobs' descriptors.
func (l *batch) divide(jobs []job, descs []kernels.QueryDesc) *[3]pass {
	passes := &l.passes
	for i := range passes {
		s := &passes[i]
		s.parts, s.queries, s.blocks = s.parts[:0], s.queries[:0], 0
	}
	for i := range jobs {
		c, d := &jobs[i], descs[i]
		for t, o := range c.drive {
			nb := blocksOf(o)
			d.Driver = uint32(t)
			switch {
			case t > 0 && l.conjunctive:
			case c.nth > 0:
				passes[2].add(d, 0, nb)
			case t > 0 && l.nonEssential(c, t):
			case t > 0:
				passes[2].add(d, 0, nb)
			case nb >= longDriver && !c.plan.counts: // each match becomes a key, which is counted
				passes[0].add(d, 0, nb/8)
				passes[1].add(d, nb/8, nb)
			default:
				passes[0].add(d, 0, nb)
			}
		}
	}
	return passes
}

// nonEssential reports whether documents that are in no list before list t of a disjunction
// cannot be hits, by the floor that is known before the query (Turtle and Flood 1995). The
// device decides the same by the floors that it finds, when it cuts tiles.
func (l *batch) nonEssential(c *job, t int) bool {
	term := &l.terms[c.first+t]
	floor := math.Float32frombits(uint32(l.known[c.slot] >> 32))
	return term.Bound+term.Rest < 0.9999*floor-c.plan.most
}

// andTiles and orTiles are the approximate numbers of tiles of a pass: enough to fill all
// warps of a device several times. In a conjunction the docIDs of a tile that are left after
// filtering should fill a warp. In a disjunction the blocks of a tile are scored one after
// the other, each some microseconds: a batch of 256 queries took an H200 three times as long
// with a thirtieth of these tiles, and one of 4,096 twice. Where so few docIDs pass that they
// would not fill a warp, the device makes tiles longer (kernels/tiles.cu).
const (
	andTiles = 1 << 13
	orTiles  = 1 << 18
)

// maxTiles returns the approximate number of tiles of a pass.
func (l *batch) maxTiles() int {
	if l.conjunctive {
		return andTiles
	}
	return orTiles
}

// byLists sorts jobs by their second lists, so that warps that run at the same time
// read the same lists and find their blocks in L2.
func (l *batch) byLists(jobs []job) {
	order := sized(&l.order, len(jobs))
	for i := range jobs {
		if c := &jobs[i]; c.terms > 1 {
			order[i] = uint64(l.terms[c.first+1].List) << 32
		}
		order[i] |= uint64(i)
	}
	slices.Sort(order)
	sorted := sized(&l.sorted, len(jobs))
	for i, o := range order {
		sorted[i] = jobs[uint32(o)]
	}
	copy(jobs, sorted)
}

func (s *pass) add(q kernels.QueryDesc, from, to uint32) {
	s.parts = append(s.parts, part{uint32(len(s.queries)), from, to})
	s.queries = append(s.queries, q)
	s.blocks += int64(to - from)
}

// launch prepares a pass and returns its launch.
func (l *batch) launch(s *pass, terms, counts, floors kernels.Ptr) func() {
	required := uint32(0)
	if l.conjunctive {
		required = 1
	}
	run := uint32(1)
	for s.blocks/int64(run) > int64(l.maxTiles()) && run < kernels.MostRun {
		run *= 2
	}
	p := kernels.RankParams{Lists: l.x.lists.Table, Queries: layout.Put(l.st.Buffers, s.queries), Terms: terms,
		Counts: counts, Floors: floors, Codes: l.x.docs.Codes, Required: required, Locate: l.x.options.locate}
	task := kernels.RankDocs
	if l.x.docs.Fielded() {
		task, p.Fields = kernels.RankInFields, l.scoresAt
	}
	if len(l.clauses) > 0 {
		task, p.Fields = kernels.RankTrees, l.scoresAt
	}
	n, cut := l.tiles(s, run, &p)
	k := kernels.For(task, l.codecs)
	params := kernels.Bytes(&p)
	if len(l.clauses) > 0 {
		params = kernels.Bytes(&kernels.RankClausesParams{Rank: p, Clauses: l.clausesAt, Tests: l.testsAt})
	}
	return func() {
		cut()
		l.st.Batch.Launch(k, (n+7)/8, 0, params)
	}
}

// tiles cuts the parts of a pass into tiles of so many blocks, or longer ones, n at most, and sets
// them in p, with a launch if the device does.
func (l *batch) tiles(s *pass, run uint32, p *kernels.RankParams) (n int, launch func()) {
	for _, o := range s.parts {
		n += int((o.to - o.from + run - 1) / run)
	}
	p.NTiles = uint32(n)
	if n <= l.x.options.tiles {
		tiles, at := layout.Space[kernels.RankTile](l.st.Buffers, n)
		for _, o := range s.parts {
			for b := o.from; b < o.to; b += run {
				tiles[0] = kernels.RankTile{Query: o.query, First: b, End: min(b+run, o.to)}
				tiles = tiles[1:]
			}
		}
		p.Tiles = at
		return n, func() {}
	}
	parts := l.cuts[:0]
	for _, o := range s.parts {
		for from := o.from; from < o.to; {
			to := min(from+partTiles*run, o.to)
			parts = append(parts, kernels.RankPart{Query: o.query, From: from, To: to})
			from = to
		}
	}
	l.cuts = parts
	p.Tiles, p.Count = l.st.Scratch(12*int64(n)), layout.Put(l.st.Buffers, []uint32{0})
	c := kernels.TileParams{Parts: layout.Put(l.st.Buffers, parts), Tiles: p.Tiles, Lists: p.Lists, Queries: p.Queries,
		Terms: p.Terms, Floors: p.Floors, Codes: p.Codes, Count: p.Count, NParts: uint32(len(parts)), Run: run, Most: run}
	if !l.conjunctive {
		c.Most = kernels.MostRun
	}
	k := kernels.CutTiles
	if l.x.docs.Fielded() || len(l.clauses) > 0 {
		k, c.Fields = kernels.CutTilesFields, l.scoresAt
	}
	return n, func() { l.st.Batch.Launch(k, (len(parts)+7)/8, 0, kernels.Bytes(&c)) }
}
