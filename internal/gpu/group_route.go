package gpu

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/termcache"
)

// portion is the share of one device in a call.
type portion struct {
	*member
	queries []search.Query
	index   []int // of these queries in the call
	cost    int64
	err     error
}

func (s *portion) execute(ctx context.Context, results []search.Result, a *search.Arena) {
	s.load.Add(s.cost)
	defer s.load.Add(-s.cost)
	got, err := s.x.execute(ctx, s.queries, make([]search.Result, len(s.queries)), a)
	s.err = numbered(err, s.index)
	for i := range got {
		results[s.index[i]] = got[i]
	}
}

// route divides queries among devices.
func (g *Group) route(use []*member, queries []search.Query) ([]portion, error) {
	wishes := make([]wish, len(queries))
	if err := use[0].x.wishAll(wishes, queries); err != nil {
		return nil, err
	}
	portions := make([]portion, len(use))
	loads := make([]int64, len(use))
	for i, m := range use {
		portions[i].member, loads[i] = m, m.load.Load()
	}
	total := int64(0)
	for i := range wishes {
		total += wishes[i].cost
	}
	for i, w := range wishes {
		at := g.place(use, w.hash)
		for j := range loads {
			if loads[at]-loads[j] > total/unequal {
				at = j
			}
		}
		p := &portions[at]
		p.queries, p.index = append(p.queries, queries[i]), append(p.index, i)
		p.cost += w.cost
		loads[at] += w.cost
	}
	return portions, nil
}

// place returns which of the devices in use has the lists of queries with a hash.
func (g *Group) place(use []*member, hash uint64) int {
	at := slices.Index(use, g.members[hash%uint64(len(g.members))])
	if at < 0 { // only the lists of that device move to the others
		at = int(hash / uint64(len(g.members)) % uint64(len(use)))
	}
	return at
}

// unequal is the share of a call's work, as 1/unequal, by which the work of the devices may
// differ for the sake of lists that they hold.
const unequal = 32

// wish says where a query should be answered, and what it costs.
type wish struct {
	hash uint64 // of the term with the longest list
	cost int64  // in postings
}

// queryCost is what a query costs besides its lists, in postings.
const queryCost = 2048

// wishAll sets the wishes of queries, in parallel.
func (x *Executor) wishAll(wishes []wish, queries []search.Query) error {
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	errs := make([]error, (len(queries)+wishesAtOnce-1)/wishesAtOnce)
	var wg sync.WaitGroup
	work := func(n int) {
		r := x.resolver()
		defer x.found.Put(r)
		for i := n * wishesAtOnce; i < min((n+1)*wishesAtOnce, len(queries)); i++ {
			if err := r.wish(&wishes[i], &queries[i]); err != nil {
				errs[n] = &search.NumberError{Number: i, Err: err}
				return
			}
		}
	}
	for n := 1; n < len(errs); n++ {
		wg.Go(func() { work(n) })
	}
	work(0)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// wishesAtOnce is the number of queries that a goroutine of wishAll takes: about 0.1 ms of
// work.
const wishesAtOnce = 256

func (r *resolver) wish(w *wish, q *search.Query) error {
	if err := q.CheckPart(r.x.part); err != nil {
		return err
	}
	*w = wish{cost: queryCost}
	if ok, err := r.wishDot(w, q); ok || err != nil {
		return err
	}
	if ok := r.wishNearest(w, q); ok {
		return nil
	}
	terms, mode, _, err := r.distinct(q)
	if err != nil || len(terms) == 0 {
		return err
	}
	longest := &terms[len(terms)-1]
	w.hash = termcache.Hash(longest.Bytes)
	all := uint64(0)
	for i := range terms {
		all += terms[i].DF
	}
	w.cost += workOf(mode, int64(min(all, 1<<40)), int64(min(terms[0].DF, 1<<40)), len(terms))
	return nil
}

// wishDot is wish for a query that is one Dot: each device may have its field, so they share the queries.
func (r *resolver) wishDot(w *wish, q *search.Query) (ok bool, err error) {
	if r.x.impacts == nil {
		return false, nil
	}
	if ok, err = r.x.parser.AppendDot(&r.dots, q); !ok || err != nil {
		return ok, err
	}
	for i, t := range r.dots.Terms {
		w.hash += termcache.Hash(t) * uint64(r.dots.Weights[i])
		if f := r.x.impacts[r.dots.Field]; f != nil {
			if s := f.set.Load(); s != nil {
				w.cost += s.postings(t)
			}
		}
	}
	return true, nil
}

// wishNearest is wish for a query that is one Nearest: each device may have its field, so they share the queries.
func (r *resolver) wishNearest(w *wish, q *search.Query) (ok bool) {
	n, err := r.x.parser.NearestOf(q)
	if err != nil || n == nil {
		return false // whoever answers says what is wrong
	}
	w.hash = n.Hash()
	if v := r.x.vectors.of(n.Field()).there(); v != nil {
		w.cost += vectorWork * v.n
	}
	return true
}

// Execute answers queries as Executor.Execute.
func (g *Group) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	return g.ExecuteInto(ctx, queries, nil)
}

// ExecuteInto answers queries as Executor.ExecuteInto.
func (g *Group) ExecuteInto(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	if len(g.members) == 0 {
		return nil, ErrClosed
	}
	queries, err := g.members[0].x.complete(queries)
	if err != nil {
		return nil, err
	}
	return g.on(orBackground(ctx), g.working(), queries, a)
}

// on answers queries on some of the devices, with results in a.
func (g *Group) on(ctx context.Context, use []*member, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	if len(use) == 0 {
		use = g.members[:1] // it says if it is closed, and otherwise asks the CPU
	}
	if len(use) == 1 || len(queries) == 0 {
		return use[0].x.ExecuteInto(ctx, queries, a)
	}
	portions, err := g.route(use, queries)
	if err != nil {
		return nil, err
	}
	results := a.Results(len(queries))
	var wg sync.WaitGroup
	for i := range portions {
		if p := &portions[i]; len(p.queries) > 0 {
			wg.Go(func() { p.execute(ctx, results, a) })
		}
	}
	wg.Wait()
	var errs []error
	for i := range portions {
		errs = append(errs, portions[i].err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return results, nil
}

// Execute answers queries that m's device does not: on the others if it has failed, and
// otherwise on the CPU.
func (m *member) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	others := slices.DeleteFunc(m.group.working(), func(o *member) bool { return o == m }) // m may have failed since
	if m.x.Err() != nil && len(others) > 0 {
		return m.group.on(ctx, others, queries, nil)
	}
	return m.group.cpu.Execute(ctx, queries)
}

// Plan is Executor.Plan, of the device that q goes to if all of them have as much to do.
func (g *Group) Plan(ctx context.Context, q search.Query) (Plan, error) {
	if len(g.members) == 0 {
		return Plan{}, ErrClosed
	}
	use, at := g.working(), 0
	if len(use) > 1 {
		own, err := use[0].x.complete([]search.Query{q})
		if err != nil {
			return Plan{}, err
		}
		var w [1]wish
		if err := use[0].x.wishAll(w[:], own); err != nil {
			return Plan{}, err
		}
		at = g.place(use, w[0].hash)
	}
	if len(use) == 0 {
		use = g.members[:1]
	}
	p, err := use[at].x.Plan(ctx, q)
	for i, m := range g.members {
		if m == use[at] {
			p.Device = i
		}
	}
	return p, err
}
