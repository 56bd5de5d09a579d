package hybrid

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// trial drives a policy by random operations and keeps its own account of what it must do.
type trial struct {
	*rapid.T
	p       *policy
	o       Options
	now     time.Duration
	waiting map[*entry]bool
	onCPU   []*entry
	batches []trialBatch
	done    int
	added   int
	retired bool
}

type trialBatch struct {
	entries []*entry
	work    time.Duration
}

func (r *trial) drawCost() Cost {
	draw := func(name string) time.Duration {
		return time.Duration(1) << rapid.IntRange(5, 24).Draw(r.T, name)
	}
	return Cost{CPU: draw("cpu"), GPU: draw("gpu"), Host: draw("host") / 64}
}

func (r *trial) add() {
	e := &entry{cost: r.drawCost(), pinned: rapid.IntRange(0, 9).Draw(r.T, "pinned") == 0}
	deadline := time.Duration(0)
	switch rapid.IntRange(0, 2).Draw(r.T, "deadline") {
	case 1:
		deadline = 50 * time.Millisecond
	case 2:
		deadline = time.Duration(rapid.IntRange(1, 1000).Draw(r.T, "ms")) * time.Millisecond
	}
	r.p.add(e, r.now, deadline)
	r.waiting[e] = true
	r.added++
}

// take lets both processors take what they want.
func (r *trial) take() {
	taken := r.p.takeCPU(r.now, nil)
	for _, e := range taken {
		if r.o.Mode == OnlyGPU && !e.pinned && !r.retired {
			r.Fatal("the CPU took a query that is the GPU's")
		}
		r.leaves(e)
	}
	r.onCPU = append(r.onCPU, taken...)
	for {
		entries, work := r.p.takeGPU(r.now, nil)
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			r.leaves(e)
			if e.pinned {
				r.Fatal("the GPU took a query that it cannot answer")
			}
		}
		if len(entries) > r.o.Batch || r.retired || r.o.Mode == OnlyCPU {
			r.Fatalf("a batch of %d queries, retired %v, mode %v", len(entries), r.retired, r.o.Mode)
		}
		r.batches = append(r.batches, trialBatch{entries, work})
	}
	flying := len(r.onCPU) + len(r.batches)
	if len(r.waiting) > 0 && flying == 0 {
		r.Fatalf("%d queries wait and both processors are idle", len(r.waiting))
	}
	if len(r.batches) > r.p.lanes {
		r.Fatalf("%d batches", len(r.batches))
	}
	if r.o.Mode == Serial && flying > 1 && !r.retired {
		r.Fatalf("%d at a time", flying)
	}
}

// leaves checks that a query that is taken was waiting.
func (r *trial) leaves(e *entry) {
	if !r.waiting[e] || e.waiting {
		r.Fatal("a query was taken twice")
	}
	delete(r.waiting, e)
}

func (r *trial) finishCPU() {
	if len(r.onCPU) == 0 {
		return
	}
	i := rapid.IntRange(0, len(r.onCPU)-1).Draw(r.T, "of CPU")
	r.p.countCPU(amount{}, amount{1, r.onCPU[i].cost.CPU}, r.now)
	r.onCPU = slices.Delete(r.onCPU, i, i+1)
	r.done++
}

// finishGPU ends a batch, which fails if again is set.
func (r *trial) finishGPU(again bool) {
	if len(r.batches) == 0 {
		return
	}
	i := rapid.IntRange(0, len(r.batches)-1).Draw(r.T, "of GPU")
	b := r.batches[i]
	r.batches = slices.Delete(r.batches, i, i+1)
	r.p.finishGPU(len(b.entries), b.work, r.now)
	if !again {
		r.done += len(b.entries)
		return
	}
	for _, e := range b.entries {
		r.p.again(e)
		r.waiting[e] = true
	}
}

func (r *trial) cancel() {
	for e := range r.waiting {
		if !r.p.remove(e) || r.p.remove(e) {
			r.Fatal("a waiting query can be removed once")
		}
		delete(r.waiting, e)
		r.done++
		return
	}
}

// check compares the policy's sums with the entries.
func (r *trial) check() {
	n, sum, dated := 0, Cost{}, 0
	for e := range r.waiting {
		n++
		sum = sum.plus(e.cost)
		if e.due != never {
			dated++
		}
	}
	var got Cost
	for i := range r.p.queues {
		got = got.plus(r.p.queues[i].cost)
	}
	listed := len(r.p.urgency.heap)
	for e := r.p.urgency.first; e != nil; e = e.later {
		if e.later != nil && e.later.urgent < e.urgent {
			r.Fatal("the list of urgency is out of order")
		}
		listed++
	}
	if n != r.p.waiting() || sum != got || listed != dated {
		r.Fatalf("%d queries of %v wait, %d with deadlines; the policy has %d, %v, %d", n, sum, dated, r.p.waiting(), got, listed)
	}
	flying := 0
	for _, b := range r.batches {
		flying += len(b.entries)
	}
	if r.p.cpu.queries != len(r.onCPU) || r.p.gpu.queries != flying || r.p.gpu.batches != len(r.batches) || r.p.gpu.work < 0 || r.p.cpu.work < 0 {
		r.Fatalf("in flight: %d, %d in %d batches; the policy has %+v, %+v", len(r.onCPU), flying, len(r.batches), r.p.cpu, r.p.gpu)
	}
}

// TestPolicy finds queries that are lost, taken twice or left waiting while a processor is
// idle, whatever arrives, finishes, fails or is canceled in which order.
func TestPolicy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Mode: Mode(rapid.IntRange(0, int(OnlyGPU)).Draw(rt, "mode")), Batch: rapid.IntRange(1, 40).Draw(rt, "batch"), Lanes: rapid.IntRange(1, 3).Draw(rt, "lanes")}
		o.setDefaults()
		r := &trial{T: rt, o: o, p: newPolicy(&o, rapid.IntRange(1, 4).Draw(rt, "workers")), waiting: map[*entry]bool{}}
		for range rapid.IntRange(1, 150).Draw(rt, "steps") {
			switch rapid.IntRange(0, 19).Draw(rt, "step") {
			case 0:
				r.cancel()
			case 1:
				if rapid.IntRange(0, 9).Draw(rt, "retire") == 0 && !r.retired {
					r.retired = true
					r.p.retire()
				}
			case 2:
				r.finishGPU(true)
			case 3, 4, 5:
				r.finishGPU(false)
			case 6, 7, 8, 9:
				r.finishCPU()
			case 10:
				for range 60 {
					r.add()
				}
			default:
				r.add()
			}
			r.now += time.Duration(rapid.IntRange(0, 3000).Draw(rt, "us")) * time.Microsecond
			r.take()
			r.check()
		}
		for len(r.waiting)+len(r.onCPU)+len(r.batches) > 0 {
			r.now += time.Millisecond
			r.finishCPU()
			r.finishGPU(false)
			r.take()
			r.check()
		}
		if r.done != r.added {
			rt.Fatalf("%d of %d queries done", r.done, r.added)
		}
	})
}

// TestUrgent checks that a query that nears its deadline goes before those that wait
// longer, and before cheaper ones.
func TestUrgent(t *testing.T) {
	var o Options
	o.setDefaults()
	p := newPolicy(&o, 1)
	cheap := Cost{CPU: 10 * time.Microsecond, GPU: time.Millisecond}
	entries := make([]*entry, 20)
	p.retire()
	for i := range entries {
		entries[i] = &entry{cost: cheap, pinned: true}
		p.add(entries[i], 0, time.Second)
	}
	near := &entry{cost: Cost{CPU: time.Millisecond}, pinned: true}
	p.add(near, 0, 20*time.Millisecond)
	if e := p.forCPU(time.Millisecond, true); e != entries[0] {
		t.Errorf("nothing is urgent, yet the first query is %+v", e)
	}
	if e := p.forCPU(10*time.Millisecond, true); e != near {
		t.Errorf("%+v goes before the one that is near its deadline", e)
	}
}

// TestSuited checks that each processor gets what suits it, and that an idle one steals
// only where that gains time.
func TestSuited(t *testing.T) {
	var o Options
	o.setDefaults()
	p := newPolicy(&o, 2)
	short := Cost{CPU: 5 * time.Microsecond, GPU: 40 * time.Microsecond}
	long := Cost{CPU: 5 * time.Millisecond, GPU: 10 * time.Microsecond}
	for range 100 {
		p.add(&entry{cost: short}, 0, 0)
		p.add(&entry{cost: long}, 0, 0)
	}
	for _, e := range p.takeCPU(0, nil) {
		if e.cost != short {
			t.Fatalf("the CPU takes %v", e.cost)
		}
	}
	p.trusted = p.batch
	batch, _ := p.takeGPU(0, nil)
	n := 0
	for _, e := range batch {
		if e.cost == long {
			n++
		}
	}
	if n != 100 {
		t.Errorf("the GPU takes %d of the 100 long queries", n)
	}
	// Alone, a long query that the GPU answers sooner is not stolen by an idle CPU.
	p = newPolicy(&o, 2)
	p.trusted = p.batch
	p.add(&entry{cost: long}, 0, 0)
	if got := p.takeCPU(0, nil); len(got) > 0 {
		t.Error("the CPU steals what the GPU answers sooner")
	}
	// With the GPU far behind, the CPU helps.
	for range 2000 {
		p.add(&entry{cost: long}, 0, 0)
	}
	if batch, _ := p.takeGPU(0, nil); len(batch) >= 2000 {
		t.Errorf("a batch of %d takes all work of the GPU", len(batch))
	}
	if got := p.takeCPU(0, nil); len(got) == 0 {
		t.Error("the CPU is idle beside 20 ms of queries for the GPU")
	}
	if p.stats.CPU.Stolen+p.stats.CPU.Either == 0 {
		t.Errorf("%+v", p.stats.CPU)
	}
}

// A query that a core would work on for long goes to a GPU with room, whatever the threshold, and one that
// finds no room by its ratio.
func TestSoonOnGPU(t *testing.T) {
	var o Options
	o.setDefaults()
	p := newPolicy(&o, 16)
	p.join(100*time.Microsecond, 0)
	p.threshold = farthest
	long := Cost{CPU: time.Millisecond, GPU: 30 * time.Microsecond, Host: 2 * time.Microsecond, Alone: 200 * time.Microsecond}
	for _, c := range []struct {
		name  string
		cost  Cost
		ready time.Duration // when the GPU has finished what it has begun
		want  group
	}{
		{"long, the GPU is idle", long, 0, gpuGroup},
		{"long, the GPU is busy for longer", long, 2 * time.Millisecond, cpuGroup},
		{"short", Cost{CPU: 20 * time.Microsecond, GPU: time.Microsecond, Host: 2 * time.Microsecond, Alone: 60 * time.Microsecond}, 0, cpuGroup},
	} {
		p.ready = c.ready
		e := &entry{cost: c.cost}
		if p.add(e, 0, 0); e.group != c.want {
			t.Errorf("%s: group %d, want %d", c.name, e.group, c.want)
		}
		p.remove(e)
	}
}

// TestOccupied sends a query that suits the GPU to a core while batches of the stock keep that for longer
// than the core takes, unless they are done within a millisecond.
func TestOccupied(t *testing.T) {
	const ms, now = time.Millisecond, time.Second
	for _, c := range []struct {
		name        string
		begun, done time.Duration
		core        bool
	}{
		{"idle", 0, 0, false},
		{"done soon", now - ms, now + ms/2, false},
		{"done late", now - ms, now + 5*ms, true},
		{"overdue, not for long", now - ms/2, now - ms/4, false},
		{"overdue for long", now - 50*ms, now - 20*ms, true},
	} {
		var o Options
		o.setDefaults()
		p := newPolicy(&o, 16)
		p.join(100*time.Microsecond, 0)
		p.threshold = -farthest // all suit the GPU
		p.occupied(0, now+time.Hour, now)
		p.occupied(c.begun, c.done, now)
		p.add(&entry{cost: Cost{CPU: ms, GPU: 30 * time.Microsecond, Host: 2 * time.Microsecond, Alone: 200 * time.Microsecond}}, now, 0)
		if n := len(p.takeCPU(now, nil)); (n == 1) != c.core {
			t.Errorf("%s: cores take %d", c.name, n)
		}
	}
}

// TestPaceOfIdle lets the cores get too few to answer what they have while they do: what that took
// is not known, and the pace stays.
func TestPaceOfIdle(t *testing.T) {
	o := Options{Model: DefaultModel()}
	o.setDefaults()
	p := newPolicy(&o, 4)
	for range 3 {
		p.add(&entry{cost: Cost{CPU: 100 * micro, GPU: time.Second}}, time.Second, 0)
	}
	if begun := p.takeCPU(time.Second, nil); len(begun) != 3 {
		t.Fatalf("%d queries begin", len(begun))
	}
	p.demand.observe(4, time.Second)
	p.demand.observe(4, time.Second+4*time.Millisecond)
	if p.cores() > 3 {
		t.Fatalf("%v cores are left", p.cores())
	}
	p.countCPU(amount{}, amount{1, 100 * micro}, time.Second+4*time.Millisecond)
	if f := p.cpu.pace.factor; f != 1 {
		t.Errorf("the pace is %v", f)
	}
}

// TestRelax lets the paces of idle processors approach 1 by the time that passes, however often the policy is told.
func TestRelax(t *testing.T) {
	for _, calls := range []int{1, 7, 1000} {
		o := Options{Model: DefaultModel()}
		o.setDefaults()
		p := newPolicy(&o, 4)
		p.cpu.pace.factor, p.gpu.pace.factor = 257, 257
		pass := func(from, passed time.Duration) {
			for i := range calls {
				p.observe(0, from+passed*time.Duration(i+1)/time.Duration(calls))
			}
		}
		pass(0, 5*octave)
		if f := p.cpu.pace.factor; math.Abs(f-1-256*math.Exp(-5)) > 1e-6 {
			t.Errorf("after %d calls in five octaves the pace of the cores is %v", calls, f)
		}
		if pass(5*octave, 5*gpuForgets-5*octave); math.Abs(p.gpu.pace.factor-1-256*math.Exp(-5)) > 1e-6 {
			t.Errorf("after %d calls in five seconds the pace of the GPU is %v", calls, p.gpu.pace.factor)
		}
	}
}
