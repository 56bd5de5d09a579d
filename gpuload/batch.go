package gpuload

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// queueSize is the number of keys in the queue of a thread block of Disjunct: at least
// maxK, plus two for each of its 512 threads.
const queueSize = 2048

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
	descs []kernels.ListDesc // of lists without an extent

	conjunctive bool
	local       bool             // docIDs of the results are local to their segments
	codecs      kernels.CodecSet // of the lists
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

// reset makes l ready for a batch.
func (l *batch) reset(x *Executor, st *stage, how way) {
	l.x, l.st, l.conjunctive, l.codecs = x, st, how == byAnd, 0
	l.plans, l.jobs, l.terms, l.descs, l.drives = l.plans[:0], l.jobs[:0], l.terms[:0], l.descs[:0], l.drives[:0]
}

// submit prepares a batch and submits it. It marks plans that the device cannot answer
// for the CPU.
func (x *Executor) submit(ctx context.Context, st *stage, plans []*plan, how way) error {
	l := &st.batch
	l.reset(x, st, how)
	if err := l.bring(ctx, plans); err != nil {
		return err
	}
	return x.lay(l, plans, how)
}

// lay lays a batch out and submits it.
func (x *Executor) lay(l *batch, plans []*plan, how way) error {
	size, terms := 1024+layout.DescSize*len(l.descs), 0
	for _, p := range plans {
		p.misfit = !x.usable(p)
		if p.cpu = p.misfit; p.cpu {
			continue
		}
		l.plans = append(l.plans, p)
		terms += len(p.lists)
		size += 16*len(p.lists) + 128*len(x.views) + 64
		for i := range p.lists {
			if s := p.lists[i].small; s != nil {
				size += 8*s.Len() + 64 + layout.DescSize
			}
		}
	}
	if len(l.plans) == 0 {
		return nil
	}
	l.terms, l.drives = slices.Grow(l.terms, terms), slices.Grow(l.drives, terms)
	if how == byAccumulators {
		return l.disjunctions(size)
	}
	return l.ranked(size)
}

// bring makes the lists of plans resident and pins them for the batch of that epoch.
func (x *Executor) bring(ctx context.Context, plans []*plan, epoch uint64) error {
	l := &batch{x: x, st: &stage{epoch: epoch}}
	return l.bring(ctx, plans)
}

// bring makes the lists of plans resident and pins them for the batch.
func (l *batch) bring(ctx context.Context, plans []*plan) error {
	x, epoch := l.x, l.st.epoch
	wants, moved := l.wants[:0], l.moved[:0] // moved: lists that are not where their terms say
	for _, p := range plans {
		for i := range p.lists {
			if o := &p.lists[i]; o.n > 0 && o.small == nil {
				wants = append(wants, &o.want)
				if o.want.List == nil {
					moved = append(moved, o)
				}
			}
		}
	}
	l.wants, l.moved = wants, moved
	missing, bare := x.lists.Find(wants, epoch)
	err := x.lists.Mark(bare)
	if err != nil {
		return err
	}
	x.aside(func() { err = x.load(ctx, missing, plans, epoch) })
	if err != nil {
		return err
	}
	for _, o := range moved {
		o.home.list.Store(o.want.List)
	}
	return nil
}

// usable reports whether all lists of a plan are on the device.
func (x *Executor) usable(p *plan) bool {
	for range absent(p.lists) {
		return false
	}
	return true
}

// addTerms appends the terms of a job.
func (l *batch) addTerms(c *job) {
	c.first = len(l.terms)
	c.drive = take(&l.drives, len(c.plan.weights))[:0]
	for t, w := range c.plan.weights {
		o := &c.plan.lists[t*len(l.x.views)+c.seg]
		if o.n == 0 {
			continue
		}
		term := kernels.Term{Weight: w, Bound: w} // no score exceeds the weight
		if o.small != nil {
			term.List = l.st.zoneFirst + uint32(len(l.descs))
			docs := l.x.views[c.seg].Docs
			l.descs = append(l.descs, layout.AppendPlain(l.st.Buffers, *o.small, docs))
		} else {
			term.List = o.want.List.Slot
			l.codecs |= o.want.List.Codecs
			term.Bound = l.x.scorer.Bound(w, o.want.List.Quad)
		}
		l.terms = append(l.terms, term)
		c.drive = append(c.drive, o)
	}
	c.terms = len(l.terms) - c.first
	rest := 0.0
	for i := len(l.terms) - 1; i >= c.first; i-- {
		l.terms[i].Rest = float32(rest * (1 + 1e-6)) // not less than the sum in float32
		rest += float64(l.terms[i].Bound)
	}
}

// queries returns the descriptors of the jobs. The caller sets Out.
func (l *batch) queries() []kernels.QueryDesc {
	q := sized(&l.descsOf, len(l.jobs))
	for i, c := range l.jobs {
		s := &l.x.views[c.seg]
		q[i] = kernels.QueryDesc{Norms: l.x.norms[c.seg], Live: l.x.live[c.seg], FirstTerm: uint32(c.first),
			NTerms: uint32(c.terms), DocBase: s.Base, Docs: s.Docs, Slot: uint32(c.slot)}
		if l.local {
			q[i].DocBase = 0
		}
	}
	return q
}

// send enqueues the copies of In and of the small lists' descriptors.
func (l *batch) send() {
	st := l.st
	if len(l.descs) > 0 {
		p := layout.Put(st.Buffers, l.descs)
		size := layout.DescSize
		st.Batch.CopyIn(l.x.lists.Table+kernels.Ptr(size*int(st.zoneFirst)), st.At(p, size*len(l.descs)))
	}
	st.CopyIn()
}

// conjunctive reports whether all terms of a plan occur in a segment, and returns the
// number of postings of the first.
func (x *Executor) conjunctive(p *plan, seg int) (uint32, bool) {
	for t := range p.weights {
		if p.lists[t*len(x.views)+seg].n == 0 {
			return 0, false
		}
	}
	return p.lists[seg].n, true
}

func blocksOf(o *posting) uint32 {
	if o.small != nil {
		return 1
	}
	return o.want.List.Blocks
}

// outLayout returns the offset of each plan's keys in Out, where they follow the counts,
// and the size of both.
func (l *batch) outLayout() (keys []int, size int) {
	size = (4*len(l.plans) + 15) &^ 15
	keys = sized(&l.outKeys, len(l.plans))
	for i, p := range l.plans {
		keys[i] = size
		size += 8 * p.k
	}
	return keys, size
}

func (l *batch) reserve(in int, work int64, out int) error {
	// Each array that Scratch returns may be padded by up to 16 bytes.
	return l.x.makeRoom(l.st, in, work+64*int64(len(l.plans)), out)
}

// makeRoom makes room in the buffers of a stage, if need be with the scratch memory of those
// that are idle: after long batches they may hold all that there is.
func (x *Executor) makeRoom(st *stage, in int, work int64, out int) error {
	err := st.Reserve(in, work, out)
	if errors.Is(err, ErrMemory) && x.freeIdle() {
		err = st.Reserve(in, work, out)
	}
	return err
}

// freeIdle frees the scratch memory of idle stages. It reports whether there was any.
func (x *Executor) freeIdle() (some bool) {
	var stages []*stage
	for range len(x.idle) {
		select {
		case st := <-x.idle:
			stages = append(stages, st)
		default:
		}
	}
	for _, st := range stages {
		size := st.WorkSize()
		st.FreeWork()
		some = some || st.WorkSize() < size
		x.idle <- st
	}
	return some
}

// selection returns a launch that selects the top keys.
func (l *batch) selection(selects []kernels.Select) func() {
	maxk := 0
	for _, p := range l.plans {
		maxk = max(maxk, p.k)
	}
	buffer := uint32(512)
	for int(buffer) < maxk+256 {
		buffer *= 2
	}
	p := kernels.SelectParams{Jobs: layout.Put(l.st.Buffers, selects), NJobs: uint32(len(selects)), Buffer: buffer}
	return func() {
		l.st.Batch.Launch(kernels.SelectBest, len(selects), 8*int(buffer), kernels.Bytes(&p))
	}
}

// toOut makes the selections write to Out.
func (l *batch) toOut(selects []kernels.Select, outKeys []int) {
	for i := range selects {
		selects[i].Out = l.st.OutDev + kernels.Ptr(outKeys[i])
		selects[i].OutCount = l.st.OutDev + kernels.Ptr(4*i)
	}
}

// floors stores the initial floor of each query: a key that all its hits exceed, or 0.
func (l *batch) floors() kernels.Ptr {
	known := sized(&l.known, len(l.plans))
	for i, p := range l.plans {
		known[i] = 0
		if !l.conjunctive { // k-th impacts give no bound for documents that contain every term
			known[i] = l.x.floor(p)
		}
	}
	return layout.Put(l.st.Buffers, known)
}

// finish submits the batch: one copy in, the kernels, one copy out.
func (l *batch) finish(outKeys []int, launches ...func()) error {
	st := l.st
	l.send()
	st.Batch.Record(residency.Timers + 2*st.stream)
	for _, f := range launches {
		f()
	}
	st.Batch.Record(residency.Timers + 2*st.stream + 1)
	_, size := l.outLayout()
	st.Batch.CopyOut(st.Out[:size], st.OutDev)
	if err := l.x.dev.Submit(&st.Batch); err != nil {
		return err
	}
	st.pending = pending{plans: l.plans, keys: outKeys}
	return nil
}

// read decodes the results from the device.
func (p *pending) read(out []byte) {
	counts := format.Uint32s(out[:4*len(p.plans)])
	total := 0
	for i, q := range p.plans {
		total += min(int(counts[i]), q.k) // q.k for a query that overflowed
	}
	slab := p.arena.Hits(total)
	for i, q := range p.plans {
		if q.overflow = counts[i] == math.MaxUint32; q.overflow {
			continue
		}
		n := min(int(counts[i]), q.k)
		q.hits = take(&slab, n)
		for j, key := range format.Uint64s(out[p.keys[i] : p.keys[i]+8*n]) {
			q.hits[j] = query.Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
		}
	}
}
