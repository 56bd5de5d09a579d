package hybrid

import (
	"math/bits"
	"slices"
	"time"
)

// stock holds the queries of calls of Execute, and of many calls of Submit, that no processor
// has taken. Like policy it has no clock, no lock and no goroutine.
//
// The GPU answers the queries in the order of the calls, in batches. The cores look up
// lists and lay batches out for it, and that work goes first: a core that it leaves idle
// weighs queries from the other end, and answers those that the GPU would save the least
// core time for in its own time (Ding 2009, section 9). So the two work towards each other
// and need no threshold, nor to be predicted well. At the end a processor leaves queries that
// the other is expected to finish sooner.
type stock struct {
	workers int // cores
	lanes   int // batches on the GPU at a time
	batch   int // maximum number of queries in one
	mode    Mode
	retired bool // no GPU

	calls   []*groupCall
	left    int // queries in calls
	weighed int // of these, in bins
	fresh   int // of these, that are not weighed and that both can answer
	pinned  int // of these, for the CPU alone
	active  int // goroutines that answer on the CPU
	flying  []*bulkBatch
	leaves  bool // the CPU leaves to the GPU what is left
	last    int  // bin of the last query of the CPU

	// What is known of the processors, in nanoseconds. The older counts for less.
	proven  int        // queries that the GPU may be given in a batch; 0: unproven
	base    float64    // time of a batch at least
	each    float64    // the GPU's time for each of its queries, from batches that tell; 0: unknown
	small   [2]float64 // time and queries of the last batch before that
	slope   float64    // time of one more query, from the last two: each until it is known
	host    float64    // core time for each of them
	recent  [3]float64 // time, queries and core time of batches
	hosted  float64    // core time for the GPU since its last batch ended
	adds    float64    // mayAdd, averaged over addsBatches
	demand  demand
	usage   usage
	contest [2]contest    // for queries of Execute, of Submit
	single  int           // the last ones came by Submit: 1
	since   float64       // queries answered by the CPU since the last batch ended
	core    float64       // a core's time for a query
	known   float64       // queries in core, 256 at most
	pace    float64       // the same, over the predicted time
	mean    float64       // predicted time of weighed queries on a core, as paced
	sampled float64       // queries in mean, 1,024 at most
	off     bool          // that is less than host: the GPU saves no core time
	spent   [2]float64    // core time: weighing, answering
	taken   [2]float64    // queries answered by the CPU and the GPU
	ended   time.Duration // when the last batch did
	rested  time.Duration // when the GPU may be tried again
	trials  int           // that it has had since it was worth a batch
}

const (
	// Queries are sorted into bins by log2 of their ratio, four to an octave from -16 on.
	bins, perOctave, lowest = 128, 4, -16
	// unproven is the size of the first batch; each one that the GPU answers allows
	// provenGrowth times as many. A GPU that is not worth a batch is tried with a small one after
	// the time of its last, and then after 2, 4 and up to 1<<mostTrials times that time: its first
	// batches load kernels and lists.
	unproven, provenGrowth, mostTrials = 32, 4, 5
	// weighAtOnce and answerAtOnce are how many queries a core takes at a time, of a turn
	// at most.
	weighAtOnce, answerAtOnce = 64, 16
	// smallBatch is the least that a batch is given while more is there, and a multiple of
	// wholeBatch what it is given of many. Batches from smallBatch on tell what a query costs.
	smallBatch, wholeBatch = 256, 1 << 10
	// unknownCore is the time of a query on a core before one is known, unknownBase that
	// of a batch.
	unknownCore, unknownBase = 20 * time.Microsecond, time.Millisecond
	// patience is how long a query waits for a GPU that takes none before it goes first.
	patience = 2 * time.Millisecond
	// stalled is how long a GPU that answers alone may take for a batch, at least, before the cores
	// help: the host stops a process for 5 ms at times.
	stalled = 20 * time.Millisecond
	// worth is by how much core time the GPU must save on an average query, once it did not.
	worth = 0.2
)

// binOf returns the bin of a query on a machine with the given number of cores.
func binOf(c Cost, workers float64) uint8 {
	saved := float64(max(c.CPU-c.Host, c.CPU/64, 1)) / workers
	return uint8(min(max((log2(saved/float64(max(c.GPU, 1)))-lowest)*perOctave, 0), bins-1))
}

// portion is a part of a call.
type portion struct {
	g  *groupCall
	at []int32 // queries
}

// bulkBatch is what the GPU answers at a time.
type bulkBatch struct {
	parts []portion
	n     int
	begun time.Duration
	asked *copies // what the GPU is asked
	probe bool    // the CPU may answer it, too
	given bool    // it does
	trial bool    // the GPU did not seem worth it
}

// errand is what a core does next: it answers or weighs a portion.
type errand struct {
	portion
	weigh     bool
	predicted float64 // nanoseconds; 0 if unknown
}

func newStock(o *Options, workers int, gpu bool) stock {
	s := stock{workers: max(workers, 1), lanes: o.Lanes, batch: o.Batch, mode: o.Mode, retired: !gpu || o.Mode == OnlyCPU,
		core: float64(unknownCore), base: float64(unknownBase), pace: 1, taken: [2]float64{0, weighAtOnce}}
	s.contest[1] = contest{alone: true, best: true, rest: nextRest}
	return s
}

// add lets a call in. Its queries are fresh or pinned.
func (s *stock) add(g *groupCall) {
	i := len(s.calls)
	for i > 0 && s.calls[i-1].due > g.due {
		i--
	}
	s.calls = slices.Insert(s.calls, i, g)
	s.single = index(g.single)
	s.left += g.hi - g.lo + len(g.pinned)
	s.fresh += g.hi - g.lo
	s.pinned += len(g.pinned)
	s.leaves = false
}

// drop forgets calls without queries.
func (s *stock) drop() {
	kept := s.calls[:0]
	for _, g := range s.calls {
		if g.lo < g.hi || g.some != [2]uint64{} || len(g.pinned) > 0 || g.held > 0 {
			kept = append(kept, g)
		}
	}
	clear(s.calls[len(kept):])
	s.calls = kept
}

// idle returns the cores that may answer: those that the GPU's work leaves, at least one, and one if
// the GPU answers alone.
func (s *stock) idle() int {
	if s.alone() {
		return 1
	}
	return s.free()
}

// mayAdd returns what cores could answer now, over what the GPU does.
func (s *stock) mayAdd() float64 { return float64(s.free()) * s.each / max(s.core, 1) }

// free returns the cores that the GPU's work leaves, at least one.
func (s *stock) free() int {
	if s.retired {
		return s.workers
	}
	n := s.workers - int(s.demand.cores+0.5)
	if s.mode == Parallel && len(s.flying) > 0 {
		n = min(n, s.usage.left())
	}
	return max(n, 1)
}

// alone reports whether the GPU answers alone as long as it has batches, since cores that answer could
// add too little, or take more from it than they add. A core still looks after deadlines and what only
// the CPU can answer.
func (s *stock) alone() bool {
	if !s.shared() || s.stalls() {
		return false
	}
	return min(s.adds, s.mayAdd()) < contestMargin-1 || s.contest[s.single].alone && s.adds < contestShare
}

// stalls reports whether the oldest batch takes much longer than what is on the GPU should: it may
// hang.
func (s *stock) stalls() bool {
	return len(s.flying) > 0 && float64(s.demand.seen-s.flying[0].begun) > max(float64(stalled), 4*s.ahead())
}

// ahead returns how long a batch takes that begins behind those on the GPU, at most.
func (s *stock) ahead() float64 {
	return s.base + s.each*float64(s.inFlight())
}

// inFlight returns how many queries are in batches on the GPU.
func (s *stock) inFlight() (n int) {
	for _, b := range s.flying {
		n += b.n
	}
	return n
}

// more returns how much longer a batch takes with one more query.
func (s *stock) more() float64 {
	if s.each == 0 {
		return s.slope
	}
	return s.each
}

// gpuDone returns when the oldest batch on the GPU began, and when all that are there should be done; 0 if
// there are none.
func (s *stock) gpuDone() (begun, done time.Duration) {
	if len(s.flying) == 0 {
		return 0, 0
	}
	begun = s.flying[0].begun
	return begun, max(begun+time.Duration(s.base), max(begun, s.ended)+time.Duration(s.more()*float64(s.inFlight())))
}

// shared reports whether the CPU answers beside batches of the GPU, of which it is known what a query
// takes.
func (s *stock) shared() bool {
	return s.mode == Parallel && !s.retired && !s.off && s.each > 0 && len(s.flying) > 0
}

// mayStart reports whether another core may answer queries.
func (s *stock) mayStart() bool {
	return s.active < s.idle() && s.wanted() && (s.active == 0 || !s.leaves && 4*s.active < s.open())
}

// mustStop reports whether a core should leave its place to the GPU's work.
func (s *stock) mustStop() bool { return s.active > s.idle() }

// wanted reports whether the CPU has queries to answer, or may get some back.
func (s *stock) wanted() bool {
	if s.retired || s.pinned > 0 {
		return s.open() > 0
	}
	return s.mode == Parallel && (s.open() > 0 && !s.leaves || slices.ContainsFunc(s.flying, (*bulkBatch).watched))
}

// open returns the number of queries that can be taken now.
func (s *stock) open() int { return s.fresh + s.weighed + s.pinned }

// watched reports whether the CPU may take a batch back.
func (b *bulkBatch) watched() bool { return b.probe && !b.given }

// takeGPU returns the next batch, or nil.
func (s *stock) takeGPU(now time.Duration) *bulkBatch {
	can := s.fresh + s.weighed
	if s.retired || can == 0 || len(s.flying) >= s.mayFly() {
		return nil
	}
	n := max(can/s.lanes, smallBatch)
	if s.each > 0 {
		n = max(n, int(min(s.base/s.each, wholeBatch)))
	}
	if s.mode == OnlyGPU || s.alone() || s.single == 1 && s.each > 0 {
		n = can
	}
	if n > wholeBatch {
		n -= n % wholeBatch
	}
	n = min(n, can, s.batch, max(s.proven, unproven))
	if g := s.calls[0]; g.urgent != never && now < g.due && s.each > 0 { // it should end in half of the time left
		n = min(n, max(int(max(float64(g.due-now)/2-s.base, float64(shortest))/s.each), unproven))
	}
	probe, trial := s.proven <= unproven, false
	if s.mode != OnlyGPU && !s.leaves && !s.alone() {
		base, before, took := s.base, 0.0, s.more()
		for _, b := range s.flying {
			base = max(base, float64(now-b.begun)-took*float64(b.n))
			before += took * float64(b.n)
		}
		if len(s.flying) > 0 {
			before = max(before-float64(now-max(s.ended, s.flying[0].begun)), 0)
		}
		// It should end before the CPU has the others, a quarter sooner since nobody knows what
		// they take.
		each := max(s.core, s.mean) / float64(s.idle())
		limit := float64(s.left) * each * 3 / 4
		if most := (limit - base - before) / max(took+each, 1); most < float64(n) {
			if n = int(most); n < leastGroup && s.left < worthQueries { // the cores answer so few sooner
				n = 0
			}
		}
		if n <= 0 || s.off {
			if now < s.rested || len(s.flying) > 0 || limit < float64(turn) {
				return nil
			}
			n, probe, trial = min(s.telling(), can), true, true
		}
		probe = probe || s.each == 0 || n < s.left/64 // not worth waiting for
	}
	b := &bulkBatch{n: n, begun: now, probe: probe, trial: trial}
	for _, g := range s.calls {
		if n == 0 {
			break
		}
		if at := g.takeHigh(n, s); len(at) > 0 {
			g.kept = g.kept || probe
			b.parts = append(b.parts, portion{g, at})
			n -= len(at)
		}
	}
	b.n -= n
	s.left -= b.n
	s.flying = append(s.flying, b)
	s.drop()
	return b
}

// takeCPU sets e to what a core does next, and reports whether there is anything. at is
// memory for e.at.
func (s *stock) takeCPU(now time.Duration, e *errand, at []int32) bool {
	*e = errand{}
	switch {
	case s.retired || s.off && !s.leaves || s.presses(now):
		return s.oldest(e, at) || s.late(now, e)
	case s.pinned == 0 && s.alone():
		return s.late(now, e)
	case s.weighs() && !s.alone():
		e.weigh = true
		return s.newest(e, weighAtOnce)
	}
	g, bin := s.least()
	if g == nil {
		return s.mode == Parallel && s.fresh > 0 && s.newest(e, 1) || s.late(now, e)
	}
	if bin == pinnedBin {
		e.portion = portion{g, g.takePinned(answerAtOnce, s)}
		s.left -= len(e.at)
		s.drop()
		return true
	}
	predicted := float64(g.cost[g.bins[bin]-1]) * s.pace
	if s.each > 0 && predicted > s.base+s.each*float64(s.left) {
		s.leaves = true
		return false
	}
	for len(at) < answerAtOnce && g.bins[bin] != 0 && (len(at) == 0 || s.pace*e.predicted < float64(turn)) {
		i := g.pop(bin)
		at = append(at, i)
		e.predicted += float64(g.cost[i])
	}
	e.portion = portion{g, at}
	s.last = bin
	s.weighed -= len(at)
	s.left -= len(at)
	s.drop()
	return true
}

// presses reports whether a core should take the oldest query: it is near its deadline, and a GPU that
// answers alone would take too long for it; or it waits for a GPU that takes none.
func (s *stock) presses(now time.Duration) bool {
	if len(s.calls) == 0 || s.mode != Parallel {
		return false
	}
	g := s.calls[0]
	return s.hurries(now) && (!s.alone() || float64(g.due-now) < s.ahead()) || len(s.flying) == 0 && now-g.since > patience
}

// hurries reports whether half of the oldest query's time is gone, but not all.
func (s *stock) hurries(now time.Duration) bool {
	return len(s.calls) > 0 && s.calls[0].urgent <= now && now < s.calls[0].due
}

// weighs reports whether a core should weigh queries now.
func (s *stock) weighs() bool {
	return s.mode != OnlyGPU && s.fresh > 0 && s.spent[0]*(s.taken[0]+s.taken[1]) <= s.spent[1]*s.taken[1]
}

// newest takes fresh queries, of the last call that has some.
func (s *stock) newest(e *errand, most int) bool {
	for i := len(s.calls) - 1; i >= 0; i-- {
		g := s.calls[i]
		n := min(most, g.hi-g.lo)
		if n == 0 {
			continue
		}
		g.hi -= n
		e.portion = portion{g, g.all[g.hi : g.hi+n]}
		s.fresh -= n
		if e.weigh {
			g.held += n
			return true
		}
		s.left -= n
		s.drop()
		return true
	}
	return false
}

// put adds the weighed queries of an errand.
func (s *stock) put(e *errand, bin []uint8, took time.Duration) {
	g := e.g
	for k, i := range e.at {
		g.push(int(bin[k]), i)
		s.sampled = min(s.sampled+1, 1024)
		s.mean += (s.pace*float64(g.cost[i]) - s.mean) / s.sampled
	}
	g.held -= len(e.at)
	s.weighed += len(e.at)
	s.spend(0, took)
}

// oldest takes queries in the order of the calls.
func (s *stock) oldest(e *errand, at []int32) bool {
	for _, g := range s.calls {
		if e.at = g.takePinned(answerAtOnce, s); len(e.at) == 0 {
			n := min(answerAtOnce, max(1, s.left/(4*s.workers)))
			e.at = append(at, g.takeHigh(n, s)...)
		}
		if len(e.at) > 0 {
			e.g = g
			s.left -= len(e.at)
			s.drop()
			return true
		}
	}
	return false
}

// least returns the call and the bin of the query that the GPU would save the least for.
func (s *stock) least() (best *groupCall, bin int) {
	bin = bins
	for _, g := range s.calls {
		if len(g.pinned) > 0 {
			return g, pinnedBin
		}
		b := bins
		if g.some[0] != 0 {
			b = bits.TrailingZeros64(g.some[0])
		} else if g.some[1] != 0 {
			b = 64 + bits.TrailingZeros64(g.some[1])
		}
		if b < bin {
			best, bin = g, b
		}
	}
	if s.mode == OnlyGPU {
		return nil, 0
	}
	return best, bin
}

// late takes back a probe that the GPU has not answered in the time in which the CPU would
// have.
func (s *stock) late(now time.Duration, e *errand) bool {
	for _, b := range s.flying {
		n := float64(b.n)
		if b.watched() && s.mode == Parallel &&
			float64(now-b.begun) > max(float64(unknownBase), 2*n*s.core/float64(s.idle())) {
			s.again(b)
			g, _ := s.least()
			e.portion = portion{g, g.takePinned(answerAtOnce, s)}
			s.left -= len(e.at)
			s.drop()
			return true
		}
	}
	return false
}

// gather returns how many queries of Submit become a call: all if nothing is left, else a
// share of what is, since each call costs those that look for a query.
func (s *stock) gather() int {
	if s.left == 0 {
		return 1
	}
	return min(max(s.left/16, leastGroup), 2048)
}

// again gives queries to the CPU that the GPU has failed to answer.
func (s *stock) again(b *bulkBatch) {
	b.given, s.leaves = true, false
	s.left += b.n
	s.pinned += b.n
	for _, p := range b.parts {
		p.g.kept = true
		p.g.pinned = append(p.g.pinned, p.at...)
		if !slices.Contains(s.calls, p.g) {
			s.calls = append(s.calls, p.g)
		}
	}
}
