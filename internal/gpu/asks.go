package gpu

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/gpu/tables"
)

// table returns the key of the table of static scores that a asks for, or that of its filter. ok is false if it asks for none.
func (a *ask) table(static bool) (k tables.Key, ok bool) {
	if static {
		return tables.Key{Static: true, Field: a.field, Weight: a.weight}, a.static
	}
	if k.Docs = a.docs; a.columns != nil {
		k.Columns = a.columns.Key()
	}
	return k, a.filters()
}

// need is a table that plans of a share ask for.
type need struct {
	key     tables.Key
	columns *filter.Compiled
	plans   []*plan
	work    int64 // of the plans
}

// work returns about how many postings the CPU reads to answer a plan.
func (p *plan) work() int64 {
	return workOf(p.mode, p.weight.all, p.weight.first, len(p.weights))
}

// asking has the tables that plans of an execution ask for.
type asking struct {
	x      *Executor
	mu     sync.Mutex // guards the field below
	tables map[tables.Key]*tables.Table
}

// give gives plans the tables that they ask for, and leaves them to the CPU where these are not worth making.
func (a *asking) give(ctx context.Context, plans []*plan) error {
	for _, static := range []bool{false, true} {
		var needs []*need
		var by map[tables.Key]*need
		for _, p := range plans {
			if p.ask == nil || p.why != OnDevice || p.done {
				continue
			}
			k, ok := p.ask.table(static)
			if !ok {
				continue
			}
			n := by[k]
			if n == nil {
				if by == nil {
					by = map[tables.Key]*need{}
				}
				n = &need{key: k, columns: p.ask.columns}
				by[k], needs = n, append(needs, n)
			}
			n.plans, n.work = append(n.plans, p), n.work+p.work()
		}
		if !static {
			var err error
			if needs, err = a.giveSpans(ctx, needs); err != nil {
				return err
			}
		}
		if err := a.giveTables(ctx, needs); err != nil {
			return err
		}
	}
	return nil
}

// giveTables gives plans their tables, of which several are made at the same time.
func (a *asking) giveTables(ctx context.Context, needs []*need) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	a.x.working.join(min(len(needs), stages.Count), func(int) {
		for i := int(next.Add(1)) - 1; i < len(needs) && failed.Load() == nil; i = int(next.Add(1)) - 1 {
			if err := a.giveTable(ctx, needs[i]); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// giveTable gives plans a table.
func (a *asking) giveTable(ctx context.Context, n *need) error {
	t := a.table(n.key)
	ok, err := a.x.tables.Ready(ctx, t, n.columns, n.work)
	if err != nil {
		return err
	}
	for _, p := range n.plans {
		switch {
		case !ok:
			p.why = reasonTable
		case n.key.Static:
			p.statics, p.most = t.At, t.Most
		default:
			p.within = t.At
		}
	}
	return nil
}

// table returns a table, which a uses until free.
func (a *asking) table(k tables.Key) *tables.Table {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tables[k]
	if t == nil {
		t = a.x.tables.Take(k)
		if a.tables == nil {
			a.tables = map[tables.Key]*tables.Table{}
		}
		a.tables[k] = t
	}
	return t
}

// free ends the use of tables. The device must be done with the plans that have them.
func (a *asking) free() {
	for _, t := range a.tables {
		a.x.tables.Release(t)
	}
	a.tables = nil
}
