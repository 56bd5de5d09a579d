package gpu

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// Opening is a Group that is being opened, for which a driver takes 0.3 s. Meanwhile Expect
// does for the queries to come what needs no device.
type Opening struct {
	first    *Executor // of the Group; it has no device yet
	snapshot *reader.Snapshot
	options  Options
	devices  []*Device
	group    *Group
	err      error
	lists    *expected     // of first, once Group has returned
	opened   chan struct{} // closed when devices or err is set
	ended    atomic.Bool   // Group has returned
}

// StartGroup begins what OpenGroup does, and returns at once. The caller calls Group, and keeps
// the snapshot open until that returns.
func StartGroup(n int, snapshot *reader.Snapshot, o Options) (*Opening, error) {
	if o.CPU == nil {
		return nil, errNoCPU
	}
	first, err := hostHalf(snapshot, o)
	if err != nil {
		return nil, err
	}
	first.expected.Store(&expected{joiners: residency.Joiners{Views: first.docs.Views}})
	p := &Opening{first: first, snapshot: snapshot, options: o, opened: make(chan struct{})}
	go func() {
		defer close(p.opened)
		p.devices, p.err = openDevices(n)
	}()
	return p, nil
}

// Expect looks up the terms of queries that will come soon, and reads and verifies their lists,
// or joins those of several segments. It reports false, possibly before it is done, when Group
// has returned. It is safe for concurrent use.
func (p *Opening) Expect(queries []search.Query) bool {
	x := p.first
	if x == nil || x.enter() != nil {
		return false
	}
	defer x.leave()
	r := x.resolver()
	defer x.found.Put(r)
	queries, err := x.complete(queries)
	if err != nil {
		return true // the query will fail, and say why
	}
	for i := range queries {
		if p.ended.Load() {
			return false
		}
		_, _, _, _ = r.distinct(&queries[i]) // a query that fails says why when it comes
	}
	return true
}

// Group returns the Group when it is open. The error is that of OpenGroup.
func (p *Opening) Group() (*Group, error) {
	defer p.ended.Store(true)
	if p.first == nil {
		return nil, ErrClosed
	}
	<-p.opened
	if p.err != nil {
		p.ended.Store(true)
		return nil, errors.Join(p.err, p.first.Close())
	}
	defer func() { p.lists = p.first.expected.Swap(nil) }()
	g, err := newGroup(len(p.devices), p.options, func(i int, o Options) (x *Executor, err error) {
		defer func() {
			if err != nil {
				p.ended.Store(true) // or closing first would wait for all queries of Expect
			}
		}()
		if i > 0 {
			return New(p.devices[i], p.snapshot, o)
		}
		p.first.options.CPU = o.CPU
		if err := p.first.use(p.devices[0]); err != nil {
			p.ended.Store(true)
			return nil, errors.Join(err, p.first.Close())
		}
		return p.first, nil
	})
	for _, d := range p.devices {
		if e := d.Close(); e != nil && err == nil { // they stay open for g
			err = errors.Join(e, g.Close())
		}
	}
	if err != nil {
		return nil, err
	}
	p.group = g
	return g, nil
}

// Load makes the lists of the queries that have been expected resident, as many as fit, in the
// order in which these need them: the first 4,096 before it returns. It is called once, after
// Group has returned a Group. Of several devices each loads all of them, since most lists are of
// terms that queries of all devices have.
func (p *Opening) Load() {
	if p.group == nil {
		return
	}
	wants := p.lists.take()
	var first, all sync.WaitGroup
	for _, m := range p.group.members {
		copies, own := make([]residency.Want, len(wants)), make([]*residency.Want, len(wants))
		for i, w := range wants {
			copies[i] = *w
			own[i] = &copies[i]
		}
		all.Add(1)
		first.Go(func() { m.x.loadAhead(own, all.Done) })
	}
	first.Wait()
	go func() {
		all.Wait()
		p.lists.forget()
	}()
}

// add adds the lists of a term, and prepares them for loading, unless there are enough.
func (e *expected) add(r *resolver, k *known) {
	for i := range k.lists {
		o := &k.lists[i].posting
		if o.n == 0 || o.small != nil {
			continue
		}
		e.mu.Lock()
		ok := !e.taken && len(e.wants) < mostExpected && e.postings+int64(o.n) <= mostExpectedPostings
		if ok {
			w := o.want
			e.wants, e.postings = append(e.wants, &w), e.postings+int64(o.n)
		}
		e.mu.Unlock()
		if ok {
			e.touch(r, &o.want)
		}
	}
}

// touch reads a list and verifies its checksums, which is then done, or joins it. What is
// wrong with it is found again when it is loaded.
func (e *expected) touch(r *resolver, w *residency.Want) {
	var ignored error
	defer indexdir.CatchFault(indexdir.ArmFault(), &ignored)
	if w.Joined != nil {
		if o := new(residency.Opened); e.joiners.Join(o, w.Joined) == nil {
			e.mu.Lock()
			if !e.gone {
				w.Joined.Ahead.Store(o)
			}
			e.mu.Unlock()
		}
	} else if r.x.docs.Segments[w.Key.Segment].Seg.Lists().Init(&r.list, w.Entry) == nil {
		_ = r.list.VerifyBytes()
	}
}

// loadAhead makes lists resident, in that order, until one does not fit. It returns after the
// first load, and calls done after the last.
func (x *Executor) loadAhead(wants []*residency.Want, done func()) {
	if len(wants) == 0 || x.enter() != nil {
		done()
		return
	}
	ctx := x.ctx
	load := func() bool {
		n := min(len(wants), residency.CheckSize)
		err := x.lists.Load(ctx, wants[:n], 0, x.stages.Next()) // no list is as old as epoch 0
		some := wants[:n]
		wants = wants[n:]
		return err == nil && anyLoaded(some) && len(wants) > 0
	}
	more := !x.state.works.Load() || load() // or else the driver compiles
	go func() {
		defer done()
		defer x.leave()
		if x.state.await(ctx) == nil {
			for more {
				more = load()
			}
		}
	}()
}

// OpenGroup is NewGroup on the first n GPUs, or on all of them if n is 0. The error matches
// ErrNoDevice if there are fewer, or if n is negative.
func OpenGroup(n int, snapshot *reader.Snapshot, o Options) (*Group, error) {
	p, err := StartGroup(n, snapshot, o)
	if err != nil {
		return nil, err
	}
	return p.Group()
}

// openDevices opens the first n GPUs at a time, or all of them if n is 0.
func openDevices(n int) ([]*Device, error) {
	all, err := Devices()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = max(all, 1) // opening the first fails if there is none
	}
	if n < 0 || n > all { // opening takes threads and memory, so none of them is opened
		first := min(n, all)
		_, err := OpenDeviceNumber(first)
		return nil, fmt.Errorf("GPU %d of %d: %w", first, n, err)
	}
	devices, errs := make([]*Device, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { devices[i], errs[i] = OpenDeviceNumber(i) })
	}
	wg.Wait()
	for i, err := range errs {
		if err == nil {
			continue
		}
		for _, d := range devices {
			if d != nil {
				err = errors.Join(err, d.Close())
			}
		}
		if i == 0 && errors.Is(err, ErrNoDevice) {
			return nil, err // there is none at all
		}
		return nil, fmt.Errorf("GPU %d of %d: %w", i, n, err)
	}
	return devices, nil
}
