package gpuload

import (
	"context"

	"github.com/pinion-index/pinion/query"
)

// Prepared is a query whose terms have been looked up, for a scheduler that must know
// what a query costs before it decides where to answer it. It can be answered once, and is
// not safe for concurrent use.
type Prepared struct {
	x    *Executor
	plan plan
}

// Term is a distinct term of a Prepared, with its lists in all segments.
type Term struct {
	Postings int64   // including those of deleted documents
	Bytes    int64   // of those of its lists that have been on the device; otherwise an estimate
	Resident int64   // of Bytes: on the device now
	Weight   float32 // as in query.Score
}

// Prepare looks up the terms of q, which must not change until it is answered. It reads
// nothing but dictionaries, and not even these for terms that were asked for before. The
// error is that of Execute for q.
func (x *Executor) Prepare(q *query.Query) (*Prepared, error) {
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	r := x.resolver()
	defer x.found.Put(r)
	p := &Prepared{x: x}
	if err := r.resolve(&p.plan, q); err != nil {
		return nil, err
	}
	return p, nil
}

// AppendTerms appends the terms in canonical order: ascending document frequency, then
// bytes. It leaves out terms that no document has. For a query that matches nothing it may
// append none.
func (p *Prepared) AppendTerms(dst []Term) []Term {
	views := len(p.x.views)
	for t, w := range p.plan.weights {
		term := Term{Weight: w}
		for _, o := range p.plan.lists[t*views : (t+1)*views] {
			term.Postings += int64(o.n)
			if o.n == 0 || o.small != nil {
				continue
			}
			if r := o.want.list; r != nil {
				term.Bytes += r.size
				if !r.gone.Load() {
					term.Resident += r.size
				}
				continue
			}
			term.Bytes += int64(o.n) * bytesPerPosting
		}
		dst = append(dst, term)
	}
	return dst
}

// bytesPerPosting is about what a posting takes in a list, in its default codecs.
const bytesPerPosting = 2

// Trivial reports whether it is known that nothing matches. Such a query need not be
// answered: Hits returns none.
func (p *Prepared) Trivial() bool { return p.plan.done }

// CPU reports whether the device cannot answer the query: before Answer because of its
// terms, k, filter or trace, afterwards also because of its lists or a failure of the
// device.
func (p *Prepared) CPU() bool { return p.plan.cpu }

// Hits returns the hits after Answer, the best first; the caller may keep them. There are
// none if CPU returns true.
func (p *Prepared) Hits() []query.Hit { return p.plan.hits }

// Answer answers queries prepared by x in batches. Several goroutines may call it at once.
// It leaves those out that the device cannot answer (Prepared.CPU); the caller answers them
// elsewhere. An error is of the whole call: that of ctx, ErrClosed, or, if Options.CPU is
// nil, ErrDevice or ErrMemory.
func (x *Executor) Answer(ctx context.Context, queries []*Prepared) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	plans := make([]*plan, len(queries))
	for i, p := range queries {
		plans[i] = &p.plan
	}
	return x.answer(ctx, plans)
}

// Do is Search for a query prepared by the Gatherer's Executor. Afterwards it has Hits,
// unless CPU returns true.
func (g *Gatherer) Do(ctx context.Context, p *Prepared) error {
	if p.plan.done || p.plan.cpu {
		return ctx.Err()
	}
	w := &waiter{ctx: ctx, plan: &p.plan, done: make(chan error, 1), sent: true}
	if err := g.add(w); err != nil {
		return err
	}
	return g.await(w)
}
