package gpu

import (
	"context"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
)

// submit prepares a batch and submits it. It marks plans that the device cannot answer
// for the CPU.
func (l *batch) submit(ctx context.Context, plans []*plan) error {
	if plans[0].way == byTiles {
		return l.tiled(plans)
	}
	if plans[0].way == byVectors {
		return l.compared(plans)
	}
	if err := l.bring(ctx, plans); err != nil {
		return err
	}
	return l.lay(plans)
}

// lay lays a batch out and submits it.
func (l *batch) lay(plans []*plan) error {
	x := l.x
	size, terms := 1024+layout.DescSize*len(l.descs), 0
	for _, ranged := range []bool{false, true} {
		for _, p := range plans {
			if p.way.ranged() != ranged {
				continue
			}
			if p.why = OnDevice; !p.usable() || p.clauses != nil && !p.scored() {
				p.why = reasonMisfit
				continue
			}
			l.plans = append(l.plans, p)
		}
	}
	for _, p := range l.plans {
		times := p.times()
		terms += times * len(p.lists)
		size += times * (16*len(p.lists) + 128*len(x.docs.Views) + 64)
		switch {
		case p.clauses != nil:
			size += times*(fieldScoreSize+clauseSize)*len(p.lists) + testSize
		case p.fields != nil:
			size += fieldScoreSize * len(p.lists)
		}
		for i := range p.lists {
			if s := p.lists[i].small; s != nil {
				size += times * (8*s.Len() + 64 + layout.DescSize)
			}
		}
	}
	if len(l.plans) == 0 {
		return nil
	}
	l.terms, l.drives = slices.Grow(l.terms, terms), slices.Grow(l.drives, terms)
	return l.ranked(size)
}

// bring makes the lists of plans resident and pins them for the batch of that epoch.
func (x *Executor) bring(ctx context.Context, plans []*plan, epoch uint64) error {
	l := &batch{x: x, st: &stages.Stage{Epoch: epoch}}
	return l.bring(ctx, plans)
}

// bring makes the lists of plans resident and pins them for the batch.
func (l *batch) bring(ctx context.Context, plans []*plan) error {
	x, epoch := l.x, l.st.Epoch
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
	x.working.aside(func() { err = l.load(ctx, missing, plans) })
	if err != nil {
		return err
	}
	for _, o := range moved {
		o.home.list.Store(o.want.List)
	}
	return nil
}

// load loads the lists of plans that are not there. Once memory has been too small, it leaves the plans to the CPU, if there
// is one and it is sooner.
func (l *batch) load(ctx context.Context, missing []*residency.Want, plans []*plan) error {
	x, epoch := l.x, l.st.Epoch
	if len(missing) == 0 {
		return nil
	}
	if x.options.CPU != nil && x.lists.Full() {
		queries := 0
		for _, p := range plans {
			if !p.usable() {
				queries++
			}
		}
		missing = residency.Distinct(missing)
		if !x.scarcity.loads(len(missing), queries) {
			return nil
		}
	}
	begun := time.Now()
	err := x.lists.Load(ctx, missing, x.stages.Oldest(epoch), epoch)
	x.scarcity.load.add(len(missing), time.Since(begun))
	return err
}

// why returns the reason why the device cannot answer a query: what is wrong with one of
// its lists, or ErrUnsupported with the reason.
func (p *plan) refusal(lists *residency.Lists) error {
	for w := range wanted(p.lists) {
		if err := lists.Refusal(w.Key); err != nil {
			return err
		}
	}
	return p.why.unsupported()
}

// reset makes l ready for a batch.
func (l *batch) reset(x *Executor, st *stages.Stage, conjunctive bool) {
	l.x, l.st, l.conjunctive, l.codecs = x, st, conjunctive, 0
	l.plans, l.jobs, l.terms, l.score, l.descs, l.drives = l.plans[:0], l.jobs[:0], l.terms[:0], l.score[:0], l.descs[:0], l.drives[:0]
	l.clauses = l.clauses[:0]
}
