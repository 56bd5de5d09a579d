package hybrid

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
)

// constantModel predicts the same for all queries of a mode.
func constantModel(t *testing.T, batch time.Duration, costs map[query.Mode]Cost) *Model {
	t.Helper()
	m := &Model{Version: ModelVersion, Batch: batch, Modes: map[string]*Polynomials{}}
	for mode, c := range costs {
		p := &Polynomials{CPU: make([]float64, DingBasis), GPU: make([]float64, DingBasis)}
		p.CPU[0], p.GPU[0] = math.Log2(float64(c.CPU)), math.Log2(float64(c.GPU))
		m.Modes[mode.String()] = p
	}
	if err := m.Prepare(); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWeighed asks one query after the other, with cores idle: the workers keep conjunctions and what only
// the CPU can answer, and give disjunctions, which the GPU is expected to answer sooner, to the queues.
func TestWeighed(t *testing.T) {
	s, qs, want := answeredQueries(t, 400, 21)
	m := constantModel(t, 10*time.Microsecond, map[query.Mode]Cost{
		query.And:   {CPU: time.Microsecond, GPU: time.Microsecond},
		query.Or:    {CPU: 8 * time.Second, GPU: time.Microsecond},
		query.AndOr: {CPU: time.Microsecond, GPU: time.Microsecond},
	})
	for _, mode := range []Mode{Parallel, OnlyCPU} {
		gpu := &stub{Executor: s}
		x := newHybridOn(t, manyCores, s, gpu, Options{Mode: mode, Model: m})
		onGPU := int64(0)
		for i := range qs {
			if q := &qs[i]; mode == Parallel && q.Mode == query.Or && supported(q) {
				onGPU++
			}
			done := make(chan []query.Hit, 1)
			if err := x.Submit(t.Context(), &qs[i], func(hits []query.Hit, err error) {
				if err != nil {
					t.Error(err)
				}
				done <- slices.Clone(hits)
			}); err != nil {
				t.Fatal(err)
			}
			if hits := <-done; !slices.Equal(hits, want[i].Hits) {
				t.Fatalf("%v, query %d: %v, want %v", mode, i, hits, want[i].Hits)
			}
			for x.held.Load() > 0 { // it leaves after it has been answered
				time.Sleep(time.Microsecond)
			}
			st := x.Stats()
			if st.GPU.Queries != onGPU || st.CPU.Queries != int64(i+1)-onGPU {
				t.Fatalf("%v: of %d queries the GPU should answer %d; %+v", mode, i+1, onGPU, st)
			}
		}
		if x.limit.Load() == 0 || x.onPool.Load() != 0 || gpu.calls.Load() != onGPU {
			t.Errorf("%v: %d queries may bypass the queues, %d are on the Pool, %d batches", mode, x.limit.Load(), x.onPool.Load(), gpu.calls.Load())
		}
		p := x.policy
		if p.cpu.queries != 0 || p.cpu.work != 0 || x.begun.work.Load() == 0 {
			t.Errorf("%v: %d queries and work of %v on the CPU, %d in all", mode, p.cpu.queries, p.cpu.work, x.begun.work.Load())
		}
	}
}

// TestCountCPU lets the policy hear of queries that bypass the queues before and after they are weighed, and of
// those that go back to the queues.
func TestCountCPU(t *testing.T) {
	o := Options{Model: DefaultModel()}
	o.setDefaults()
	p := newPolicy(&o, 4)
	for _, step := range []struct {
		begun, done amount
		queries     int
		work        time.Duration
	}{
		{begun: amount{3, 100 * micro}, queries: 3, work: 100 * micro},                               // two are not weighed
		{begun: amount{0, 150 * micro}, done: amount{1, 100 * micro}, queries: 2, work: 150 * micro}, // one of these is
		{begun: amount{-1, 0}, queries: 1, work: 150 * micro},                                        // the other is the GPU's
		{begun: amount{5, 50 * micro}, done: amount{6, 200 * micro}},
	} {
		p.countCPU(step.begun, step.done, time.Millisecond)
		if p.cpu.queries != step.queries || p.cpu.work != step.work {
			t.Fatalf("%+v: %d queries, work %v", step, p.cpu.queries, p.cpu.work)
		}
	}
	if p.stats.CPU.Queries != 7 || p.cpu.pace.factor != 1 {
		t.Errorf("%d queries, pace %v", p.stats.CPU.Queries, p.cpu.pace.factor)
	}
}

// TestIdleCorePace predicts what an idle core takes: the pace, of cores that are all busy, does not count.
func TestIdleCorePace(t *testing.T) {
	o := Options{Model: constantModel(t, 100*micro, map[query.Mode]Cost{query.And: {CPU: 1, GPU: 1}, query.Or: {CPU: 1, GPU: 1}, query.AndOr: {CPU: 1, GPU: 1}})}
	o.setDefaults()
	p := newPolicy(&o, 4)
	p.join(100*micro, 0)
	p.cpu.pace.factor = 10
	e := &entry{cost: Cost{CPU: 60 * micro, GPU: micro, Host: micro, Alone: 100 * micro}}
	if p.add(e, 0, 0); e.group == gpuGroup && len(p.takeCPU(0, nil)) == 0 {
		t.Errorf("a core waits, and the GPU answers in %v what it answers in 60 us", p.gpuDone(e, 0, 0))
	}
	p.cpu.queries = 4
	busy := &entry{cost: e.cost}
	if p.add(busy, 0, 0); len(p.takeCPU(0, nil)) != 0 || busy.group != gpuGroup {
		t.Errorf("group %d on cores that take ten times as long as predicted", busy.group)
	}
}

// TestFreely lets as many queries bypass the queues as cores answer in depthFreely, and none if they serve the GPU.
func TestFreely(t *testing.T) {
	o := Options{Model: DefaultModel()}
	o.setDefaults()
	for _, c := range []struct {
		name   string
		base   time.Duration // of the GPU; 0: there is none
		each   time.Duration
		change func(*policy)
		want   int
	}{
		{name: "GPU", base: 100 * micro, each: 50 * micro, want: 248},
		{name: "slow cores", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.cpu.pace.factor = 4 }, want: 68},
		{name: "no GPU", each: 50 * micro, want: 248},
		{name: "long queries", base: 100 * micro, each: time.Second, want: 16},
		{name: "short queries", base: 100 * micro, want: 8 * aheadFreely},
		{name: "queries wait", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.add(&entry{pinned: true}, 0, 0) }},
		{name: "queries wait for the GPU", base: 100 * micro, each: 50 * micro, change: func(p *policy) {
			p.enqueue(&entry{group: gpuGroup})
		}, want: 248},
		{name: "the GPU's work needs cores", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.demand.cores = 2 }},
		{name: "the cores have as much", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.cpu.queries, p.cpu.work = 248, 248*50*micro }},
		{name: "they had it just now", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.overload.until = 1 }},
		{name: "they had it a while ago", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.overload.until = 0 }, want: 248},
		{name: "they have it without a GPU", each: 50 * micro, change: func(p *policy) { p.cpu.queries, p.cpu.work = 248, 248*50*micro }, want: 248},
		{name: "few cores", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.workers = manyCores - 1 }},
		{name: "one at a time", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.mode = Serial }},
		{name: "GPU alone", base: 100 * micro, each: 50 * micro, change: func(p *policy) { p.mode = OnlyGPU }},
	} {
		p := newPolicy(&o, manyCores)
		if p.retired = true; c.base > 0 {
			p.join(c.base, 0)
		}
		p.cpu.queries, p.cpu.work = 4, 4*c.each
		if c.change != nil {
			c.change(p)
		}
		if got := p.freely(0); got != c.want {
			t.Errorf("%s: %d queries, want %d", c.name, got, c.want)
		}
	}
}
