package gpuload

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// maxK is the greatest k that the device supports.
const maxK = 1024

// ErrUnsupported means that the device cannot answer a query and that Options.CPU is nil.
// Such a query has k over 1024, more than 64 terms, a filter, a trace, a list in a codec
// without kernels, or a list that did not fit. New fails with it if the snapshot has more than
// 2^32-2^20 documents or one of more than 2^26 tokens.
var ErrUnsupported = errors.New("gpuload: query not supported on the device")

// Executor answers batches of queries over one snapshot on a Device. It implements
// query.Executor and is safe for concurrent use: while the device works on some batches,
// of one call of Execute or of several, others are prepared and copied. The zero value is a
// closed Executor.
type Executor struct {
	dev          cuda.Device
	segments     []residency.Segment
	views        []residency.View
	scorer       *query.Scorer
	parser       *query.Parser
	snapshot     *reader.Snapshot
	options      Options
	docs         uint64
	lists        *residency.Lists
	terms        terms.Cache[known]
	dictionaries []terms.Part  // of segments
	crews        sync.Pool     // of *crew
	found        sync.Pool     // of *resolver
	norms        []kernels.Ptr // by view
	live         []kernels.Ptr
	codes        kernels.Ptr                                 // decoded values of quad codes
	stages       [cuda.Streams - residency.LoadStreams]stage // the other streams are for loads
	idle         chan *stage
	peak         layout.Peak
	pinned       []byte      // lent to stages
	lent         kernels.Ptr // the same on the device
	state        state
	expected     atomic.Pointer[expected] // nil unless queries are expected before there is a device
	scarcity     scarcity
	working      atomic.Int64 // goroutines at work for calls, beside those that wait

	life    sync.RWMutex // held for reading during a call
	closed  bool
	release func() error // releases what New holds

	mu           sync.Mutex // guards the fields below and the epochs of stages
	epoch        uint64
	busy         float64 // seconds
	conjunctions map[*Conjunction]bool
}

// stage is the state of one batch in flight.
type stage struct {
	*layout.Buffers
	stream    int
	zoneFirst uint32 // first slot of the table for lists of the batch
	epoch     uint64 // of the batch; 0: none
	pending   pending
	batch     batch
}

// pending is a submitted batch whose results have not been read.
type pending struct {
	plans []*plan
	keys  []int
	arena *query.Arena // for the hits; may be nil
}

const (
	tableSlots = 1 << 20
	zoneSlots  = 1 << 16 // per batch, for lists without an extent
	zones      = (cuda.Streams - residency.LoadStreams) * zoneSlots
)

// New returns an Executor for a snapshot. The Executor retains the snapshot and the
// device until Close, so the caller may close both at any time. The error matches
// query.ErrInvalid if one of them is nil, an option is invalid or Options.CPU answers over another
// snapshot, ErrMemory if the device has too little memory, ErrClosed if it is closed, and
// ErrUnsupported if it cannot answer queries of the snapshot and Options.CPU is nil.
func New(dev *Device, snapshot *reader.Snapshot, o Options) (*Executor, error) {
	if dev == nil {
		return nil, fmt.Errorf("%w: gpuload without a device", query.ErrInvalid)
	}
	x, err := hostHalf(snapshot, o)
	if err != nil {
		return nil, err
	}
	if err := x.use(dev); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// hostHalf returns an Executor for a snapshot, which it retains, that lacks a device. It looks
// terms up.
func hostHalf(snapshot *reader.Snapshot, o Options) (*Executor, error) {
	if snapshot == nil {
		return nil, fmt.Errorf("%w: gpuload without a snapshot", query.ErrInvalid)
	}
	if c, ok := o.CPU.(interface{ Over(*reader.Snapshot) bool }); ok && !c.Over(snapshot) {
		return nil, fmt.Errorf("%w: gpuload whose Options.CPU answers over another snapshot", query.ErrInvalid)
	}
	s, err := snapshot.Retain()
	if err != nil {
		return nil, err
	}
	segs, err := segmentsOf(s)
	if err == nil && o.Scorer == nil {
		o.Scorer, err = scorerFor(s, o.CPU)
	}
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x := halfOf(segs, o)
	x.release, x.snapshot, x.parser = s.Close, s, query.NewParser(s)
	return x, nil
}

// use gives the Executor its device.
func (x *Executor) use(dev *Device) error {
	if err := dev.hold(); err != nil {
		return err
	}
	release := x.release
	x.release = func() error { return errors.Join(dev.release(), release()) }
	return x.attach(dev.dev, x.reserve)
}

// halfOf is hostHalf for segments and options that are valid.
func halfOf(segments []residency.Segment, o Options) *Executor {
	x := &Executor{segments: segments, views: residency.Join(segments, o.AsStored || o.apart), scorer: o.Scorer, options: o, epoch: 1, conjunctions: map[*Conjunction]bool{}}
	x.state.ready = make(chan struct{})
	for i := range x.views {
		x.docs += uint64(x.views[i].Docs)
	}
	for _, s := range segments {
		x.dictionaries = append(x.dictionaries, terms.Part{Views: s.Seg, Deletes: s.Deletes})
	}
	x.terms.Init(o.Scorer.Weight, knownSets(x.countTerms(), len(x.views)))
	return x
}

// open allocates the device memory that does not depend on queries.
func (x *Executor) open() (err error) {
	slots := x.slots()
	if x.lists, err = residency.New(x.dev, x.segments, x.views, x.arenaBytes(), slots, zones); err != nil {
		return err
	}
	x.lists.AsStored = x.options.AsStored
	x.lists.Least = layout.LeastPresent(x.options.Presence)
	x.idle = make(chan *stage, len(x.stages))
	for i := range x.stages {
		st := &x.stages[i]
		*st = stage{Buffers: layout.NewBuffers(x.dev, &x.peak), stream: i, zoneFirst: slots - uint32(len(x.stages)-i)*zoneSlots}
		x.idle <- st
	}
	return nil
}

// enter begins a call; leave ends it. It returns ErrClosed after Close.
func (x *Executor) enter() error {
	x.life.RLock()
	if x.closed || x.zero() {
		x.life.RUnlock()
		return ErrClosed
	}
	return nil
}

func (x *Executor) leave() { x.life.RUnlock() }

// zero reports whether x was not made by New.
func (x *Executor) zero() bool { return x.conjunctions == nil }

// Serves reports whether s answers over the same snapshot as x.
func (x *Executor) Serves(s *query.Searcher) bool { return s.Over(x.snapshot) }

// Close waits for running calls and frees all device memory. Afterwards Execute, LoadAll
// and NewConjunction return ErrClosed and Close does nothing.
func (x *Executor) Close() error {
	if x.zero() {
		return nil
	}
	x.started(ErrClosed) // calls do not wait for the driver any more
	x.life.Lock()
	defer x.life.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	for c := range x.conjunctions {
		c.free()
	}
	for i := range x.stages {
		if x.stages[i].Buffers != nil {
			x.stages[i].Close()
		}
	}
	x.free()
	if x.release == nil {
		return nil
	}
	return x.release()
}

// Stats are the counters of an Executor.
type Stats struct {
	Lists, Bytes    int64 // resident now
	Stored          int64 // bytes that the resident lists have on disk, where their codecs may be others
	Hits, Misses    int64 // lists requested by batches
	HitBytes        int64
	Loaded, Evicted int64 // lists
	BytesLoaded     int64
	Refused         int64 // lists that failed a check or did not fit
	Marked          int64 // bytes of presence words, not part of Bytes
	// Busy is the sum over batches of the time from the first to the last kernel. Batches
	// overlap, so it can exceed elapsed time.
	Busy time.Duration
}

// Stats returns the counters. It can be called after Close.
func (x *Executor) Stats() Stats {
	if x.lists == nil {
		return Stats{}
	}
	c := x.lists.Counters()
	s := Stats{Lists: c.Lists, Bytes: c.Bytes, Stored: c.Stored, Hits: c.Hits, Misses: c.Misses, HitBytes: c.HitBytes, Loaded: c.Loaded, Evicted: c.Evicted,
		BytesLoaded: c.BytesLoaded, Refused: c.Refused, Marked: c.Marked}
	x.mu.Lock()
	defer x.mu.Unlock()
	s.Busy = time.Duration(x.busy * 1e9)
	return s
}

// add adds the counters of another Executor.
func (s *Stats) add(o Stats) {
	s.Lists, s.Bytes, s.Stored = s.Lists+o.Lists, s.Bytes+o.Bytes, s.Stored+o.Stored
	s.Hits, s.Misses, s.HitBytes = s.Hits+o.Hits, s.Misses+o.Misses, s.HitBytes+o.HitBytes
	s.Loaded, s.Evicted, s.BytesLoaded = s.Loaded+o.Loaded, s.Evicted+o.Evicted, s.BytesLoaded+o.BytesLoaded
	s.Refused, s.Marked, s.Busy = s.Refused+o.Refused, s.Marked+o.Marked, s.Busy+o.Busy
}

// Working returns how many goroutines look up, lay out and read queries now, or wait for a
// processor to do so. Those that wait for the device do not count.
func (x *Executor) Working() int { return int(x.working.Load()) }

// aside calls f, which waits, and does not count the goroutine as working meanwhile.
func (x *Executor) aside(f func()) {
	x.working.Add(-1)
	defer x.working.Add(1)
	f()
}

// join runs work in at most n goroutines, one of which is the caller's. When that returns, it
// waits for those that have begun and no other may begin: on busy cores a new goroutine gets
// its turn after 0.5 ms or more. So work must not return while something is left that nobody
// has taken.
func (x *Executor) join(n int, work func(i int)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	over := false
	for i := 1; i < n; i++ {
		go func() {
			mu.Lock()
			if over {
				mu.Unlock()
				return
			}
			wg.Add(1)
			mu.Unlock()
			defer wg.Done()
			x.working.Add(1)
			defer x.working.Add(-1)
			work(i)
		}()
	}
	work(0)
	mu.Lock()
	over = true
	mu.Unlock()
	x.aside(wg.Wait)
}

// onCPU answers queries with Options.CPU. p is the plan of the first.
func (x *Executor) onCPU(ctx context.Context, queries []query.Query, p *plan) ([]query.Result, error) {
	if x.options.CPU != nil {
		x.working.Add(-1)
		defer x.working.Add(1)
		begun := time.Now()
		r, err := x.options.CPU.Execute(ctx, queries)
		x.scarcity.answer.add(len(queries), time.Since(begun))
		return r, err
	}
	return nil, x.why(p)
}

// why returns the reason why the device cannot answer a query: what is wrong with one of
// its lists, or ErrUnsupported.
func (x *Executor) why(p *plan) error {
	for w := range wanted(p.lists) {
		if err := x.lists.Refusal(w.Key); err != nil {
			return err
		}
	}
	return ErrUnsupported
}

// answer sets the hits of plans, or marks plans for the CPU. The caller settles the error.
func (x *Executor) answer(ctx context.Context, plans []*plan) error {
	if ok, err := x.works(ctx); err != nil {
		return err
	} else if !ok {
		toCPU(plans)
		return nil
	}
	x.working.Add(1)
	defer x.working.Add(-1)
	return x.onDevice(ctx, new(scratch), plans)
}

// scratch is memory for onDevice, and where the hits go.
type scratch struct {
	and, or, sorted []*plan
	arena           *query.Arena
}

// onDevice answers plans in batches.
func (x *Executor) onDevice(ctx context.Context, s *scratch, plans []*plan) error {
	and, or := s.and[:0], s.or[:0]
	for _, p := range plans {
		switch {
		case p.done || p.cpu:
		case p.mode == query.Or:
			or = append(or, p)
		default:
			and = append(and, p)
		}
	}
	if err := x.run(ctx, s, and, byAnd); err != nil {
		return err
	}
	for _, p := range and {
		if p.mode == query.AndOr && !p.cpu && len(p.hits) < p.k {
			p.hits = nil
			or = append(or, p)
		}
	}
	s.and, s.or = and, or
	how := byOr
	if x.options.shared {
		how = byAccumulators
	}
	if err := x.run(ctx, s, or, how); err != nil {
		return err
	}
	var rest []*plan
	for _, p := range or {
		if p.overflow {
			rest = append(rest, p)
		}
	}
	return x.run(ctx, s, rest, byAccumulators)
}
