package gpu

import (
	"math"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
)

// addTerms appends the terms of a job.
func (l *batch) addTerms(c *job) {
	if c.plan.way == byDrivers {
		l.addDriver(c)
		return
	}
	c.first = len(l.terms)
	c.drive = take(&l.drives, len(c.plan.weights))[:0]
	for t, w := range c.plan.weights {
		o := &c.plan.lists[t*len(l.x.docs.Views)+c.seg]
		if o.n == 0 {
			continue
		}
		l.terms = append(l.terms, l.term(c, t, w))
		if c.plan.clauses != nil {
			l.clauses = append(l.clauses, c.plan.clauses.of[t])
		}
		if c.plan.fields != nil || c.plan.clauses != nil {
			l.score = append(l.score, l.x.docs.Scoring(c.seg, c.plan.field(t)))
		}
		c.drive = append(c.drive, o)
	}
	c.terms = len(l.terms) - c.first
	bound(l.terms[c.first:], false)
}

// term returns term t of a job, with a weight. Its list, if that has no extent, becomes one of the batch.
func (l *batch) term(c *job, t int, w float32) kernels.Term {
	o := &c.plan.lists[t*len(l.x.docs.Views)+c.seg]
	if o.small == nil {
		l.codecs |= o.want.List.Codecs
		return kernels.Term{List: o.want.List.Slot, Weight: w, Bound: l.x.docs.Fields[c.plan.field(t)].Scorer.Bound(w, o.want.List.Quad)}
	}
	docs := l.x.docs.Views[c.seg].Docs
	l.descs = append(l.descs, layout.AppendPlain(l.st.Buffers, *o.small, docs))
	return kernels.Term{List: l.st.ZoneFirst + uint32(len(l.descs)-1), Weight: w, Bound: w} // no score exceeds the weight
}

// putTerms enqueues the copy of the terms, and of how they are scored if the index has a schema.
func (l *batch) putTerms() kernels.Ptr {
	if len(l.score) > 0 {
		l.scoresAt = layout.Put(l.st.Buffers, l.score)
	}
	if len(l.clauses) > 0 {
		l.clausesAt, l.testsAt = layout.Put(l.st.Buffers, l.clauses), layout.Put(l.st.Buffers, l.tests())
	}
	return layout.Put(l.st.Buffers, l.terms)
}

// fieldScoreSize is the size of a kernels.FieldScore.
const fieldScoreSize = int(unsafe.Sizeof(kernels.FieldScore{}))

// queries returns the descriptors of the jobs. The caller sets Out.
func (l *batch) queries() []kernels.QueryDesc {
	q := sized(&l.descsOf, len(l.jobs))
	for i, c := range l.jobs {
		s := &l.x.docs.Views[c.seg]
		q[i] = kernels.QueryDesc{Norms: l.x.docs.Norms[c.seg*len(l.x.docs.Fields)], Live: l.x.docs.Live, LiveFrom: s.Base, FirstTerm: uint32(c.first),
			NTerms: uint32(c.terms), DocBase: s.Base, Docs: s.Docs, Slot: uint32(c.slot)}
		if l.local {
			q[i].DocBase = 0
		}
		if at := c.plan.within; at != 0 {
			q[i].Live = at
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
		st.Batch.CopyIn(l.x.lists.Table+kernels.Ptr(size*int(st.ZoneFirst)), st.At(p, size*len(l.descs)))
	}
	st.CopyIn()
}

func blocksOf(o *posting) uint32 {
	if o.small != nil {
		return 1
	}
	return o.want.List.Blocks
}

// outLayout returns the offset of each plan's keys in Out, where they follow the counts and the totals,
// and the size of all.
func (l *batch) outLayout() (keys []int, size int) {
	size = (8*len(l.plans) + 15) &^ 15
	keys = sized(&l.outKeys, len(l.plans))
	for i, p := range l.plans {
		keys[i] = size
		size += 8 * p.k
	}
	return keys, size
}

func (l *batch) reserve(in int, work int64, out int) error {
	// Each array that Scratch returns may be padded by up to 16 bytes.
	return l.x.stages.Room(l.st, in, work+64*int64(len(l.plans)), out)
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

// toOut makes the selections write to Out.
func (l *batch) toOut(selects []kernels.Select, outKeys []int) {
	for i := range selects {
		selects[i].Out = l.st.OutDev + kernels.Ptr(outKeys[i])
		selects[i].OutCount = l.st.OutDev + kernels.Ptr(4*i)
		if l.plans[i].counts && l.plans[i].way != byClauses {
			selects[i].Total = l.totalOf(i)
		}
	}
}

// totalOf returns where the total of a plan goes.
func (l *batch) totalOf(plan int) kernels.Ptr {
	return l.st.OutDev + kernels.Ptr(4*(len(l.plans)+plan))
}

// floors stores the initial floor of each query: a key that all its hits exceed, or 0.
func (l *batch) floors() kernels.Ptr {
	known := sized(&l.known, len(l.plans))
	for i, p := range l.plans {
		known[i] = 0
		if !l.conjunctive { // k-th impacts give no bound for documents that contain every term
			known[i] = l.x.shape().floor(p)
		}
	}
	return layout.Put(l.st.Buffers, known)
}

// finish submits the batch: one copy in, the kernels, one copy out.
func (l *batch) finish(outKeys []int, launches ...func()) error {
	st := l.st
	l.send()
	st.Batch.Record(st.Timer())
	for _, f := range launches {
		f()
	}
	st.Batch.Record(st.Timer() + 1)
	_, size := l.outLayout()
	st.Batch.CopyOut(st.Out[:size], st.OutDev)
	if err := l.x.dev.Submit(&st.Batch); err != nil {
		return err
	}
	l.pending = pending{submitted: l.plans, keys: outKeys}
	return nil
}

// read decodes the results from the device.
func (p *pending) read(out []byte) {
	n := len(p.submitted)
	counts, totals := format.Uint32s(out[:4*n]), format.Uint32s(out[4*n:8*n])
	total := 0
	for i, q := range p.submitted {
		total += min(int(counts[i]), q.k) // q.k for a query that overflowed
	}
	slab := p.arena.Hits(total)
	var left []*plan
	for i, q := range p.submitted {
		if q.overflow = counts[i] == math.MaxUint32; q.overflow {
			continue
		}
		if q.counts {
			q.total = uint64(totals[i])
		}
		n := min(int(counts[i]), q.k)
		q.hits = take(&slab, n)
		if q.near != nil {
			nearestOf(q.hits, out[p.keys[i]:])
			if !q.near.field.coded {
				q.hits = q.near.hits(q.hits)
			} else if q.overflow = n == q.k; !q.overflow {
				left = append(left, q)
			}
			continue
		}
		if q.dot != nil {
			for j, key := range format.Uint64s(out[p.keys[i] : p.keys[i]+8*n]) {
				q.hits[j] = search.Hit{Doc: ^uint32(key), Score: float32(uint32(key>>32)) * q.dot.factor}
			}
			continue
		}
		for j, key := range format.Uint64s(out[p.keys[i] : p.keys[i]+8*n]) {
			q.hits[j] = search.Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
		}
	}
	scoreLeft(left)
}
