package hybrid

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
)

// groupCall is a call of Execute, or many of Submit. The stock owns the queries that are not
// taken: some fresh, some in bins, some that only the CPU can answer.
type groupCall struct {
	x       *Executor
	ctx     context.Context
	queries []query.Query
	jobs    []*job // of Submit: one for each query; nil for a call of Execute
	single  bool   // of Submit
	kept    bool   // the GPU may still read them
	results []query.Result
	arena   *query.Arena // for their hits; may be nil
	first   int          // of the queries, in the call of Execute
	begun   time.Duration
	after   time.Duration // deadline after begun; 0: none
	err     atomic.Pointer[error]
	left    atomic.Int64 // queries without answers
	done    chan struct{}

	// Of the earliest of the queries.
	since, due, urgent time.Duration

	all    []int32 // of the fresh queries; lo up to hi are not taken: the GPU takes from lo, weighing from hi
	lo, hi int
	held   int // being weighed
	pinned []int32

	// The bins are lists of queries, whose numbers plus 1 follow each other in next.
	bins [bins]int32
	some [bins / 64]uint64
	next []int32
	cost []float32 // predicted for a core, nanoseconds
}

// pinnedBin stands for the queries that only the CPU can answer.
const pinnedBin = bins

func newGroupCall(ctx context.Context, x *Executor, queries []query.Query, results []query.Result) *groupCall {
	n := len(queries)
	g, ok := x.bulk.groups.Get().(*groupCall)
	if !ok {
		g = new(groupCall)
	}
	*g = groupCall{x: x, ctx: ctx, queries: queries, results: results, done: make(chan struct{}), all: slices.Grow(g.all[:0], n), pinned: g.pinned[:0],
		next: slices.Grow(g.next[:0], n)[:n], cost: slices.Grow(g.cost[:0], n)[:n]}
	g.left.Store(int64(n))
	return g
}

// sort divides the queries into those that both processors can answer and the others.
func (g *groupCall) sort(gpu bool) error {
	for i := range g.queries {
		if err := g.queries[i].Check(); err != nil {
			return &query.NumberError{Number: g.first + i, Err: err}
		}
		if gpu && supported(&g.queries[i]) {
			g.all = append(g.all, int32(i))
		} else {
			g.pinned = append(g.pinned, int32(i))
		}
	}
	g.hi = len(g.all)
	return nil
}

func (g *groupCall) push(bin int, i int32) {
	g.next[i] = g.bins[bin]
	g.bins[bin] = i + 1
	g.some[bin/64] |= 1 << (bin % 64)
}

func (g *groupCall) pop(bin int) int32 {
	i := g.bins[bin] - 1
	if g.bins[bin] = g.next[i]; g.bins[bin] == 0 {
		g.some[bin/64] &^= 1 << (bin % 64)
	}
	return i
}

// takeHigh takes n queries at most, for the GPU: fresh ones, then those from the highest
// bins.
func (g *groupCall) takeHigh(n int, s *stock) []int32 {
	k := min(n, g.hi-g.lo)
	at := g.all[g.lo : g.lo+k : g.lo+k]
	g.lo += k
	s.fresh -= k
	for len(at) < n && g.some != [2]uint64{} {
		bin := 127 - bits.LeadingZeros64(g.some[1])
		if g.some[1] == 0 {
			bin = 63 - bits.LeadingZeros64(g.some[0])
		}
		at = append(at, g.pop(bin))
		s.weighed--
	}
	return at
}

func (g *groupCall) takePinned(n int, s *stock) []int32 {
	n = min(n, len(g.pinned))
	s.pinned -= n
	at := g.pinned[:n:n]
	g.pinned = g.pinned[n:]
	return at
}

// keep copies results of the queries with some numbers, which the GPU has answered.
func (g *groupCall) keep(at []int32, results []query.Result) {
	n := 0
	for k := range at {
		n += len(results[k].Hits)
	}
	slab := g.arena.Hits(n)
	for k, i := range at {
		if hits := results[k].Hits; len(hits) > 0 {
			lo := len(slab)
			slab = append(slab, hits...)
			g.results[i].Hits = slab[lo:len(slab):len(slab)]
		}
	}
}

func (g *groupCall) fail(i int32, err error) {
	err = &query.NumberError{Number: g.first + int(i), Err: err}
	g.err.CompareAndSwap(nil, &err)
}

// answered records that n queries have been answered, or will not be.
func (g *groupCall) answered(n int) {
	switch {
	case g.left.Add(-int64(n)) > 0:
	case g.jobs == nil:
		g.x.leave(len(g.queries))
		close(g.done)
	case !g.kept:
		clear(g.jobs)
		clear(g.queries)
		g.x.bulk.calls.Put(g)
	}
}

// arrive records when a query of the call arrived, and how long after that it should be
// answered; 0 for any time.
func (g *groupCall) arrive(at, after time.Duration) {
	due, urgent := at+farAway, never
	if after > 0 {
		due, urgent = at+after, at+after/urgentShare
	}
	if g.due == 0 {
		g.since, g.due, g.urgent = at, due, urgent
		return
	}
	g.since, g.due, g.urgent = min(g.since, at), min(g.due, due), min(g.urgent, urgent)
}

// farAway orders calls without a deadline among the others.
const farAway = time.Second
