package gpu

import (
	"errors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// run answers the query.
func (w *stepping) run() (search.Result, error) {
	x := w.s.x
	x.lists.Look(wanted(w.p.lists))
	for {
		state := w.state()
		choice, why := w.decide(state)
		w.loaded = 0
		if choice != StepCPU && w.st == nil {
			if err := w.begin(); err != nil {
				return search.Result{}, err
			}
			continue // what is resident is known now
		}
		if lacks(choice, state) > 0 {
			if err := w.load(choice); err != nil {
				return search.Result{}, err
			}
			before := state.Rest
			if state = w.state(); lacks(choice, state) > 0 {
				choice, why = StepCPU, reasonMisfit
			}
			w.loaded = before - state.Rest
		}
		switch {
		case choice == StepCPU:
			return w.toCPU(state, why)
		case choice == StepRest:
			return w.rest(state, why)
		}
		if err := w.intersect(state, why); err != nil {
			return search.Result{}, err
		}
		if w.cur.len() == 0 {
			return search.Result{}, nil
		}
	}
}

// decide chooses the next step. The device scores with all lists, so it ends a query only
// if they are all there.
func (w *stepping) decide(s StepState) (StepChoice, Reason) {
	choice, why := w.choose(s)
	if s.Missing+s.Rest > 0 && choice == StepCPU {
		w.s.miss(w.p, &w.q, s)
	}
	return w.s.possible(s, choice, why)
}

// begin takes a stage and pins the lists that are resident.
func (w *stepping) begin() (err error) {
	x := w.s.x
	if w.st, err = x.stages.Take(w.ctx); err != nil {
		return err
	}
	if err := w.s.rule(w.st); err != nil {
		return err
	}
	var wants []*residency.Want
	for i := range w.p.lists {
		if o := &w.p.lists[i]; o.n > 0 && o.small == nil {
			wants = append(wants, &o.want)
		}
	}
	_, bare := x.lists.Find(wants, w.st.Epoch)
	return x.lists.Mark(bare)
}

// load makes lists resident: those of the next step, or all.
func (w *stepping) load(choice StepChoice) error {
	segs := len(w.s.x.docs.Views)
	from, to := w.done, w.done+1
	if w.done == 1 {
		from = 0
	}
	if choice == StepRest {
		from, to = 0, len(w.p.weights)
	}
	var wants []*residency.Want
	for o := range absent(w.p.lists[from*segs : to*segs]) {
		wants = append(wants, &o.want)
	}
	return w.s.x.lists.Load(w.ctx, wants, w.s.x.stages.Oldest(w.st.Epoch), w.st.Epoch)
}

// descs returns the descriptors of the intermediate result and, as postings, its parts by
// segment.
func (w *stepping) descs() (d []kernels.ListDesc, parts []posting) {
	segs := w.s.x.docs.Views
	if w.done == 1 {
		return nil, w.p.lists[:len(segs)]
	}
	parts = make([]posting, len(segs))
	for i := range segs {
		n := w.cur.starts[i+1] - w.cur.starts[i]
		if n == 0 {
			continue
		}
		at := w.cur.at + 4*kernels.Ptr(w.cur.starts[i])
		r := &residency.List{Key: interimKey, Slot: w.st.ZoneFirst + uint32(len(d)), At: at, N: n, Blocks: (n + 127) / 128, LogBlock: 7,
			Codecs: kernels.CodecsOf(kernels.Raw)}
		// Frequencies are not used, since its weight is 0, and last docIDs only for the
		// codecs that need them; both must be readable.
		d = append(d, kernels.ListDesc{Docs: at, Freqs: at, DocEnds: w.s.ruler, FreqEnds: w.s.ruler, Last: at, N: n, Blocks: r.Blocks,
			DocWords: n, FreqWords: n, LogBlock: 7, MaxDoc: segs[i].Docs})
		parts[i] = posting{n: n, want: residency.Want{Key: interimKey, List: r}}
	}
	return d, parts
}

// interimKey is the key of parts of intermediate results.
var interimKey = residency.ListKey{Key: residency.Key{Segment: -1}}

// intersect intersects the intermediate result with the next list.
func (w *stepping) intersect(state StepState, why Reason) error {
	x, st, segs := w.s.x, w.st, len(w.s.x.docs.Views)
	done := w.t.step(Step{Choice: StepGPU, Why: why, State: state, Algorithm: Probe.String(), Loaded: w.loaded})
	to, err := w.s.reserve(st.Stream, w.cur.at, state.Length)
	if err != nil {
		return err
	}
	st.Reset(st.Stream)
	c := &Conjunction{x: x, st: *st, step: &step{to: to, head: min(state.Length, maxHead), blocks: state.Length / 128}}
	p := &plan{weights: make([]float32, 2), lists: make([]posting, 2*segs)}
	d, parts := w.descs()
	c.step.descs = d
	copy(p.lists, parts)
	copy(p.lists[segs:], w.p.lists[w.done*segs:(w.done+1)*segs])
	err = c.layOut([]*plan{p}, Probe)
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return errors.Join(err, x.dev.Wait(st.Stream))
	}
	w.take(c, p)
	w.done++
	done(w.cur.len())
	return nil
}

// take makes the result of c, over the lists of p, the intermediate result.
func (w *stepping) take(c *Conjunction, p *plan) {
	counts := format.Uint32s(w.st.Out[:4*(c.slots+1)])
	starts, slot := make([]uint32, len(w.s.x.docs.Views)+1), 0
	for s := range w.s.x.docs.Views {
		starts[s] = counts[slot]
		if _, ok := p.conjunctive(s, len(w.s.x.docs.Views)); ok {
			slot++
		}
	}
	starts[len(starts)-1] = counts[slot]
	w.cur = interim{at: c.step.to, starts: starts}
	w.head = w.st.Out[c.headAt():][:4*c.step.head]
}

// toCPU ends the query on the CPU.
func (w *stepping) toCPU(state StepState, why Reason) (search.Result, error) {
	if w.done == 1 {
		w.end()
		return w.s.onCPU(w.ctx, &w.q, w.t, state, why)
	}
	done := w.t.step(Step{Choice: StepCPU, Why: why, State: state, Moved: w.cur.len()})
	docs, err := w.move()
	w.end()
	if err != nil {
		return search.Result{}, err
	}
	r, err := w.s.cpu.SearchAmong(w.ctx, w.q, docs, w.done)
	w.t.onCPU(&r)
	done(int64(len(r.Hits)))
	if errors.Is(err, query.ErrInvalid) { // a list has changed since it was checked: the CPU says how
		return w.s.onCPU(w.ctx, &w.q, w.t, state, reasonDamaged)
	}
	return r, err
}

// end gives the stage back.
func (w *stepping) end() {
	if w.st != nil {
		w.s.x.stages.Give(w.st)
		w.st = nil
	}
}

// move copies the intermediate result to the host, as global docIDs.
func (w *stepping) move() ([]uint32, error) {
	n, st := int(w.cur.len()), w.st
	from := w.head
	if 4*n > len(from) {
		st.Reset(st.Stream)
		if err := st.ReserveOut(4 * n); err != nil {
			return nil, err
		}
		from = st.Out
		b := cuda.Batch{Stream: st.Stream}
		b.CopyOut(from[:4*n], w.cur.at)
		if err := w.s.x.dev.Submit(&b); err != nil {
			return nil, err
		}
		if err := w.s.x.dev.Wait(st.Stream); err != nil {
			return nil, err
		}
	}
	docs := make([]uint32, n)
	copy(docs, format.Uint32s(from[:4*n]))
	for s, v := range w.s.x.docs.Views {
		part := docs[w.cur.starts[s]:w.cur.starts[s+1]]
		for i := range part {
			part[i] += v.Base
		}
	}
	return docs, nil
}

// rest ends the query on the GPU: it looks the intermediate result up in all lists, which
// scores it, and the best are selected. As the first list it has weight 0: a score of 0 to
// begin with changes no sum.
func (w *stepping) rest(state StepState, why Reason) (search.Result, error) {
	x, st, p := w.s.x, w.st, w.p
	st.Reset(st.Stream)
	d, parts := w.descs()
	if w.done > 1 {
		p = &plan{mode: query.ModeAnd, k: p.k, weights: append([]float32{0}, p.weights...), lists: append(parts, p.lists...)}
	}
	var err error
	var done func(int64)
	if state.Length < w.s.o.Rule.Sort {
		done = w.t.step(Step{Choice: StepRest, Why: why, State: state, Algorithm: "rank, partial sort", Loaded: w.loaded})
		err = w.partialSort(p, d)
	} else {
		done = w.t.step(Step{Choice: StepRest, Why: why, State: state, Algorithm: "rank", Loaded: w.loaded})
		l := &batch{x: x, st: st, conjunctive: true, descs: d}
		if err = l.lay([]*plan{p}); err == nil {
			err = l.harvest()
		}
	}
	if err != nil {
		return search.Result{}, errors.Join(err, x.dev.Wait(st.Stream))
	}
	done(int64(len(p.hits)))
	return search.Result{Hits: p.hits}, nil
}

// reserve returns memory for n docIDs other than those at used.
func (s *Stepper) reserve(stream int, used kernels.Ptr, n int64) (kernels.Ptr, error) {
	r := &s.rooms[stream]
	if n > r.size { // at the first step, so nothing is in use
		for i, p := range r.at {
			if p != 0 {
				_ = s.x.dev.Free(p)
			}
			r.at[i] = 0
		}
		r.size = 0
		for i := range r.at {
			p, err := s.x.dev.Alloc(4*(n+n/2) + 512)
			if err != nil {
				return 0, err
			}
			r.at[i] = p
		}
		r.size = n + n/2
	}
	if r.at[0] == used {
		return r.at[1], nil
	}
	return r.at[0], nil
}

// rule makes the ruler, unless there is one: the endpoints of blocks of 128 plain values,
// for the longest intermediate result of a segment.
func (s *Stepper) rule(st *stages.Stage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ruler != 0 {
		return nil
	}
	docs := uint32(0)
	for _, v := range s.x.docs.Views {
		docs = max(docs, v.Docs)
	}
	ends := make([]uint32, docs/128+2)
	for i := range ends {
		ends[i] = uint32(128 * i)
	}
	st.Reset(st.Stream)
	if err := st.ReserveIn(4*len(ends) + 64); err != nil {
		return err
	}
	layout.Put(st.Buffers, ends)
	at, err := s.x.dev.Alloc(int64(4 * len(ends)))
	if err != nil {
		return err
	}
	st.Batch.CopyIn(at, st.In)
	if err := s.x.dev.Submit(&st.Batch); err != nil {
		return errors.Join(err, s.x.dev.Free(at))
	}
	s.ruler = at
	return s.x.dev.Wait(st.Stream)
}
