package gpuload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// maxK is the greatest k that the device answers.
const maxK = 1024

// ErrUnsupported says that a query cannot be answered on the device and that no
// other executor was given: k over 1024, over 64 terms, a filter, a codec without
// kernels, or a list that did not fit.
var ErrUnsupported = errors.New("gpuload: query not supported on the device")

// Segment is one segment of the snapshot that an Executor answers from.
type Segment struct {
	Segment *segment.Segment
	Base    uint32   // global docID of its first document
	Deletes []uint64 // bitmap of deleted documents by local docID, as reader.Deletes.Bits; nil for none
}

// Options tune an Executor. The zero value is good.
type Options struct {
	// CPU answers what the device cannot; nil: such a query is ErrUnsupported.
	CPU query.Executor
	// Memory bounds the device memory for lists in bytes; 0: two thirds of what is free.
	Memory int64
	// Threshold is PARA's: how many postings the first lists of a batch have at most
	// together, with the keys that disjunctions may collect beside them. Each takes 8
	// bytes of device memory in each of 8 batches. 0: a 1,024th of the bytes that are
	// free, from 8 Mi to 128 Mi.
	Threshold int64
	// Width is how many accumulators a thread block keeps in shared memory; 0: as many as fit.
	Width int
	// Accumulate is how disjunctions are answered.
	Accumulate Accumulation
	// Scratch bounds the device memory for GlobalAccumulators in bytes, for each of the
	// batches that are under way, unless one query needs more; 0: 1 GiB.
	Scratch  int64
	overflow int64 // of tests: instead of overflowKeys
	// Presence is from how many postings on a list gets presence words, a byte a
	// posting, when a batch uses it again and there is memory; 0: 4,096, below 0: none does.
	Presence int64

	// Select is how the best of a query's keys are found.
	Select Selection
	// Locate is one of kernels.LocateAuto to LocateHash.
	Locate uint32
}

// Selection is a way to find the k best of a query's keys (kernels/topk.cu). All find
// the same.
type Selection uint8

// The ways.
const (
	SelectQueue  Selection = iota // a queue of the best in shared memory, a thread block a query
	SelectWarp                    // such a queue for every warp, a warp a query
	SelectMaxima                  // group-wise maxima, Ding 2009 section 8
	SelectRadix                   // radix select, Griffin 2018 section 3.1.3
	SelectCount                   // how many there are
)

var selections = [SelectCount]kernels.Kernel{kernels.SelectBest, kernels.SelectWarp, kernels.SelectMaxima, kernels.SelectRadix}

// Executor answers batches of queries on a Device. It implements query.Executor and is
// safe for concurrent use: while the device works on batches, of one Execute or of
// several, others are laid out and copied.
type Executor struct {
	mu       sync.Mutex // of epoch, busy, and the epochs of stages
	dev      Device
	segments []Segment
	scorer   *query.Scorer
	options  Options
	docs     uint64
	lists    *Lists
	norms    []Ptr // by segment
	live     []Ptr
	stages   [Streams - 1]stage // the last stream is that of loads
	idle     chan *stage
	most     most
	epoch    uint64
	width    int
	busy     float64
	codes    Ptr // what the codes of quads mean
}

const (
	tableSlots = 1 << 20
	zoneSlots  = 1 << 16 // for lists without an extent, a batch
)

// New returns an Executor over segments, in the order of their bases. scorer is
// the snapshot's. The segments must stay open until Close.
func New(dev Device, segments []Segment, scorer *query.Scorer, o Options) (*Executor, error) {
	x := &Executor{dev: dev, segments: segments, scorer: scorer, options: o, epoch: 1}
	if err := x.open(); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// open takes the device memory that an executor always needs.
func (x *Executor) open() (err error) {
	dev, segments := x.dev, x.segments
	if x.options.Select >= SelectCount {
		return fmt.Errorf("gpuload: no selection %d", x.options.Select)
	}
	if x.options.Accumulate >= AccumulationCount {
		return fmt.Errorf("gpuload: no accumulation %d", x.options.Accumulate)
	}
	if x.options.Scratch == 0 {
		x.options.Scratch = scratchBytes
	}
	if x.options.overflow == 0 {
		x.options.overflow = overflowKeys
	}
	info := dev.Info()
	if x.options.Threshold == 0 {
		x.options.Threshold = min(max(info.Memory>>10, 8<<20), 128<<20)
	}
	if x.options.Memory == 0 {
		x.options.Memory = info.Memory / 3 * 2
	}
	x.width = (info.Shared - 2048 - 8*queueSize) / 4
	if info.Shared > 100<<10 { // two thread blocks a multiprocessor
		x.width = (info.Shared/2 - 2048 - 8*queueSize) / 4
	}
	x.width &^= 1023
	if w := x.options.Width; w > 0 {
		x.width = min(x.width, w)
	}
	segs := make([]*segment.Segment, len(segments))
	for i, s := range segments {
		segs[i] = s.Segment
		x.docs += uint64(s.Segment.Meta().Docs)
	}
	slots := uint32(min(tableSlots, x.options.Memory/512+1024)) + uint32(len(x.stages))*zoneSlots
	if x.lists, err = newLists(dev, segs, x.options.Memory, slots, uint32(len(x.stages))*zoneSlots); err != nil {
		return err
	}
	x.lists.least = leastMarked(x.options.Presence)
	x.idle = make(chan *stage, len(x.stages))
	for i := range x.stages {
		st := &x.stages[i]
		st.dev, st.most, st.stream, st.zoneFirst = dev, &x.most, i, slots-uint32(len(x.stages)-i)*zoneSlots
		x.idle <- st
	}
	for i := range segments {
		if err = x.prepare(i); err != nil {
			return err
		}
	}
	return x.prepareCodes()
}

// prepare computes a segment's norms on the device and copies its live documents.
func (x *Executor) prepare(i int) error {
	s := x.segments[i]
	m := s.Segment.Meta()
	lens, err := s.Segment.DocLens()
	if err != nil {
		return err
	}
	n := int(m.Docs)
	table := make([]float32, int(min(m.MaxLen, 1<<26))+1)
	for l := range table {
		table[l] = x.scorer.Norm(uint32(l))
	}
	norms, err := x.dev.Alloc(int64(4*n) + 64)
	if err != nil {
		return err
	}
	x.norms = append(x.norms, norms)
	x.live = append(x.live, 0)
	if len(s.Deletes) > 0 {
		if x.live[i], err = x.dev.Alloc(int64(n+31)/32*4 + 64); err != nil {
			return err
		}
	}
	st := &stage{dev: x.dev, most: new(most)}
	defer st.close()
	st.reset(0)
	bits := make([]uint32, (n+31)/32)
	if err := st.reserveIn(len(lens.Bytes()) + 4*len(table) + 4*len(bits) + 256); err != nil {
		return err
	}
	p := kernels.NormParams{Table: put(st, table), Lengths: put(st, lens.Bytes()[:n*lens.Width()]), Norms: norms,
		N: uint32(n), Width: uint32(lens.Width()), TableLen: uint32(len(table))}
	st.batch.CopyIn(st.inDev, st.in)
	st.batch.Launch(kernels.NormsOfLengths, (n+255)/256, 0, kernels.Bytes(&p))
	if x.live[i] != 0 {
		for d := range bits {
			bits[d] = ^uint32(0)
			if w := d / 2; w < len(s.Deletes) {
				bits[d] = ^uint32(s.Deletes[w] >> (d % 2 * 32))
			}
		}
		live := put(st, bits)
		st.batch.CopyIn(x.live[i], st.in[live-st.inDev:])
	}
	if err := x.dev.Submit(&st.batch); err != nil {
		return err
	}
	return x.dev.Wait(0)
}

// prepareCodes copies what the codes of quads mean to the device.
func (x *Executor) prepareCodes() (err error) {
	codes := make([]float32, 512)
	for c := range 256 {
		codes[c] = float32(format.DecodeTF(uint8(c)))
		codes[256+c] = x.scorer.Norm(format.DecodeLen(uint8(c)))
	}
	codes[255] = float32(math.Inf(1))
	if x.codes, err = x.dev.Alloc(4 * 512); err != nil {
		return err
	}
	st := &stage{dev: x.dev, most: new(most)}
	defer st.close()
	st.reset(0)
	if err := st.reserveIn(4*512 + 64); err != nil {
		return err
	}
	put(st, codes)
	st.batch.CopyIn(x.codes, st.in)
	if err := x.dev.Submit(&st.batch); err != nil {
		return err
	}
	return x.dev.Wait(0)
}

// Lists returns the residency of the executor's lists.
func (x *Executor) Lists() *Lists { return x.lists }

// Close frees everything on the device.
func (x *Executor) Close() {
	if x.lists != nil {
		x.lists.close()
	}
	for i := range x.stages {
		if x.stages[i].dev != nil {
			x.stages[i].close()
		}
	}
	for _, p := range append(append([]Ptr{x.codes}, x.norms...), x.live...) {
		if p != 0 {
			_ = x.dev.Free(p)
		}
	}
}

// Execute answers queries.
func (x *Executor) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	plans := x.resolve(queries)
	use := make([]*plan, len(plans))
	for i := range plans {
		if err := plans[i].err; err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		use[i] = &plans[i]
	}
	if err := x.answer(ctx, use); err != nil {
		return nil, err
	}
	return x.finish(ctx, queries, plans)
}

// onCPU has the CPU answer what the device could not.
func (x *Executor) onCPU(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	if x.options.CPU != nil {
		return x.options.CPU.Execute(ctx, queries)
	}
	if err := x.lists.Damaged(); err != nil {
		return nil, err
	}
	return nil, ErrUnsupported
}

// answer gives plans their hits, or marks them for the CPU.
func (x *Executor) answer(ctx context.Context, plans []*plan) error {
	var and, or []*plan
	for _, p := range plans {
		switch {
		case p.done || p.cpu:
		case p.mode == query.Or:
			or = append(or, p)
		default:
			and = append(and, p)
		}
	}
	if err := x.run(ctx, and, byAnd); err != nil {
		return err
	}
	for _, p := range and {
		if p.mode == query.AndOr && !p.cpu && len(p.hits) < p.k {
			p.hits = nil
			or = append(or, p)
		}
	}
	if err := x.run(ctx, or, ways[x.options.Accumulate]); err != nil {
		return err
	}
	var rest []*plan
	for _, p := range or {
		if p.overflow {
			rest = append(rest, p)
		}
	}
	return x.run(ctx, rest, byAccumulators)
}

// finish answers on the CPU what the device could not.
func (x *Executor) finish(ctx context.Context, queries []query.Query, plans []plan) ([]query.Result, error) {
	results := make([]query.Result, len(queries))
	var rest []query.Query
	var at []int
	for i := range plans {
		if plans[i].cpu {
			rest, at = append(rest, queries[i]), append(at, i)
			continue
		}
		results[i].Hits = plans[i].hits
	}
	if len(rest) == 0 {
		return results, nil
	}
	r, err := x.onCPU(ctx, rest)
	if err != nil {
		return nil, fmt.Errorf("query %d: %w", at[0], err)
	}
	for i, j := range at {
		results[j] = r[i]
	}
	return results, nil
}
