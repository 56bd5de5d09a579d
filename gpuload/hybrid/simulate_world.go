package hybrid

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// world is a running simulation: cores, on which goroutines and the Pool's workers run, a
// GPU, and the scheduler of an Executor.
type world struct {
	s       Simulation
	records []Record
	policy  *policy
	bulk    bulk // its stock and counts
	rng     *rand.Rand
	now     time.Duration

	events    events
	order     int             // of events, so that equal times keep it
	idle      []time.Duration // since when the free cores are, ascending
	ready     []simJob        // of goroutines: before the Pool's, but for those that answer
	pool      []simJob        // queries that the CPU has taken
	serving   int             // goroutines that work for the GPU
	busy      time.Duration   // when a core was, last
	lastBatch time.Duration   // when one was answered last
	used      time.Duration   // of all cores
	device    time.Duration   // when it will have done its work
	batches   int
	taken     []*entry // memory
	onPool    int      // queries
	weighing  weighing

	arrived, entered int // queries; those that neither the queues nor the stock have
	arrivals, times  []time.Duration
	left             []int // by call of Execute: queries without answers; nil without callers
	missed           [2]int64
	most             int // queries in the queues
}

// simJob is work for one core. start, if there is one, says what it is when the core begins;
// then may be nil.
type simJob struct {
	work  time.Duration
	mode  query.Mode
	query bool          // for the Pool
	since time.Duration // for those that take turns: the Pool's, and goroutines that answer
	start func() (work time.Duration, then func())
	then  func()
}

func newWorld(records []Record, s Simulation) *world {
	w := &world{s: s, records: records, policy: newPolicy(&s.Options, s.Workers), idle: make([]time.Duration, s.Workers), lastBatch: -time.Second, rng: rand.New(rand.NewPCG(s.Seed, 17)),
		arrivals: make([]time.Duration, s.Queries), times: make([]time.Duration, s.Queries)}
	w.bulk.stock = newStock(&s.Options, s.Workers, true)
	w.policy.use.take(0)
	w.weighing.init()
	return w
}

// event is a moment at which something ends or arrives.
type event struct {
	at    time.Duration
	order int
	do    func()
}

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds an event.
func (h *events) Push(x any) { *h = append(*h, x.(event)) }

// Pop removes the last event.
func (h *events) Pop() any {
	n := len(*h) - 1
	e := (*h)[n]
	*h = (*h)[:n]
	return e
}

func (w *world) after(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.events, event{w.now + d, w.order, do})
}

func (w *world) run() {
	w.begin()
	w.dispatch()
	for len(w.events) > 0 {
		e := heap.Pop(&w.events).(event)
		w.used += (e.at - w.now) * time.Duration(w.s.Workers-len(w.idle))
		w.now = e.at
		e.do()
		w.dispatch()
	}
}

// record returns what query i costs.
func (w *world) record(i int) *Record { return &w.records[i%len(w.records)] }

// predicted returns what query i is predicted to cost.
func (w *world) predicted(i int) Cost {
	r := w.record(i)
	if r.Predicted == (Cost{}) {
		return r.Cost
	}
	return r.Predicted
}

// dispatch lets the scheduler hand out work and idle cores take it.
func (w *world) dispatch() {
	w.enter()
	p := w.policy
	p.observe(w.serving, w.now)
	s := &w.bulk.stock
	if p.use.observe(w.now); s.left > 0 {
		p.use.take(w.now)
	}
	begun, done := w.bulk.stock.gpuDone()
	p.occupied(begun, done, w.now)
	w.taken = p.takeCPU(w.now, w.taken[:0])
	for _, e := range w.taken {
		w.onPool++
		w.pool = append(w.pool, simJob{since: w.now, work: w.record(e.sim).Cost.CPU, mode: w.record(e.sim).Mode, query: true, then: func() {
			w.onPool--
			p.countCPU(amount{}, amount{1, e.cost.CPU}, w.now)
			w.took(e.sim, 0)
			w.again(1)
		}})
	}
	for {
		entries, work := p.takeGPU(w.now, nil)
		if len(entries) == 0 {
			break
		}
		w.batch(entries, work)
	}
	for len(w.idle) > 0 && len(w.ready)+len(w.pool) > 0 {
		q := &w.ready
		if len(*q) == 0 || (*q)[0].start != nil && len(w.pool) > 0 && w.pool[0].since < (*q)[0].since {
			q = &w.pool
		}
		j := (*q)[0]
		*q = (*q)[1:]
		if j.start != nil {
			if j.work, j.then = j.start(); j.then == nil {
				continue
			}
		}
		since := w.idle[len(w.idle)-1] // as in Model.Wakes, the last that became idle
		if len(w.idle) < w.s.Workers {
			w.busy = w.now
		}
		at := w.taker()
		w.idle = slices.Delete(w.idle, at, at+1)
		w.after(w.wake(w.now-since, &j)+w.besideOthers(j.work), func() {
			w.idle, w.busy = append(w.idle, w.now), w.now
			j.then()
		})
	}
}

// taker chooses the idle core that takes the next job: any of those that look for work, or the last that
// did.
func (w *world) taker() int {
	n := len(w.idle)
	at, _ := slices.BinarySearch(w.idle, w.now-pool.DefaultSpinFor)
	if at >= n-1 {
		return n - 1
	}
	return at + w.rng.IntN(n-at)
}

// goroutine does work on a core.
func (w *world) goroutine(work time.Duration, then func()) {
	w.ready = append(w.ready, simJob{work: work, then: then})
}

// serve is goroutine for work for the GPU. Costs without Cost.Host need no core.
func (w *world) serve(work time.Duration, then func()) {
	if work <= 0 {
		then()
		return
	}
	w.serving++
	w.goroutine(work, func() { w.serving--; then() })
}

// busyShare returns the share of the other cores that are busy.
func (w *world) busyShare() float64 {
	return float64(w.s.Workers-len(w.idle)-1) / float64(max(w.s.Workers-1, 1))
}

// besideOthers returns how long work takes a core beside those that are busy.
func (w *world) besideOthers(work time.Duration) time.Duration {
	if w.s.Options.Model.Crowd == 0 {
		return work
	}
	return work + time.Duration((w.s.Options.Model.Crowd-1)*w.busyShare()*float64(work))
}

// awake is how long a core counts as idle at most while others are busy: then it wakes like one that
// has just ceased to look for work while all are idle, as in Model.Wakes.
const awake = pool.DefaultSpinFor * 6 / 5

// wake returns how much later a job ends on a core that has been idle for some time. The more
// cores are busy, the less of what a query takes more on an idle one counts: Model.Crowd does.
func (w *world) wake(idle time.Duration, j *simJob) time.Duration {
	if !j.query {
		return 0
	}
	m := w.s.Options.Model
	wakes := m.Wakes
	if w.policy.spares() && len(m.Spared) > 0 {
		wakes = m.Spared
	}
	idle = min(idle, max(w.now-w.busy, awake))
	if idle == 0 || len(wakes) == 0 || idle < wakes[0].Idle {
		return m.Queued
	}
	late, slower := w.late(wakes, idle, j)
	return late + time.Duration(slower*(1-w.busyShare()))
}

// late draws how long a job waits, and returns how much slower it is, in nanoseconds. Both lie between what was
// measured for the next shorter and the next longer time without work.
func (w *world) late(wakes []Wake, idle time.Duration, j *simJob) (late time.Duration, slower float64) {
	at := len(wakes) - 1
	for at > 0 && wakes[at].Idle > idle {
		at--
	}
	x, next, share := &wakes[at], &wakes[min(at+1, len(wakes)-1)], 0.0
	if idle > x.Idle && next != x {
		share = float64(idle-x.Idle) / float64(next.Idle-x.Idle)
	}
	random := w.rng.Float64()
	between := func(a, b float64) float64 { return a + share*(b-a) }
	work := float64(j.work)
	return time.Duration(between(x.delay(random), next.delay(random))), between(x.Cold[j.mode]+x.Slower[j.mode]*work, next.Cold[j.mode]+next.Slower[j.mode]*work)
}

// delay returns a quantile, in nanoseconds. random is from 0 up to 1.
func (x *Wake) delay(random float64) float64 {
	return float64(x.Delays[int(random*float64(len(x.Delays)))])
}

// batch answers queries that the policy gave to the GPU.
func (w *world) batch(entries []*entry, predicted time.Duration) {
	numbers := make([]int, len(entries))
	for i, e := range entries {
		numbers[i] = e.sim
	}
	w.onGPU(numbers, func() {
		w.policy.finishGPU(len(entries), predicted, w.now)
		for _, i := range numbers {
			w.took(i, 1)
		}
		w.again(len(numbers))
	})
}

// gpuload looks up hostShare queries at a time, in as many goroutines as there are cores. Then
// it answers pieceLen queries at a time.
const hostShare, pieceLen = 64, 1024

// slowBatches is how many batches Simulation.slow makes longer.
const slowBatches = 8

// Shares of Cost.Host: looking up, laying out, reading results.
const lookUp, layOut, readOut = 0.6, 0.15, 0.25

// onGPU answers queries on the GPU.
func (w *world) onGPU(numbers []int, then func()) {
	host := time.Duration(0)
	for _, i := range numbers {
		host += w.record(i).Cost.Host
	}
	finish := func() { w.lastBatch = w.now; then() }
	late := time.Duration(0)
	if wakes := w.s.Options.Model.Lanes; len(wakes) > 0 {
		late, _ = w.late(wakes, w.now-w.lastBatch, &simJob{})
	}
	if w.batches++; w.batches <= slowBatches {
		late += w.s.slow
	}
	n := (len(numbers) + hostShare - 1) / hostShare
	w.after(late, func() {
		w.lookUp(n, part(host, lookUp)/time.Duration(n), func() {
			left := (len(numbers) + pieceLen - 1) / pieceLen
			for lo := 0; lo < len(numbers); lo += pieceLen {
				w.piece(numbers[lo:min(lo+pieceLen, len(numbers))], func() {
					if left--; left == 0 {
						finish()
					}
				})
			}
		})
	})
}

func part(d time.Duration, share float64) time.Duration { return time.Duration(float64(d) * share) }

// lookUp does n pieces of work for the GPU, in as many goroutines as there are cores.
func (w *world) lookUp(n int, each time.Duration, then func()) {
	running := min(n, w.s.Workers)
	next := running
	var one func()
	one = func() {
		if next < n {
			next++
			w.serve(each, one)
			return
		}
		if running--; running == 0 {
			then()
		}
	}
	for range running {
		w.serve(each, one)
	}
}

// piece answers queries that have been looked up. The device does the work of one piece after
// the other; the rest of what these take alone, launches and copies, overlaps with others.
func (w *world) piece(numbers []int, then func()) {
	var load Load
	var work, host time.Duration
	for _, i := range numbers {
		r := w.record(i)
		load.Add(r.Mode, r.Cost)
		work += r.Cost.GPU
		host += r.Cost.Host
	}
	n := (len(numbers) + hostShare - 1) / hostShare
	lookedUp := part(host, lookUp) / time.Duration(min(n, w.s.Workers))
	// What is left of its time alone without the host's part of it.
	least := w.s.Options.Model.Alone(&load) - lookedUp - part(host, layOut+readOut)
	w.serve(part(host, layOut), func() {
		w.device = max(w.device, w.now) + w.s.Options.Model.Launch + work
		w.after(max(w.device-w.now, least, w.s.start-w.now, 0), func() { w.serve(part(host, readOut), then) })
	})
}
