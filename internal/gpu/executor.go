package gpu

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/gpu/tables"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/reader"
)

// maxK returns the greatest k that the device supports.
func (x *Executor) maxK() int { return min(maxK, selectable(x.dev.Info().Shared)) }

// Executor answers batches of queries over one snapshot on a Device. It implements
// search.Executor and is safe for concurrent use: while the device works on some batches,
// of one call of Execute or of several, others are prepared and copied. The zero value is a
// closed Executor.
type Executor struct {
	dev          cuda.Device
	docs         *docs.Docs
	parser       *search.Parser
	snapshot     *reader.Snapshot
	tied         bool // hits with equal scores are not in the order of docIDs
	part         bool // of a collection: queries bring Frequencies
	options      Options
	lists        *residency.Lists
	terms        *terms.Cache[known]
	dictionaries []terms.Part // of segments
	crews        sync.Pool    // of *crew
	found        sync.Pool    // of *resolver
	tables       tables.Tables
	impacts      impacts
	vectors      vectorFields
	stages       *stages.Pool
	batches      [stages.Count]batch // of the stages
	state        state
	expected     atomic.Pointer[expected] // nil unless queries are expected before there is a device
	scarcity     scarcity
	left         [reasonCount]atomic.Int64 // queries that the CPU has answered, by why
	working      workers

	life    sync.RWMutex // held for reading during a call
	closed  bool
	release func() error    // releases what New holds beside the snapshot
	ctx     context.Context // until Close
	cancel  context.CancelFunc
	behind  sync.WaitGroup // loads that are no part of a call

	mu           sync.Mutex                   // guards the fields below
	conjunctions map[interface{ free() }]bool // open, and FilterBits
}

// pending is a submitted batch whose results have not been read.
type pending struct {
	submitted []*plan
	keys      []int
	arena     *search.Arena // for the hits; may be nil
}

// halfOf is hostHalf for segments and options that are valid.
func halfOf(segments []residency.Segment, o Options) *Executor {
	if o.fields == nil {
		o.fields = []docs.Field{{Scorer: o.Scorer}}
	}
	x := &Executor{docs: docs.New(segments, o.fields, o.AsStored || o.apart), options: o, conjunctions: map[interface{ free() }]bool{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.stages = stages.New(x.tables.Shed)
	x.state.ready, x.impacts = make(chan struct{}), impactFields(o.fields)
	for i := range segments {
		s := &segments[i]
		x.dictionaries = append(x.dictionaries, terms.Part{Views: s.Seg, Deletes: s.Deletes, Fields: dictionariesOf(s, len(o.fields))})
	}
	weigh := func(field int, df uint64, boost float64) float32 { return o.fields[field].Scorer.Boosted(df, boost) }
	x.terms = new(terms.Cache[known])
	x.terms.Init(weigh, len(o.fields), knownSets(x.docs.Terms(), len(x.docs.Views)))
	return x
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
func (x *Executor) Serves(s *search.Searcher) bool { return s.Over(x.snapshot) }

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
	// Tables are the bitmaps of filters and the columns of static scores that are resident now, which lie beside the
	// lists, and TableBytes the bytes of their memory.
	Tables, TableBytes int64
	// Tiled are the fields of impacts that are resident, each segment of them as one of Lists, and TiledBytes their share of Bytes.
	Tiled, TiledBytes int64
	// OnCPU are queries that the CPU has answered, by the reason.
	OnCPU Reasoned
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
	s.Tables, s.TableBytes = x.tables.Counts()
	s.Tiled, s.TiledBytes = x.impacts.resident()
	for r := range x.left {
		s.OnCPU[r] = x.left[r].Load()
	}
	s.Busy = time.Duration(x.stages.Busy() * 1e9)
	return s
}

// add adds the counters of another Executor.
func (s *Stats) add(o Stats) {
	s.Lists, s.Bytes, s.Stored = s.Lists+o.Lists, s.Bytes+o.Bytes, s.Stored+o.Stored
	s.Hits, s.Misses, s.HitBytes = s.Hits+o.Hits, s.Misses+o.Misses, s.HitBytes+o.HitBytes
	s.Loaded, s.Evicted, s.BytesLoaded = s.Loaded+o.Loaded, s.Evicted+o.Evicted, s.BytesLoaded+o.BytesLoaded
	s.Tables, s.TableBytes = s.Tables+o.Tables, s.TableBytes+o.TableBytes
	s.Tiled, s.TiledBytes = s.Tiled+o.Tiled, s.TiledBytes+o.TiledBytes
	s.OnCPU.add(&o.OnCPU)
	s.Refused, s.Marked, s.Busy = s.Refused+o.Refused, s.Marked+o.Marked, s.Busy+o.Busy
}

// Working returns how many goroutines look up, lay out and read queries now, or wait for a
// processor to do so. Those that wait for the device do not count.
func (x *Executor) Working() int { return int(x.working.Load()) }

// batch is a batch in preparation. A stage uses one for all its batches, so that its slices
// are allocated only while they grow.
type batch struct {
	pending
	x     *Executor
	st    *stages.Stage
	plans []*plan // those that are ranged behind the others
	jobs  []job   // likewise
	terms []kernels.Term
	score []kernels.FieldScore // by term, if the index has a schema or plans go by clauses

	clauses            []kernels.Clause // by term of plans that have them
	clausesAt, testsAt kernels.Ptr      // of the plans, on the device

	descs []kernels.ListDesc // of lists without an extent

	conjunctive bool
	local       bool             // docIDs of the results are local to their segments
	codecs      kernels.CodecSet // of the lists
	scoresAt    kernels.Ptr      // score on the device
	drives      []*posting       // slab for job.drive

	// Scratch.
	wants   []*residency.Want
	moved   []*posting
	caps    []int64
	outs    []kernels.Ptr
	outKeys []int
	selects []kernels.Select
	descsOf []kernels.QueryDesc
	order   []uint64
	sorted  []job
	passes  [3]pass
	cuts    []kernels.RankPart
	known   []uint64 // floors, by plan
	wide    []float64
}

// sized returns a slice of n zeros in the memory of *s, which grows if necessary.
func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n+n/4)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

// part is a run of blocks of a driver, the list whose docIDs are candidates.
type part struct{ query, from, to uint32 }

// pass is one launch of Rank.
type pass struct {
	queries []kernels.QueryDesc
	parts   []part
	blocks  int64
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

func (x *Executor) shape() shape { return shape{x.docs, &x.options} }

func (x *Executor) modules() *modules {
	return &modules{x.docs, x.options.AsStored, x.impacts != nil, x.comparesVectors()}
}
