package gpuload

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// maxK is the greatest k that a device supports, if its thread blocks have enough shared memory for a selection.
const maxK = 10000

// maxK returns the greatest k that the device supports.
func (x *Executor) maxK() int { return min(maxK, selectable(x.dev.Info().Shared)) }

// ErrUnsupported means that the device cannot answer a query and that Options.CPU is nil.
// Such a query is neither a disjunction nor a conjunction of terms (a tree of nodes within nodes, or
// one with patterns), asks for its total, facets or a trace, is sorted or collapsed, has an After, k over 10,000 (over 7,936 or 3,840 where a thread block has less than 133 or 68 KB of shared memory) or more than
// 64 terms, or needs a list, or a bitmap of a filter, that did not fit, or room for the keys of more documents than Options.Threshold, or a list in a codec without kernels. New fails with it if the
// snapshot has more than 2^32-2^20 documents or one of more than 2^26 tokens.
var ErrUnsupported = errors.New("gpuload: query not supported on the device")

// Executor answers batches of queries over one snapshot on a Device. It implements
// query.Executor and is safe for concurrent use: while the device works on some batches,
// of one call of Execute or of several, others are prepared and copied. The zero value is a
// closed Executor.
type Executor struct {
	dev          cuda.Device
	segments     []residency.Segment
	views        []residency.View
	aligned      bool    // bitmaps of all documents have a whole word where each view begins
	fields       []field // of the documents, at least one
	parser       *query.Parser
	snapshot     *reader.Snapshot
	part         bool // of a collection: queries bring Frequencies
	options      Options
	docs         uint64
	lists        *residency.Lists
	terms        terms.Cache[known]
	dictionaries []terms.Part  // of segments
	crews        sync.Pool     // of *crew
	found        sync.Pool     // of *resolver
	norms        []kernels.Ptr // by view and field, as kernels.FieldScore has them
	lengths      []kernels.Ptr // of documents, beside norms that are lengths
	live         []kernels.Ptr // by view
	tables       docTables
	impacts      []*impactField                              // by field; nil if there are none
	codes        kernels.Ptr                                 // decoded values of quad codes, by field
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
	busy         float64                      // seconds
	conjunctions map[interface{ free() }]bool // open, and FilterBits
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

// halfOf is hostHalf for segments and options that are valid.
func halfOf(segments []residency.Segment, o Options) *Executor {
	if o.fields == nil {
		o.fields = []field{{scorer: o.Scorer}}
	}
	x := &Executor{segments: segments, views: residency.Join(segments, o.AsStored || o.apart), fields: o.fields, options: o, epoch: 1, conjunctions: map[interface{ free() }]bool{}}
	x.state.ready, x.impacts = make(chan struct{}), impactFields(o.fields)
	x.aligned = !slices.ContainsFunc(x.views, func(v residency.View) bool { return v.Base%32 != 0 })
	for i := range x.views {
		x.docs += uint64(x.views[i].Docs)
	}
	for i := range segments {
		s := &segments[i]
		x.dictionaries = append(x.dictionaries, terms.Part{Views: s.Seg, Deletes: s.Deletes, Fields: dictionariesOf(s, len(o.fields))})
	}
	weigh := func(field int, df uint64, boost float64) float32 { return o.fields[field].scorer.Boosted(df, boost) }
	x.terms.Init(weigh, len(o.fields), knownSets(x.countTerms(), len(x.views)))
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
func (x *Executor) Serves(s *query.Searcher) bool { return s.Over(x.snapshot) }

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
	// Tiled are the fields of impacts that are resident, each of them as one of Lists, and TiledBytes their share of Bytes.
	Tiled, TiledBytes int64
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
	s.Tables, s.TableBytes = x.tables.counts()
	s.Tiled, s.TiledBytes = x.tiled()
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
	s.Tables, s.TableBytes = s.Tables+o.Tables, s.TableBytes+o.TableBytes
	s.Tiled, s.TiledBytes = s.Tiled+o.Tiled, s.TiledBytes+o.TiledBytes
	s.Refused, s.Marked, s.Busy = s.Refused+o.Refused, s.Marked+o.Marked, s.Busy+o.Busy
}

// Working returns how many goroutines look up, lay out and read queries now, or wait for a
// processor to do so. Those that wait for the device do not count.
func (x *Executor) Working(trusted.Caller) int { return int(x.working.Load()) }

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

// scratch is memory for onDevice, and where the hits go.
type scratch struct {
	and, or, dots, byList, byRange, sorted []*plan
	arena                                  *query.Arena
}

// state says whether an Executor's device answers queries: not while the driver compiles
// the kernels, and not after a failure.
type state struct {
	works atomic.Bool
	short atomic.Int32  // calls in a row that ran out of memory
	ready chan struct{} // closed when works has been true or never will be
	once  sync.Once     // of started
	mu    sync.Mutex
	err   error // why the device does not answer
}

// way is an algorithm for a batch.
type way int

const (
	byAnd        way = iota // Rank, all terms required
	byOr                    // Rank, list by list
	byRanges                // Disjunct
	byTiles                 // AddImpacts
	byTilesAlone            // the same, with room for all keys
)

// A batch has at most batchQueries queries, and at least leastQueries if there are
// enough: these keep the device busy. With several batches, one is prepared, copied or
// read while the device works on another.
const (
	batchQueries = 1 << 14
	leastQueries = 1 << 10
	batchHits    = 1 << 20 // most hits of a batch of several queries: 8 MB of pinned memory
)

// job is one query on one segment.
type job struct {
	plan  *plan
	seg   int
	slot  int // index of the query in the batch
	first int // index of its first term
	terms int
	drive []*posting // postings of its terms, in canonical order
}

// batch is a batch in preparation. A stage uses one for all its batches, so that its slices
// are allocated only while they grow.
type batch struct {
	x     *Executor
	st    *stage
	plans []*plan
	jobs  []job
	terms []kernels.Term
	score []kernels.FieldScore // by term, if the index has a schema
	descs []kernels.ListDesc   // of lists without an extent

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

// oldest returns the lowest epoch of the batches in flight, at most epoch.
func (x *Executor) oldest(epoch uint64) uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.stages {
		if e := x.stages[i].epoch; e > 0 {
			epoch = min(epoch, e)
		}
	}
	return epoch
}

// nextEpoch starts a new epoch. Every batch and every load has one.
func (x *Executor) nextEpoch() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.epoch++
	return x.epoch
}

// takeStage waits for a stage and starts an epoch, during which no list that it uses is
// evicted.
func (x *Executor) takeStage(ctx context.Context) (*stage, error) {
	var st *stage
	select {
	case st = <-x.idle:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x.mu.Lock() // oldest must see the epoch
	x.epoch++
	st.epoch = x.epoch
	x.mu.Unlock()
	return st, nil
}

// giveBack ends the epoch of a stage that takeStage returned.
func (x *Executor) giveBack(st *stage) {
	x.mu.Lock()
	st.epoch = 0
	x.mu.Unlock()
	x.idle <- st
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
