//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Whichever operation of the device fails, the answers are the Searcher's, and no memory leaks.
func TestStepFaults(t *testing.T) {
	snapshot := stepIndex(t, "", 500, 2)
	cpu, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cpu.Close() })
	rng := rand.New(rand.NewPCG(64, 65))
	var queries []search.Query
	for range 6 {
		q := drawQuery(rng, query.ModeAnd)
		queries = append(queries, q)
	}
	failed := 0
	for at := int64(1); ; at += int64(few(5, 1)) {
		if at > 500 {
			t.Fatal("too many operations")
		}
		f := &faulty{Emulator: cuda.NewEmulator()}
		f.left.Store(at)
		dev := newDevice(f)
		x, err := New(dev, snapshot, Options{CPU: cpu, Memory: 4 << 20})
		var s *Stepper
		if err == nil {
			turn := 0
			s, err = NewStepper(x, cpu, StepOptions{Load: true, Choose: func(st StepState) StepChoice {
				if st.Done > turn {
					return StepCPU
				}
				return StepGPU
			}})
			for i := 0; i < len(queries) && err == nil; i++ {
				turn = i
				tr := &StepTrace{}
				got, err := s.Search(context.Background(), queries[i], tr)
				if err != nil {
					t.Fatalf("operation %d failed: %v", at, err)
				}
				want, err := cpu.Search(context.Background(), queries[i])
				if err != nil || !slices.Equal(got.Hits, want.Hits) {
					t.Fatalf("operation %d failed: %v, want %v (%v)", at, got.Hits, want.Hits, err)
				}
				if tr.Failed != nil {
					failed++
				}
			}
			if s != nil {
				err = errors.Join(err, s.Close())
			}
			closeExecutor(t, x)
		}
		if err := dev.Close(); err != nil {
			t.Errorf("operation %d: %v", at, err)
		}
		if err == nil && f.left.Load() > 0 {
			break
		}
		if err != nil && !errors.Is(err, ErrMemory) && !errors.Is(err, ErrDevice) {
			t.Fatalf("operation %d failed: %v", at, err)
		}
	}
	if failed < few(5, 20) {
		t.Errorf("the device failed in only %d searches", failed)
	}
}

// Lists that keep queries from the device are loaded behind them once a core has done as much
// for want of them as while they are copied, and are then used.
func TestStepsLoadBehind(t *testing.T) {
	s := newStepper(t, stepIndex(t, "", 2000, 1), Options{Memory: 8 << 20}, StepOptions{Rule: StepRule{Work: -1, Load: 2500}})
	q := search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w3")}, K: 10, Mode: query.ModeAnd}
	n, err := s.cpu.AppendLengths(nil, q.RawTerms)
	if err != nil {
		t.Fatal(err)
	}
	short, long := min(n[0], n[1]), max(n[0], n[1])
	each, cost := float64(short+3*min(short, long/128)), 2500+float64((short+long)/192)
	lost := 0.0
	for i := 0; lost < 2*cost; i++ {
		tr := s.check(t, q)
		s.behind.Wait()
		want := StepCPU
		if lost >= cost {
			want = StepRest
		}
		if len(tr.Steps) != 1 || tr.Steps[0].Choice != want {
			t.Fatalf("query %d, after %.0f of %.0f: %+v, want %v", i, lost, cost, tr.Steps, want)
		}
		lost += each
	}
}

// Copies behind queries evict nothing, try what does not fit once, and end once other lists have
// been evicted.
func TestStepsBehindFull(t *testing.T) {
	s := newStepper(t, stepIndex(t, "", 3000, 1), Options{Memory: 5 << 10, NoPresence: true}, StepOptions{Rule: StepRule{Work: -1, Load: -1}})
	ask := func(a, b string) (loaded int64) {
		q := search.Query{RawTerms: [][]byte{[]byte(a), []byte(b)}, K: 10, Mode: query.ModeAnd}
		before := s.x.Stats().Loaded
		for range 100 { // far more than cost a copy
			s.check(t, q)
			s.behind.Wait()
		}
		return s.x.Stats().Loaded - before
	}
	if n := ask("w0", "w1"); n == 0 {
		t.Fatal("no list was loaded into free memory")
	}
	const words, first = 40, 4 // nobody asks for w2 and w3 before lists are evicted
	for i := first; i < words; i += 2 {
		ask(fmt.Sprint("w", i), fmt.Sprint("w", i+1))
	}
	st := s.x.Stats()
	if st.Evicted > 0 || st.Lists >= words {
		t.Fatalf("%d lists of %d are resident, %d evicted", st.Lists, words, st.Evicted)
	}
	for i := first; i < words; i += 2 {
		ask(fmt.Sprint("w", i), fmt.Sprint("w", i+1))
	}
	if n := s.x.Stats().Refused - st.Refused; n > 0 {
		t.Errorf("lists that do not fit were tried %d times more", n)
	}
	var qs []search.Query // whose batch evicts
	for i := range words {
		qs = append(qs, search.Query{RawTerms: [][]byte{fmt.Append(nil, "w", i), []byte("w0")}, K: 10, Mode: query.ModeAnd})
	}
	for i := range qs {
		if _, err := s.x.Execute(context.Background(), qs[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if s.x.Stats().Evicted == 0 {
		t.Fatal("no list was evicted")
	}
	for i := 0; i < words; i += 2 {
		if n := ask(fmt.Sprint("w", i), fmt.Sprint("w", i+1)); n > 0 {
			t.Fatalf("%d lists were loaded after others had been evicted", n)
		}
	}
	if s.missed != nil {
		t.Error("what lists have cost is still counted")
	}
}

// The rule of the paper moves an intermediate result as soon as the next list is long enough.
func TestStepTrace(t *testing.T) {
	s := newStepper(t, stepIndex(t, "", 2000, 2), Options{Memory: 8 << 20}, StepOptions{Rule: StepRule{Ratio: 3, Work: -1, Each: true}, Load: true})
	rng := rand.New(rand.NewPCG(66, 67))
	moves := 0
	for range 40 {
		q := drawQuery(rng, query.ModeAnd)
		tr := s.check(t, q)
		for i, st := range tr.Steps {
			if st.Whole {
				continue
			}
			if i > 0 && st.State.Length != tr.Steps[i-1].Length {
				t.Errorf("%q: step %d begins with %d docIDs, the one before ended with %d", q.RawTerms, i, st.State.Length, tr.Steps[i-1].Length)
			}
			if ratio := st.State.Ratio(); st.State.Next > 0 && (st.Choice == StepCPU) != (ratio >= 3) {
				t.Errorf("%q: step %d: %v at ratio %g", q.RawTerms, i, st.Choice, ratio)
			}
			if st.Choice == StepCPU && (st.Moved != st.State.Length || len(tr.CPU.Segments) == 0) {
				t.Errorf("%q: %d docIDs moved of %d, %d segments on the CPU", q.RawTerms, st.Moved, st.State.Length, len(tr.CPU.Segments))
			}
		}
		if _, ok := tr.Moved(); ok {
			moves++
		}
	}
	if moves < 5 {
		t.Errorf("%d queries moved", moves)
	}
}

// The disjunction of a query that has too few documents with all terms says why the CPU answers
// it: it is short, whatever is on the device.
func TestStepsWhyWhole(t *testing.T) {
	cpuOr := func(state StepState) StepChoice {
		if state.Or {
			return StepCPU
		}
		return StepRest
	}
	for _, c := range []struct {
		o   StepOptions
		why string
	}{{StepOptions{Rule: StepRule{Work: -1, Load: -1, Or: 1 << 40}}, "short"}, {StepOptions{Rule: StepRule{Work: -1, Load: -1}}, "short"},
		{StepOptions{Rule: StepRule{Work: -1, Load: -1, Or: 1}}, "not resident"}, {StepOptions{Rule: StepRule{Or: 1}, Choose: cpuOr, Load: true}, "asked for"}} {
		s := newStepper(t, stepIndex(t, "", 2000, 2), Options{Memory: 8 << 20}, c.o)
		tr := s.check(t, search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w3")}, K: 1000, Mode: query.ModeAndOr})
		if n := len(tr.Steps); n != 2 || !tr.Steps[1].State.Or || tr.Steps[1].Why.String() != c.why {
			t.Errorf("%+v: %+v, want the reason %q", c.o.Rule, tr.Steps, c.why)
		}
	}
}

// Queries run at the same time, on a device that has room for some of the lists only.
func TestStepsTogether(t *testing.T) {
	snapshot := stepIndex(t, "", 3000, 2)
	s := newStepper(t, snapshot, Options{Memory: 5 << 10, NoPresence: true}, StepOptions{Rule: StepRule{Ratio: 4, Work: -1, Load: 100, Or: 1}})
	var all sync.WaitGroup
	failed := make(chan string, 4)
	for i := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(70, uint64(i)))
			for range few(200, 300) {
				q := drawQuery(rng, query.ModeAnd, query.ModeOr, query.ModeAndOr)
				got, err := s.Search(context.Background(), q, nil)
				want, werr := s.cpu.Search(context.Background(), q)
				if err != nil || werr != nil || !slices.Equal(got.Hits, want.Hits) {
					failed <- fmt.Sprintf("%v %q: %v (%v), want %v (%v)", q.Mode, q.RawTerms, got.Hits, err, want.Hits, werr)
					return
				}
			}
		})
	}
	all.Wait()
	s.behind.Wait()
	select {
	case f := <-failed:
		t.Error(f)
	default:
	}
	if st := s.x.Stats(); st.Loaded < 10 || st.Evicted < 5 || st.Hits < 20 {
		t.Errorf("%d lists loaded, %d evicted, %d found", st.Loaded, st.Evicted, st.Hits)
	}
}

// OnCPU answers only queries no step of which runs on the device, as the Searcher does, and all with a filter.
func TestStepsOnCPU(t *testing.T) {
	s := newStepper(t, stepIndex(t, "", 2000, 2), Options{Memory: 8 << 20}, StepOptions{Rule: StepRule{Work: 300, Or: 2000}, Load: true})
	rng := rand.New(rand.NewPCG(72, 73))
	on, off := 0, 0
	for range 100 {
		q := drawQuery(rng, query.ModeAnd, query.ModeOr, query.ModeAndOr)
		tr := s.check(t, q)
		onCPU := func() bool {
			r, ok, err := s.OnCPU(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.cpu.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if ok && !slices.Equal(r.Hits, want.Hits) || !ok && r.Hits != nil {
				t.Errorf("%v %q: %v, %v, want %v", q.Mode, q.RawTerms, ok, r.Hits, want.Hits)
			}
			return ok
		}
		if !onCPU() {
			on++
		} else if off++; slices.ContainsFunc(tr.Steps, func(st Step) bool { return st.Choice != StepCPU }) {
			t.Errorf("%v %q: %+v", q.Mode, q.RawTerms, tr.Steps)
		}
		if q.Filter = docset.GlobalOf(); !onCPU() {
			t.Errorf("%q with a filter", q.RawTerms)
		}
	}
	if on < 10 || off < 10 {
		t.Errorf("%d queries may run on the device, %d do not", on, off)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	q := drawQuery(rng, query.ModeAnd)
	if _, ok, err := s.OnCPU(canceled, &q); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v, %v", ok, err)
	}
}

// A prediction decides on disjunctions that are long enough, where their lists are there, and on nothing else.
func TestStepsSooner(t *testing.T) {
	sooner, asked := false, 0
	s := newStepper(t, stepIndex(t, "", 2000, 2), Options{Memory: 8 << 20}, StepOptions{Rule: StepRule{Or: 8 * 600},
		Sooner: func(*search.Query) bool { asked++; return sooner }})
	or := func(words ...string) search.Query {
		q := search.Query{K: 10, Mode: query.ModeOr}
		for _, w := range words {
			q.RawTerms = append(q.RawTerms, []byte(w))
		}
		return q
	}
	length := func(q search.Query) (sum uint64) {
		n, err := s.cpu.AppendLengths(nil, q.RawTerms)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range n {
			sum += n
		}
		return sum
	}
	long, short := or("w0", "w1"), or("w20", "w21")
	if length(long) < 600 || length(long) >= 8*600 || length(short) >= 600 {
		t.Fatalf("%d and %d postings", length(long), length(short))
	}
	expect := func(name string, q search.Query, choice StepChoice, why string) {
		t.Helper()
		if tr := s.check(t, q); len(tr.Steps) != 1 || tr.Steps[0].Choice != choice || tr.Steps[0].Why.String() != why {
			t.Errorf("%s: %+v, want %v, %q", name, tr.Steps, choice, why)
		}
	}
	expect("the CPU is sooner", long, StepCPU, "predicted")
	sooner = true
	expect("not resident", long, StepCPU, "not resident")
	if _, err := s.x.Execute(t.Context(), []search.Query{long}); err != nil {
		t.Fatal(err)
	}
	expect("the GPU is sooner", long, StepRest, "predicted")
	before := asked
	expect("short", short, StepCPU, "short")
	and := long
	and.Mode = query.ModeAnd
	s.check(t, and)
	if asked != before {
		t.Errorf("asked %d times of queries that the rule decides on", asked-before)
	}
}

// TestStepsShort forgets that memory ran out once a query has been answered on the device.
func TestStepsShort(t *testing.T) {
	s := newStepper(t, stepIndex(t, "", 2000, 1), Options{Memory: 8 << 20}, StepOptions{Load: true,
		Choose: func(StepState) StepChoice { return StepGPU }})
	for range 2 {
		s.x.state.short.Store(maxShort - 1)
		s.check(t, search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w3")}, K: 10, Mode: query.ModeAnd})
		if n := s.x.state.short.Load(); n != 0 {
			t.Errorf("memory ran out %d times in a row", n)
		}
	}
}

// TestStepTraceWhole traces disjunctions that a device answers whole: what was copied for the first
// one, the terms and whether their lists were there, and that it was asked for where the rule would have taken
// the CPU.
func TestStepTraceWhole(t *testing.T) {
	snapshot := stepIndex(t, "", 2000, 2)
	s := newStepper(t, snapshot, Options{Memory: 8 << 20}, StepOptions{Load: true,
		Choose: func(StepState) StepChoice { return StepRest }})
	q := search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w3")}, K: 10, Mode: query.ModeOr}
	for _, there := range []bool{false, true} {
		tr := s.check(t, q)
		if len(tr.Steps) != 1 || len(tr.Plan.Terms) != 2 || tr.Steps[0].Choice != StepRest || tr.Steps[0].Why != reasonAsked {
			t.Fatalf("%+v", tr)
		}
		all := int64(0)
		for _, term := range tr.Plan.Terms {
			if all += term.Postings; term.Resident != there {
				t.Errorf("%+v, want resident: %v", term, there)
			}
		}
		if all != tr.Steps[0].State.Length {
			t.Errorf("terms of %d postings, a step of %d", all, tr.Steps[0].State.Length)
		}
		if loaded := tr.Steps[0].Loaded; there != (loaded == 0) || loaded > all {
			t.Errorf("%d of %d postings copied", loaded, all)
		}
		if len(tr.CPU.Segments) > 0 || tr.CPU.Resolve > 0 {
			t.Errorf("the CPU did %+v", tr.CPU)
		}
	}
	own := newStepper(t, snapshot, Options{Memory: 8 << 20}, StepOptions{Load: true, Rule: StepRule{Or: 1}})
	if tr := own.check(t, q); tr.Steps[0].Why != reasonLong {
		t.Errorf("by the rule: %+v", tr.Steps)
	}
}

// TestStepsOutOfMemory counts each query that runs out of memory once, also disjunctions.
func TestStepsOutOfMemory(t *testing.T) {
	snapshot := stepIndex(t, "", 2000, 1)
	cpu, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cpu.Close() })
	for _, other := range []search.Executor{nil, cpu} {
		f := &full{Emulator: cuda.NewEmulator()}
		dev := newDevice(f)
		x, err := New(dev, snapshot, Options{Memory: 4 << 20, CPU: other})
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewStepper(x, cpu, StepOptions{Load: true, Choose: func(StepState) StepChoice { return StepRest }})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.stages.All {
			x.stages.All[i].Close()
		}
		f.set.Store(true)
		for i, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeOr} {
			q := search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w3")}, K: 10, Mode: mode}
			tr := &StepTrace{}
			if _, err := s.Search(context.Background(), q, tr); err != nil {
				t.Fatal(err)
			}
			if n := x.state.short.Load(); n != int32(i+1) || !errors.Is(tr.Failed, ErrMemory) {
				t.Errorf("query %d: memory ran out %d times, %v", i, n, tr.Failed)
			}
		}
		f.set.Store(false)
		stepper{s, cpu, x}.check(t, search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w3")}, K: 10, Mode: query.ModeOr})
		if n := x.state.short.Load(); n != 0 {
			t.Errorf("after an answer memory has run out %d times", n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
