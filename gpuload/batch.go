package gpuload

import (
	"errors"
	"math"
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

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
			term.Bound = l.x.fields[c.plan.field(t)].scorer.Bound(w, o.want.List.Quad)
		}
		l.terms = append(l.terms, term)
		if c.plan.fields != nil {
			l.score = append(l.score, l.x.scoring(c.seg, c.plan.field(t)))
		}
		c.drive = append(c.drive, o)
	}
	c.terms = len(l.terms) - c.first
	rest := 0.0
	for i := len(l.terms) - 1; i >= c.first; i-- {
		l.terms[i].Rest = float32(rest * (1 + 1e-6)) // not less than the sum in float32
		rest += float64(l.terms[i].Bound)
	}
}

// putTerms enqueues the copy of the terms, and of how they are scored if the index has a schema.
func (l *batch) putTerms() kernels.Ptr {
	if len(l.score) > 0 {
		l.scoresAt = layout.Put(l.st.Buffers, l.score)
	}
	return layout.Put(l.st.Buffers, l.terms)
}

// fieldScoreSize is the size of a kernels.FieldScore.
const fieldScoreSize = int(unsafe.Sizeof(kernels.FieldScore{}))

// queries returns the descriptors of the jobs. The caller sets Out.
func (l *batch) queries() []kernels.QueryDesc {
	q := sized(&l.descsOf, len(l.jobs))
	for i, c := range l.jobs {
		s := &l.x.views[c.seg]
		q[i] = kernels.QueryDesc{Norms: l.x.norms[c.seg*len(l.x.fields)], Live: l.x.live[c.seg], FirstTerm: uint32(c.first),
			NTerms: uint32(c.terms), DocBase: s.Base, Docs: s.Docs, Slot: uint32(c.slot)}
		if l.local {
			q[i].DocBase = 0
		}
		if at := c.plan.within; at != 0 {
			q[i].Live = at + kernels.Ptr(s.Base/8)
		}
		if at := c.plan.statics; at != 0 {
			q[i].Statics, q[i].Most = at+4*kernels.Ptr(s.Base), c.plan.most
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

// makeRoom makes room in the buffers of a stage, if need be with what is spare: the scratch memory of
// stages that are idle may be all that there is after long batches.
func (x *Executor) makeRoom(st *stage, in int, work int64, out int) error {
	err := st.Reserve(in, work, out)
	if errors.Is(err, ErrMemory) && x.freeSpare() {
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
	for int(buffer) < maxk+selectThreads {
		buffer *= 2
	}
	p := kernels.SelectParams{Jobs: layout.Put(l.st.Buffers, selects), NJobs: uint32(len(selects)), Buffer: buffer}
	return func() {
		l.st.Batch.Launch(kernels.SelectBest, len(selects), 8*int(buffer), kernels.Bytes(&p))
	}
}

// selectThreads is the number of threads of SelectBest: keys that its queue must hold beside the best.
const selectThreads = 256

// selectable returns the greatest k for which the queue of SelectBest, a power of two of keys, fits in shared memory.
func selectable(shared int) int {
	return 1<<(bits.Len(uint(max(shared-2048, 8*512)/8))-1) - selectThreads
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
	st.Batch.Record(timer(st))
	for _, f := range launches {
		f()
	}
	st.Batch.Record(timer(st) + 1)
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
		if q.dot != nil {
			for j, key := range format.Uint64s(out[p.keys[i] : p.keys[i]+8*n]) {
				q.hits[j] = query.Hit{Doc: ^uint32(key), Score: float32(uint32(key>>32)) * q.dot.factor}
			}
			continue
		}
		for j, key := range format.Uint64s(out[p.keys[i] : p.keys[i]+8*n]) {
			q.hits[j] = query.Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
		}
	}
}

// floor returns a key that at least k documents exceed, by the k-th impacts of the lists,
// or 0.
func (x *Executor) floor(p *plan) (key uint64) {
	if p.within != 0 {
		return 0 // those documents may not be among its hits
	}
	for t, w := range p.weights {
		for s := range x.views {
			o := &p.lists[t*len(x.views)+s]
			r := o.want.List
			if r == nil {
				continue
			}
			for i, n := range o.reach {
				if tf, dl, ok := r.Kth[i].Pair(); ok && p.k <= int(n) {
					sc := x.fields[p.field(t)].scorer
					v := sc.Score(w, float32(tf), sc.Norm(dl))
					key = max(key, uint64(math.Float32bits(v))<<32)
					break
				}
			}
		}
	}
	return key
}

// occurs returns the number of postings that a plan's terms have in a segment.
func (x *Executor) occurs(p *plan, seg int) (n int64) {
	for t := range p.weights {
		n += int64(p.lists[t*len(x.views)+seg].n)
	}
	return n
}
