package hybrid

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// job is one query in an Executor, other than those of a group.
type job struct {
	x      *Executor
	part   *part // counts it
	ctx    context.Context
	q      search.Query
	notify func(hits []search.Hit, total uint64, err error)
	counts bool          // the total is wanted
	at     time.Duration // of the arrival
	after  time.Duration // deadline after the arrival; 0: none
	due    time.Duration // half of it, if it is of the query alone: those of all are in order

	bound    bool // for the cores: no GPU may answer it, or one has failed to
	f        features
	begun    time.Duration // on a core, if its time is measured; otherwise 0
	number   int64         // of this query among those that part counts
	lengths  []uint64
	answered func([]search.Hit, error) // end
	stays    func() bool               // weigh
}

func (x *Executor) newJob() *job {
	if j := x.jobs.get(); j != nil {
		return j
	}
	j := &job{x: x, part: x.gate.part()}
	j.answered, j.stays = j.end, j.weigh
	return j
}

// set makes j a job of q.
func (j *job) set(ctx context.Context, q *search.Query) error {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	x := j.x
	if err := q.CheckPart(x.ofPart); err != nil {
		return err
	}
	j.ctx, j.q, j.at, j.after = ctx, *q, x.now(), x.within(ctx)
	if j.due = 0; j.after != x.options.Deadline {
		j.due = j.at + j.after/2
	}
	j.q.Trace = false
	if err := complete(x.cpu.Searcher(), &j.q); err != nil {
		return err
	}
	why := bound(&j.q)
	if j.bound = why != gpu.OnDevice; j.bound {
		x.gate.refuse(why)
	}
	j.counts, j.q.Total = j.q.Total, false
	return nil
}

// complete gives q what it leaves to defaults.
func complete(s *search.Searcher, q *search.Query) error {
	if q.Text == "" && q.Node == nil && q.K != 0 {
		return nil
	}
	own, err := s.Complete([]search.Query{*q})
	if err != nil {
		return errors.Unwrap(err)
	}
	*q = own[0]
	return nil
}

// within returns how long after its arrival a query with ctx should be answered; 0 for any time.
func (x *Executor) within(ctx context.Context) time.Duration {
	after := x.options.Deadline
	if at, ok := ctx.Deadline(); ok {
		if left := min(max(time.Until(at), 1), farthestDeadline); after == 0 || left < after {
			after = left
		}
	}
	return after
}

// enter gives a query to a core, if one is to take it at once, or to a backlog.
func (j *job) enter() {
	x := j.x
	j.number = j.part.came.Add(1)
	switch {
	case (j.bound || x.load.coresTake()) && x.cpu.Room():
		j.toCPU()
	case j.bound:
		x.pinned.push(j)
		x.refill() // those that would have called it may have ended meanwhile
	default:
		k := x.either.push(j)
		if k%step == 0 {
			x.either.note()
		}
		if k%8 == 1 { // cores may have none to end for long
			x.observe(false, x.now())
		}
		x.call(k)
		if x.load.coresTake() && (x.cpu.Room() || x.gone.Load() && !x.gate.onCores()) {
			x.refill()
		}
	}
}

// toCPU gives a query to a core.
func (j *job) toCPU() {
	j.part.cores.Add(1)
	j.offer()
}

// offer is toCPU for a query that is counted.
func (j *job) offer() {
	x := j.x
	stays := j.stays
	if j.bound || x.gone.Load() || !j.weighed() {
		stays = nil
	}
	if err := x.cpu.Offer(j.ctx, &j.q, stays, j.answered); err != nil {
		go j.end(nil, err) // not in the goroutine that calls Submit
	}
}

// weighed reports whether a core is to predict the time of a query: always where those of its mode often take it as
// long as the GPU, else sometimes, to learn.
func (j *job) weighed() bool { return j.number%16 == 1 || j.x.cost.often(j.q.Mode) }

// weigh is called by the core that comes to a query. It leaves the query to the GPU if that answers it sooner.
func (j *job) weigh() bool {
	x := j.x
	now := x.now()
	lengths, mode, flat, err := x.cpu.Searcher().AppendWordLengths(j.lengths[:0], &j.q)
	j.lengths = lengths
	if err != nil || !flat {
		return true // it will come across the error, or is for cores alone
	}
	j.f = featuresOf(&j.q, mode, lengths)
	if x.cost.core(&j.f) > x.cost.gpu(j.q.Mode, now) && !x.gone.Load() {
		x.load.learn(0)
		j.part.cores.Add(-1)
		x.call(x.suited.push(j))
		if x.gone.Load() || x.pinned.len() > 0 { // meanwhile
			x.refill()
		}
		return false
	}
	j.begun = now
	return true
}

// end delivers the answer of a core, and gives the cores more to do.
func (j *job) end(hits []search.Hit, err error) {
	x, p := j.x, j.part
	measured := j.begun > 0
	if measured {
		took := x.now() - j.begun
		x.cost.learn(&j.f, took)
		x.load.learn(took)
	}
	n := p.taken[0].Add(1)
	p.cores.Add(-1)
	total := uint64(0)
	if j.counts {
		total = uncounted
	}
	j.deliver(0, hits, total, err)
	if measured || n%16 == 0 {
		x.observe(false, x.now())
	}
	x.refill()
	if x.lanes.serving.Load() > 0 && n%x.load.turn.Load() == 0 {
		runtime.Gosched() // to what serves the GPU
	}
}

// deliver hands the answer of a query to its caller. by is 0 for the CPU, 1 for the GPU.
func (j *job) deliver(by int, hits []search.Hit, total uint64, err error) {
	j.x.late(j.at, j.after, by, 1)
	j.notify(hits, total, err)
	j.drop()
}

// late counts n queries that arrived at some time if they are answered too late.
func (x *Executor) late(at, after time.Duration, by, n int) {
	if after > 0 && x.now() > at+after {
		x.missed[by].Add(int64(n))
	}
}

// drop ends a job.
func (j *job) drop() {
	x, p := j.x, j.part
	j.ctx, j.q, j.notify, j.begun = nil, search.Query{}, nil, 0
	x.jobs.put(j)
	x.gate.leave(p, 1)
}

// refill gives cores that have little to do what waits for them. If what keeps them busy is not x's, as queries sorted by
// columns and those of others who have the Pool, x is not told when they have done it: then they get one query, and refill
// is called when that is answered.
func (x *Executor) refill() {
	for b := x.forCores(); b != nil; b = x.forCores() {
		most, room := refillAtOnce, x.cpu.Room()
		if !room {
			if x.gate.onCores() {
				return
			}
			most = 1
		}
		var some [refillAtOnce]*job
		for _, j := range b.take(some[:0], most, x.now()) {
			if room {
				j.toCPU()
				continue
			}
			j.part.cores.Add(1)
			go j.offer() // this goroutine may be a worker's, and the Pool full
		}
	}
}

const refillAtOnce = 4

// forCores returns a backlog of queries for the cores, or nil.
func (x *Executor) forCores() *backlog {
	switch {
	case x.pinned.len() > 0:
		return x.pinned
	case x.gone.Load() && x.suited.len() > 0:
		return x.suited
	case x.load.coresTake() && x.either.len() > 0:
		return x.either
	}
	return nil
}
