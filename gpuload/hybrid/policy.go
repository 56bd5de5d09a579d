package hybrid

import (
	"math"
	"time"
)

// Cost is what a query is predicted or was measured to cost.
type Cost struct {
	CPU  time.Duration // of one core that answers it
	GPU  time.Duration // of the GPU, as part of a large batch
	Host time.Duration // of the cores, if the GPU answers it
	// Alone is the time of a batch on the GPU with this query alone; sums have none.
	Alone time.Duration
}

func (c Cost) plus(d Cost) Cost {
	return Cost{CPU: c.CPU + d.CPU, GPU: c.GPU + d.GPU, Host: c.Host + d.Host}
}

func (c Cost) minus(d Cost) Cost {
	return Cost{CPU: c.CPU - d.CPU, GPU: c.GPU - d.GPU, Host: c.Host - d.Host}
}

// policy decides which processor answers which query, and when. It has no clock, no lock
// and no goroutine: an Executor drives it by the time that passes, a simulation by its
// own. Ding 2009, section 9, names its rules: three queues, stealing, deadlines; and asks
// that thresholds adapt.
//
// A query's ratio is the time that the cores save if the GPU answers it, over the time
// that it takes there. Queries far above the threshold suit the GPU, far below the CPU; and the GPU
// those that it is expected to answer sooner than the cores.
// The threshold rises while the GPU has more work waiting than the CPU, and falls while it
// has less, so that in saturation both work all the time, each on what it is best at.
type policy struct {
	mode    Mode
	workers float64       // cores
	base    time.Duration // of a batch on the GPU, beside its queries
	batch   int           // maximum number of queries in one
	trusted int           // the same while the predictions are unproven; doubles with each batch
	lanes   int
	retired bool // the GPU is

	queues    [groups]queue
	urgency   urgency
	threshold float64       // log2 of the ratio
	adapted   time.Duration // when the threshold last moved

	cpu, gpu flight
	ready    time.Duration // when the GPU is predicted to finish what it has begun
	stocked  time.Duration // the same of the stock's batches; 0: none
	demand   demand
	overload overload
	use      gpuUse

	stats Stats
}

// flight is what a processor has taken and not finished.
type flight struct {
	queries, batches int
	work             time.Duration // predicted
	pace             pace
}

const (
	// band is how far from the threshold a query must be to suit one processor, as log2 of
	// the ratio.
	band = 1
	// octave is the time in which the threshold moves by 1, if only one processor has work;
	// farthest is how far it moves in total.
	octave   = 10 * time.Millisecond
	farthest = 12
	// gpuForgets is the time in which the pace of a GPU that gets no batch approaches 1, by a factor of e. It is
	// longer than octave, since a batch too many costs its queries more than the cores' next guess.
	gpuForgets = time.Second
	// Until batches of provenBatch queries have been answered, one runs at a time.
	provenBatch = 32
	// urgentShare is the share of a query's time until its deadline after which it goes
	// first.
	urgentShare = 2
)

func newPolicy(o *Options, workers int) *policy {
	p := &policy{mode: o.Mode, workers: float64(max(workers, 1)), base: max(o.Model.Batch, time.Microsecond), batch: o.Batch, trusted: 1, lanes: o.Lanes}
	p.cpu.pace.init()
	p.gpu.pace.init()
	if o.Mode == Serial {
		p.lanes = 1
	}
	return p
}

// cpuTime and gpuTime return the predicted times of a query, corrected by what the last
// ones took.
func (p *policy) cpuTime(e *entry) time.Duration { return p.cpu.pace.of(e.cost.CPU) }
func (p *policy) gpuTime(e *entry) time.Duration { return p.gpu.pace.of(e.cost.GPU) }

// doubted returns the time with which a query on a core competes with the GPU. Times on
// cores are predicted with errors of 14 to 28 %, those of single batches with 5 to 9, so the
// lesser of the two is too low more often where it is a core's.
func doubted(onCore time.Duration) time.Duration { return onCore / 3 * 4 }

// ratio returns log2 of a query's ratio.
func (p *policy) ratio(c Cost) float64 {
	saved := float64(p.cpu.pace.of(c.CPU)-p.cpu.pace.of(c.Host)) / p.workers
	if saved <= 0 {
		return -farthest
	}
	return math.Log2(saved / float64(max(p.gpu.pace.of(c.GPU), 1)))
}

// add puts a query into a queue. deadline is 0 for none.
func (p *policy) add(e *entry, now, deadline time.Duration) {
	e.arrived, e.due, e.urgent = now, never, never
	if deadline > 0 {
		e.due = now + deadline
		e.urgent = now + deadline/urgentShare
	}
	p.adapt(now)
	e.class = classOf(e.cost)
	e.group = p.choose(e, now)
	p.enqueue(e)
}

func (p *policy) enqueue(e *entry) {
	e.waiting = true
	p.queues[e.group].push(e)
	p.urgency.push(e)
}

// choose returns the queue for a query.
func (p *policy) choose(e *entry, now time.Duration) group {
	switch {
	case e.pinned || p.retired || p.mode == OnlyCPU:
		return pinnedGroup
	case p.mode == OnlyGPU:
		return gpuGroup
	case p.mode == Serial:
		return eitherGroup
	}
	queued := p.gpu.pace.of(p.queues[gpuGroup].cost.GPU)
	switch r := p.ratio(e.cost) - p.threshold; {
	case r > band, p.gpuDone(e, now, queued) < p.cpuDone(e, 0):
		return gpuGroup
	case r < -band:
		return cpuGroup
	}
	return eitherGroup
}

// observe tells the policy how many goroutines work for the GPU, and lets the paces of idle processors approach 1.
func (p *policy) observe(hosts int, now time.Duration) {
	passed := max(now-p.demand.seen, 0)
	p.demand.observe(hosts, now)
	p.cpu.pace.relax(passed, octave)
	p.gpu.pace.relax(passed, gpuForgets)
}

// adapt moves the threshold towards balance: both processors should have work for the same
// time.
func (p *policy) adapt(now time.Duration) {
	passed := now - p.adapted
	p.adapted = max(p.adapted, now)
	passed = min(passed, octave/8)
	cpu, gpu := p.cpuWork(), p.gpuWork()
	both := cpu + gpu
	if both < p.base || passed <= 0 || p.mode != Parallel {
		return // nothing waits
	}
	p.threshold += float64(passed) / float64(octave) * float64(gpu-cpu) / float64(both)
	p.threshold = min(max(p.threshold, -farthest), farthest)
}

// cores returns the cores that the work for the GPU, which goes first, leaves to the CPU's
// queries.
func (p *policy) cores() float64 {
	if p.retired {
		return p.workers
	}
	return max(p.workers-p.demand.cores, 1)
}

// cpuWork and gpuWork return how long the processors need for what they have taken and
// what suits them.
func (p *policy) cpuWork() time.Duration {
	work := p.cpu.work + p.queues[pinnedGroup].cost.CPU + p.queues[cpuGroup].cost.CPU
	return time.Duration(float64(p.cpu.pace.of(work)) / p.workers)
}

func (p *policy) gpuWork() time.Duration {
	return p.gpu.pace.of(p.gpu.work + p.queues[gpuGroup].cost.GPU)
}

// waiting returns the number of queries in the queues.
func (p *policy) waiting() (n int) {
	for i := range p.queues {
		n += p.queues[i].n
	}
	return n
}

// spares reports whether the Pool's workers should leave Ps to what serves the GPU.
func (p *policy) spares() bool {
	return !p.retired && p.mode != OnlyCPU && (p.use.spares || p.mode == OnlyGPU)
}

// hungry reports whether a processor takes a query as soon as it arrives.
func (p *policy) hungry() bool {
	_, idle := p.cpuRoom()
	return idle || p.gpu.batches == 0 && !p.retired
}

// remove takes a query out of its queue, and reports whether it was in one.
func (p *policy) remove(e *entry) bool {
	if !e.waiting {
		return false
	}
	e.waiting = false
	p.queues[e.group].remove(e)
	p.urgency.remove(e)
	return true
}

// gain returns how much sooner than an idle core the GPU is expected to answer a query, at least 0.
func (p *policy) gain(e *entry, now time.Duration) time.Duration {
	return max(e.cost.CPU-p.gpuDone(e, now, p.gpu.pace.of(p.queues[gpuGroup].cost.GPU)), 0)
}

// freely returns the limit of the CPU's queries below which others bypass the queues: what the cores answer in
// depthFreely, by the average of what they have. Once they have as many, the policy is overloaded for a time.
func (p *policy) freely(now time.Duration) int {
	waiting := p.queues[pinnedGroup].n + p.queues[cpuGroup].n + p.queues[eitherGroup].n
	if p.workers < manyCores || waiting > 0 || p.overload.now(now) || p.serves() || p.mode == Serial || p.mode == OnlyGPU {
		return 0
	}
	ahead := float64(depthFreely) * float64(p.cpu.queries) / float64(max(p.cpu.pace.of(p.cpu.work), 1))
	limit := int(p.cores() * min(1+max(ahead, 1), aheadFreely))
	if p.cpu.queries >= limit && !p.retired && p.mode == Parallel {
		p.overload.full(now)
		return 0
	}
	return limit
}

// countCPU records queries that have bypassed the queues, and those that the CPU has done since the
// last call.
func (p *policy) countCPU(begun, done amount, now time.Duration) {
	if float64(p.cpu.queries) >= p.cores() {
		p.cpu.pace.finish(time.Duration(float64(done.work)/p.cores()), now)
	}
	p.stats.CPU.Queries += int64(begun.queries)
	p.cpu.queries += begun.queries - done.queries
	p.cpu.work = max(p.cpu.work+begun.work-done.work, 0)
	if float64(p.cpu.queries) < p.cores() {
		p.cpu.pace.rest()
	} else {
		p.cpu.pace.start(now)
	}
	if p.cpu.queries == 0 {
		p.cpu.work = 0
	}
}

// finishGPU records that the GPU has finished a batch of n queries. work is what takeGPU
// returned.
func (p *policy) finishGPU(n int, work, now time.Duration) {
	p.gpu.pace.finish(work, now)
	p.trusted = min(2*p.trusted, p.batch)
	p.gpu.queries -= n
	p.gpu.batches--
	p.gpu.work -= work
	if p.gpu.batches == 0 {
		p.use.set(false, now)
		p.gpu.work, p.ready = 0, now
		p.gpu.pace.rest()
	}
}

// join starts to use a GPU, on which a batch takes the time base at least.
func (p *policy) join(base, now time.Duration) {
	p.retired, p.base = false, max(base, time.Microsecond)
	p.use.take(now)
}

// retire stops using the GPU: what waits for it goes to the CPU.
func (p *policy) retire() {
	p.retired = true
	for _, g := range []group{cpuGroup, eitherGroup, gpuGroup} {
		q := &p.queues[g]
		for e := q.oldest(); e != nil; e = q.oldest() {
			p.remove(e)
			p.again(e)
		}
	}
}

// again puts a query that the GPU took but did not answer into the queue of the CPU.
func (p *policy) again(e *entry) {
	e.pinned = true
	e.group = pinnedGroup
	p.enqueue(e)
}
