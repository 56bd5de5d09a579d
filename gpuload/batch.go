package gpuload

import (
	"context"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/query"
)

// queueSize is the number of keys of a thread block's queue in Disjunct: at least
// maxK and two for each of its 512 threads.
const queueSize = 2048

// chore is one query on one segment.
type chore struct {
	plan  *plan
	seg   int
	slot  int // of the query within the batch
	first int // its terms
	terms int
}

// layout is a batch being laid out.
type layout struct {
	x      *Executor
	st     *stage
	plans  []*plan
	chores []chore
	terms  []kernels.Term
	descs  []kernels.ListDesc // of small lists
}

// submit lays a batch out and submits it. Plans that the device cannot answer are
// marked for the CPU.
func (x *Executor) submit(ctx context.Context, st *stage, plans []*plan, conjunctive bool) error {
	x.epoch++
	st.epoch = x.epoch
	if err := x.bring(ctx, plans); err != nil {
		return err
	}
	l := &layout{x: x, st: st}
	raw := 0
	for _, p := range plans {
		if p.cpu = !x.usable(p); p.cpu {
			continue
		}
		l.plans = append(l.plans, p)
		for i := range p.lists {
			if s := p.lists[i].small; s != nil {
				raw += 8*len(s.docs) + 64
			}
		}
	}
	if len(l.plans) == 0 {
		return nil
	}
	size := raw + 1024
	for _, p := range l.plans {
		size += 128*len(p.lists) + 16*len(p.lists) + 128*len(x.segments) + 64
	}
	if conjunctive {
		return l.conjunctions(size)
	}
	return l.disjunctions(size)
}

// bring makes the lists of plans resident where they are not.
func (x *Executor) bring(ctx context.Context, plans []*plan) error {
	var wants []*want
	for _, p := range plans {
		for i := range p.lists {
			if w := &p.lists[i]; w.n > 0 && w.small == nil {
				wants = append(wants, &w.want)
			}
		}
	}
	missing := x.lists.find(wants, x.epoch)
	if len(missing) == 0 {
		return nil
	}
	return x.lists.load(ctx, missing, x.epoch-1, x.epoch)
}

// usable reports whether all lists of a plan are on the device.
func (x *Executor) usable(p *plan) bool {
	for i := range p.lists {
		if o := &p.lists[i]; o.n > 0 && o.small == nil && o.want.list == nil {
			return false
		}
	}
	return true
}

// addTerms appends the terms of a plan in a segment and returns the first and how
// many they are.
func (l *layout) addTerms(p *plan, seg int) (first, n int) {
	first = len(l.terms)
	for t, w := range p.weights {
		o := &p.lists[t*len(l.x.segments)+seg]
		if o.n == 0 {
			continue
		}
		slot := uint32(0)
		if o.small != nil {
			slot = l.st.zoneFirst + uint32(len(l.descs))
			l.addSmall(o.small, seg)
		} else {
			slot = o.want.list.slot
		}
		l.terms = append(l.terms, kernels.Term{List: slot, Weight: w})
	}
	return first, len(l.terms) - first
}

// addSmall lays a list without an extent out as plain values.
func (l *layout) addSmall(s *small, seg int) {
	n := uint32(len(s.docs))
	ends := put(l.st, []uint32{0, n, s.docs[n-1]})
	l.descs = append(l.descs, kernels.ListDesc{
		Docs: put(l.st, s.docs), Freqs: put(l.st, s.freqs), DocEnds: ends, FreqEnds: ends, Last: ends + 8,
		N: n, Blocks: 1, DocWords: n, FreqWords: n, LogBlock: 7, MaxDoc: l.x.segments[seg].Segment.Meta().Docs,
	})
}

// queries returns the descriptors of the chores; out is set by the caller.
func (l *layout) queries() []kernels.QueryDesc {
	q := make([]kernels.QueryDesc, len(l.chores))
	for i, c := range l.chores {
		s := &l.x.segments[c.seg]
		q[i] = kernels.QueryDesc{Norms: l.x.norms[c.seg], Live: l.x.live[c.seg], FirstTerm: uint32(c.first),
			NTerms: uint32(c.terms), DocBase: s.Base, Docs: s.Segment.Meta().Docs, Slot: uint32(c.slot), K: uint32(c.plan.k)}
	}
	return q
}

// send enqueues the copy of what was laid out, with the small lists' descriptors.
func (l *layout) send() {
	st := l.st
	if len(l.descs) > 0 {
		p := put(st, l.descs)
		at := int(p - st.inDev)
		st.batch.CopyIn(l.x.lists.table+Ptr(st.zoneFirst)*Ptr(len(kernels.Bytes(&l.descs[0]))),
			st.in[at:at+len(kernels.Slice(l.descs))])
	}
	st.batch.CopyIn(st.inDev, st.in)
}

// conjunctions lays out: a tile a block of the first list, keys appended per query,
// one selection a query.
func (l *layout) conjunctions(size int) error {
	x, st := l.x, l.st
	tiles, keys := 0, int64(0)
	for slot, p := range l.plans {
		for s := range x.segments {
			if n, ok := x.conjunctive(p, s); ok {
				l.chores = append(l.chores, chore{plan: p, seg: s, slot: slot})
				tiles += int(blocksOf(&p.lists[s]))
				keys += int64(n)
			}
		}
	}
	outKeys, outBytes := l.outLayout()
	if err := l.reserve(size+8*tiles+64*len(l.plans), 4*int64(len(l.plans))+8*keys+256, outBytes); err != nil {
		return err
	}
	counts := st.scratch(4 * int64(len(l.plans)))
	for i := range l.chores {
		c := &l.chores[i]
		c.first, c.terms = l.addTerms(c.plan, c.seg)
	}
	queries, work := l.queries(), make([]kernels.Tile, 0, tiles)
	outs := make([]Ptr, len(l.plans))
	for i, c := range l.chores {
		if outs[c.slot] == 0 {
			var n int64
			for s := range x.segments {
				if m, ok := x.conjunctive(c.plan, s); ok {
					n += int64(m)
				}
			}
			outs[c.slot] = st.scratch(8 * n)
		}
		queries[i].Out = outs[c.slot]
		for b := range blocksOf(&c.plan.lists[c.seg]) {
			work = append(work, kernels.Tile{Job: uint32(i), First: b})
		}
	}
	p := kernels.IntersectParams{Lists: x.lists.table, Queries: put(st, queries), Terms: put(st, l.terms),
		Tiles: put(st, work), Counts: counts, NTiles: uint32(len(work)), Locate: x.options.Locate}
	selects := make([]kernels.Select, len(l.plans))
	for i, p := range l.plans {
		selects[i] = kernels.Select{Keys: outs[i], Counts: counts + Ptr(4*i), Groups: 1, K: uint32(p.k)}
	}
	return l.finish(selects, outKeys, 4*int64(len(l.plans)), func() {
		st.batch.Launch(kernels.IntersectRanked, (len(work)+7)/8, 0, kernels.Bytes(&p))
	})
}

// conjunctive reports whether a plan's terms all occur in a segment, and how many
// postings the first has.
func (x *Executor) conjunctive(p *plan, seg int) (uint32, bool) {
	for t := range p.weights {
		if p.lists[t*len(x.segments)+seg].n == 0 {
			return 0, false
		}
	}
	return p.lists[seg].n, true
}

func blocksOf(o *posting) uint32 {
	if o.small != nil {
		return 1
	}
	return o.want.list.blocks
}

// outLayout says where each plan's keys go in out, behind the counts.
func (l *layout) outLayout() (keys []int, size int) {
	size = (4*len(l.plans) + 15) &^ 15
	keys = make([]int, len(l.plans))
	for i, p := range l.plans {
		keys[i] = size
		size += 8 * p.k
	}
	return keys, size
}

func (l *layout) reserve(in int, work int64, out int) error {
	if err := l.st.reserveIn(in); err != nil {
		return err
	}
	// Every array that scratch hands out may be padded by 16 bytes.
	if err := l.st.reserveWork(work + 64*int64(len(l.plans))); err != nil {
		return err
	}
	return l.st.reserveOut(out)
}

// finish adds the selection and submits: one copy in, the kernels, one copy out.
// The first zeroed bytes of work are cleared before the kernels.
func (l *layout) finish(selects []kernels.Select, outKeys []int, zeroed int64, kernel func()) error {
	st := l.st
	maxk := 0
	for i := range selects {
		selects[i].Out = st.outDev + Ptr(outKeys[i])
		selects[i].OutCount = st.outDev + Ptr(4*i)
		maxk = max(maxk, l.plans[i].k)
	}
	buffer := uint32(512)
	for int(buffer) < maxk+256 {
		buffer *= 2
	}
	sp := kernels.SelectParams{Jobs: put(st, selects), NJobs: uint32(len(selects)), Buffer: buffer}
	l.send()
	st.batch.Fill(st.work, zeroed)
	kernel()
	st.batch.Launch(kernels.SelectBest, len(selects), 8*int(buffer), kernels.Bytes(&sp))
	_, size := l.outLayout()
	st.batch.CopyOut(st.out[:size], st.outDev)
	if err := l.x.dev.Submit(&st.batch); err != nil {
		return err
	}
	st.pending = &pending{plans: l.plans, keys: outKeys}
	return nil
}

// read takes the results out of what the device sent.
func (p *pending) read(out []byte) {
	counts := format.Uint32s(out[:4*len(p.plans)])
	for i, q := range p.plans {
		n := min(int(counts[i]), q.k)
		q.hits = make([]query.Hit, n)
		for j, key := range format.Uint64s(out[p.keys[i] : p.keys[i]+8*n]) {
			q.hits[j] = query.Hit{Doc: ^uint32(key), Score: math.Float32frombits(uint32(key >> 32))}
		}
	}
}
