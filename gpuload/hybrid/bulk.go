package hybrid

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/query"
)

const (
	// leastGroup is how many queries Execute divides as a group; fewer go through the
	// queues. mostGroup is how many it takes at a time.
	leastGroup, mostGroup = 64, 1 << 14
	// watchEach is how often the last core that has nothing to do looks again. A Go program
	// whose other threads sleep cannot sleep for less.
	watchEach = time.Millisecond
)

// bulk is the state of an Executor for groups.
type bulk struct {
	_       [64]byte
	crowded atomic.Bool     // queries are in the stock
	gather  atomic.Int64    // so many arrive before they are put there
	gpuDone [2]atomic.Int64 // of the stock, for the queues
	calls   sync.Pool       // of *groupCall, for jobs
	groups  sync.Pool       // of *groupCall, for Execute
	rooms   sync.Pool       // of *copies, for batches
	_       [64]byte

	mu     sync.Mutex
	stock  stock
	done   Stats // CPU.Queries, GPU.Queries, Grouped, Batches
	again  int64
	most   int       // queries in the stock
	begun  bool      // goroutines have been started since unlock
	errand sync.Pool // of *errandRoom
}

// errandRoom is the memory of a goroutine that answers on the CPU.
type errandRoom struct {
	errand
	at      [answerAtOnce]int32
	bin     [weighAtOnce]uint8
	infos   []*query.TermInfo
	hits    []query.Hit
	answers [answerAtOnce]struct {
		lo, hi int // in hits
		err    error
	}
}

// hosts returns how many goroutines look up and lay out queries for the GPU.
func (x *Executor) hosts() int {
	if d := x.gpu.Load(); d != nil && d.working != nil {
		return d.working()
	}
	return 0
}

// startGroup lets a group in, when there is room for it.
func (x *Executor) startGroup(ctx context.Context, queries []query.Query, results []query.Result, a *query.Arena, first int) (*groupCall, error) {
	if err := x.await(ctx, len(queries)); err != nil {
		return nil, err
	}
	g := newGroupCall(ctx, x, queries, results)
	g.arena, g.first, g.begun, g.after = a, first, x.now(), x.within(ctx)
	if err := g.sort(x.options.Mode != OnlyCPU); err != nil {
		x.leave(len(queries))
		return nil, err
	}
	g.arrive(g.begun, g.after)
	x.mu.Lock()
	x.policy.use.take(g.begun)
	x.spare()
	x.mu.Unlock()
	b := &x.bulk
	b.mu.Lock()
	b.done.Grouped += int64(len(queries))
	b.stock.add(g)
	x.dispatch()
	x.unlock()
	return g, nil
}

// wait waits for the answers of a group and returns its error. The group may be used for another call then.
func (g *groupCall) wait() (failed error) {
	<-g.done
	if err := g.err.Load(); err != nil {
		failed = *err
	}
	if !g.kept {
		g.ctx, g.queries, g.results, g.arena = nil, nil, nil, nil
		g.x.bulk.groups.Put(g)
	}
	return failed
}

// dispatch starts goroutines for what the processors can take. x.bulk.mu must be held.
func (x *Executor) dispatch() {
	b := &x.bulk
	b.most = max(b.most, b.stock.left)
	b.stock.retired = b.stock.retired || x.gone.Load()
	x.observe()
	for {
		batch := b.stock.takeGPU(x.now())
		if batch == nil {
			break
		}
		if batch.probe {
			batch.copyQueries(new(copies))
		}
		x.serving.Add(1)
		b.begun = true
		x.running.Go(func() { x.bulkLane(batch) })
	}
	for b.stock.mayStart() {
		x.startCore()
	}
}

// observe tells the stock what the cores do. x.bulk.mu must be held.
func (x *Executor) observe() {
	s, now := &x.bulk.stock, x.now()
	s.observe(x.hosts(), now)
	if s.usage.due(now) {
		s.usage.observe(cputime.Process(), min(runtime.GOMAXPROCS(0), runtime.NumCPU()), now)
	}
}

// startCore starts a goroutine that answers on the CPU. x.bulk.mu must be held.
func (x *Executor) startCore() {
	x.bulk.stock.active++
	x.bulk.begun = true
	x.serving.Add(1)
	go x.bulkCore()
}

// bulkCore answers queries on the CPU while there are some and cores are idle.
func (x *Executor) bulkCore() {
	b := &x.bulk
	r, ok := b.errand.Get().(*errandRoom)
	if !ok {
		r = new(errandRoom)
	}
	defer b.errand.Put(r)
	last := x.now()
	for {
		b.mu.Lock()
		s := &b.stock
		x.observe()
		switch {
		case !s.mustStop() && s.takeCPU(x.now(), &r.errand, r.at[:0]):
		case s.active == 1 && s.wanted():
			x.dispatch()
			x.unlock()
			time.Sleep(watchEach)
			continue
		default:
			s.active--
			x.serving.Add(-1)
			x.dispatch()
			x.unlock()
			return
		}
		if s.mayStart() {
			x.startCore()
		}
		x.unlock()
		start := x.now()
		if r.weigh {
			x.weigh(r)
		} else {
			x.answer(r)
		}
		now := x.now()
		b.mu.Lock()
		if r.weigh {
			s.put(&r.errand, r.bin[:], now-start)
		} else {
			s.finishCPU(&r.errand, now-start)
			b.done.CPU.Queries += int64(len(r.errand.at))
		}
		b.mu.Unlock()
		if !r.weigh {
			x.deliverAll(r)
		}
		if now-last > turn {
			runtime.Gosched() // the goroutines that serve the GPU need the cores too
			last = x.now()
		}
	}
}

// weigh predicts the costs of queries.
func (x *Executor) weigh(r *errandRoom) {
	g, workers, gpu := r.g, float64(x.cpu.Workers()), x.gpu.Load()
	for k, i := range r.errand.at {
		q := &g.queries[i]
		c, err := x.predict(gpu, q, &r.infos)
		if err != nil && g.jobs == nil {
			g.fail(i, err)
		}
		r.bin[k], g.cost[i] = binOf(c, workers), float32(c.CPU)
	}
}

// answer answers queries on the CPU.
func (x *Executor) answer(r *errandRoom) {
	g, s := r.g, x.cpu.Searcher()
	if g.jobs != nil {
		r.hits = r.hits[:0]
		for k, i := range r.errand.at {
			a := &r.answers[k]
			hits, err := s.AppendHits(g.jobs[i].ctx, r.hits, &g.queries[i])
			a.lo, a.hi, a.err = len(r.hits), len(r.hits), err
			if err == nil {
				r.hits, a.hi = hits, len(hits)
			}
		}
		return
	}
	for _, i := range r.errand.at {
		if g.err.Load() != nil {
			return
		}
		hits, err := s.AppendHits(g.ctx, r.hits[:0], &g.queries[i])
		if err != nil {
			g.fail(i, err)
			return
		}
		if r.hits = hits; len(hits) > 0 {
			g.results[i].Hits = append(g.arena.Hits(len(hits)), hits...)
		}
	}
	if g.after > 0 && x.now() > g.begun+g.after {
		x.missed[0].Add(int64(len(r.errand.at)))
	}
}

// deliverAll hands out what answer has found.
func (x *Executor) deliverAll(r *errandRoom) {
	if r.g.jobs != nil {
		x.deliverJobs(r.g, r.errand.at, 0, func(k int) ([]query.Hit, error) {
			a := &r.answers[k]
			return r.hits[a.lo:a.hi:a.hi], a.err
		})
	}
	r.g.answered(len(r.errand.at))
}

// deliverJobs hands out the answers of queries of Submit. They count as in the Executor until the
// last of each few is delivered, but make room for others at once.
func (x *Executor) deliverJobs(g *groupCall, at []int32, by int, answer func(k int) ([]query.Hit, error)) {
	for lo := 0; lo < len(at); lo += answerAtOnce {
		few := at[lo:min(lo+answerAtOnce, len(at))]
		if len(few) > 1 {
			x.leave(len(few) - 1)
		}
		for k, i := range few {
			hits, err := answer(lo + k)
			x.deliver(g.jobs[i], by, append([]query.Hit(nil), hits...), err) // they lie in memory for the next answers
		}
		x.leave(1)
	}
}

// bulkLane runs a batch and those that follow it.
func (x *Executor) bulkLane(batch *bulkBatch) {
	defer x.serving.Add(-1)
	b := &x.bulk
	room, ok := b.rooms.Get().(*copies)
	if !ok {
		room = new(copies)
	}
	for batch != nil {
		if batch.asked == nil {
			room.reset()
			batch.copyQueries(room)
		}
		if !x.runBulk(batch) {
			return // the GPU may still use room
		}
		b.mu.Lock()
		if batch = b.stock.takeGPU(x.now()); batch != nil && batch.probe {
			batch.copyQueries(new(copies))
		}
		x.dispatch()
		x.unlock()
	}
	b.rooms.Put(room)
}

// copyQueries copies the queries of a batch. Those of a probe must be copied when it is taken:
// the CPU may answer them before the GPU begins.
func (b *bulkBatch) copyQueries(room *copies) {
	for _, p := range b.parts {
		for _, i := range p.at {
			room.add(&p.g.queries[i])
		}
	}
	b.asked = room
}

// runBulk answers a batch on the GPU. It returns false if the GPU hung meanwhile: then the
// queries were given to the CPU.
func (x *Executor) runBulk(b *bulkBatch) bool {
	var claimed atomic.Bool
	watch := time.AfterFunc(x.options.Hang, func() {
		if claimed.CompareAndSwap(false, true) {
			x.endBulk(b, ErrHung)
		}
	})
	results, err := b.asked.answer(x.gpu.Load().Executor)
	watch.Stop()
	if !claimed.CompareAndSwap(false, true) {
		return false
	}
	if err == nil && len(results) != b.n {
		err = errResults
	}
	if !x.endBulk(b, err) {
		return true
	}
	now := x.now()
	for _, p := range b.parts {
		if p.g.jobs != nil {
			x.deliverJobs(p.g, p.at, 1, func(k int) ([]query.Hit, error) { return results[k].Hits, nil })
		} else {
			p.g.keep(p.at, results)
		}
		results = results[len(p.at):]
		if p.g.after > 0 && now > p.g.begun+p.g.after {
			x.missed[1].Add(int64(len(p.at)))
		}
		p.g.answered(len(p.at))
	}
	return true
}

// endBulk records the end of a batch and reports whether its answers count. With an error
// its queries go to the CPU, if they have not.
func (x *Executor) endBulk(b *bulkBatch, err error) (counts bool) {
	x.mu.Lock()
	if err != nil {
		x.faults++
		x.lose(err)
	} else {
		x.faults = 0
	}
	x.mu.Unlock()
	if err == nil {
		x.watch()
	}
	k := &x.bulk
	k.mu.Lock()
	k.done.Batches++
	k.done.GPU.Queries += int64(b.n)
	k.stock.finishGPU(b, err == nil, x.now())
	counts = err == nil && !b.given
	if b.given {
		k.again += int64(b.n)
	} else if err != nil {
		k.stock.again(b)
		k.again += int64(b.n)
	}
	x.dispatch()
	x.unlock()
	if x.gone.Load() {
		x.pump()
	}
	return counts
}

// report adds what Stats says of groups.
func (b *bulk) report(s *Stats, now time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done.Grouped == 0 {
		return
	}
	s.CPU.Queries += b.done.CPU.Queries
	s.GPU.Queries += b.done.GPU.Queries
	s.Batches += b.done.Batches
	s.Grouped, s.Again = b.done.Grouped, s.Again+b.again
	for _, g := range b.stock.calls {
		s.Waiting.Oldest = max(s.Waiting.Oldest, now-g.since)
	}
	s.Waiting.Grouped, s.Waiting.Most = b.stock.left, max(s.Waiting.Most, b.most)
	s.Threshold, s.CPU.Pace = float64(b.stock.last)/perOctave+lowest, b.stock.pace
}

// lose stops using the GPU if err or the number of faults shows that it is lost. x.mu must be
// held.
func (x *Executor) lose(err error) {
	if errors.Is(err, gpuload.ErrDevice) || errors.Is(err, gpuload.ErrClosed) || errors.Is(err, ErrHung) || x.faults >= maxFaults {
		x.retire(err)
	}
}
