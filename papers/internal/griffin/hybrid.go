package griffin

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/query"
)

// latencies are the times of the queries of a log in seconds, by who answers.
type latencies struct {
	queries [][]int
	names   []string
	of      map[string][]float64
	steps   map[string]*stepped
}

// stepped are the steps of all queries on the GPU (0) and on the CPU (1), and their seconds.
type stepped struct{ n, took [2]float64 }

// add adds the steps of a query.
func (s *stepped) add(t *gpu.StepTrace) {
	for _, step := range t.Steps {
		i := 0
		if step.Choice == gpu.StepCPU {
			i = 1
		}
		s.n[i], s.took[i] = s.n[i]+1, s.took[i]+step.Took.Seconds()
	}
}

// cpuBeside is the paper's CPU, measured beside the GPU as all other ways to answer are.
const cpuBeside = "CPU beside it, warm"

// timed says what leastOf does.
const timed = "the time of a query is the least of three, after two that are not timed"

// leastOf returns the least of three times of answering a query, after two that are not timed, in
// seconds.
func leastOf(answer func() error) (float64, error) {
	least := time.Duration(math.MaxInt64)
	for i := range 5 {
		start := time.Now()
		if err := answer(); err != nil {
			return 0, err
		}
		if i >= 2 {
			least = min(least, time.Since(start))
		}
	}
	return least.Seconds(), nil
}

// onOneCore times the paper's CPU under a name: merging or searching lists in PForDelta.
func onOneCore(e *paper.Env, s *corpus.Set, name string) (*latencies, error) {
	qs := logOf(e, s)
	all, err := packs(s, qs)
	if err != nil {
		return nil, err
	}
	l := &latencies{queries: qs, names: []string{name}, of: map[string][]float64{}, steps: map[string]*stepped{}}
	var buf []uint32
	for _, q := range qs {
		lists := make([]*packed, len(q))
		for i, x := range q {
			lists[i] = all[x]
		}
		buf = slices.Grow(buf[:0], lists[0].Len())
		t, err := leastOf(func() error { conjunction(buf, lists); return nil })
		if err != nil {
			return nil, err
		}
		l.of[name] = append(l.of[name], t)
	}
	return l, nil
}

// logOf returns up to 300 queries of two terms and more.
func logOf(e *paper.Env, s *corpus.Set) (out [][]int) {
	for _, q := range s.Queries {
		if len(q) >= 2 && len(out) < e.Pick(300, 20) {
			out = append(out, q)
		}
	}
	return out
}

// onBoth times Griffin, by its rule, the GPU alone, and the engine's CPU beside them, once
// for the figures that show it.
func onBoth(ctx context.Context, e *paper.Env) (*latencies, error) {
	return paper.Once(e, "griffin latencies", func() (*latencies, error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		l, err := onOneCore(e, s, cpuBeside)
		if err != nil {
			return nil, err
		}
		x, err := e.Index(ctx, s, "ef")
		if err != nil {
			return nil, err
		}
		cpu, err := search.NewSearcher(x.Snapshot, search.Options{Params: paper.Params})
		if err != nil {
			return nil, err
		}
		defer cpu.Close()
		g, err := e.Executor(x, gpu.Options{CPU: cpu, NoPresence: true, Memory: 4 << 30})
		if err != nil {
			return nil, err
		}
		for _, w := range []struct {
			name    string
			options *gpu.StepOptions
		}{
			{"Griffin-GPU", &gpu.StepOptions{Rule: gpu.Griffin, Load: true, Choose: func(gpu.StepState) gpu.StepChoice { return gpu.StepGPU }}},
			{"Griffin", &gpu.StepOptions{Rule: gpu.Griffin, Load: true}},
			{"the engine's rule", &gpu.StepOptions{Load: true}},
			{"the engine's CPU", nil},
		} {
			if err := l.add(ctx, s, w.name, g, cpu, w.options); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
		}
		return l, nil
	})
}

// add times a way to answer, once each list is resident, and compares with the CPU.
func (l *latencies) add(ctx context.Context, s *corpus.Set, name string, g *gpu.Executor, cpu *search.Searcher, o *gpu.StepOptions) (err error) {
	ask := func(q search.Query, _ *gpu.StepTrace) (search.Result, error) { return cpu.Search(ctx, q) }
	if o != nil {
		l.steps[name] = &stepped{}
		st, err := gpu.NewStepper(g, cpu, *o)
		if err != nil {
			return err
		}
		defer func() { err = st.Close() }()
		ask = func(q search.Query, t *gpu.StepTrace) (search.Result, error) { return st.Search(ctx, q, t) }
	}
	for _, terms := range s.Texts(l.queries) {
		q := search.Query{K: 10, Mode: query.ModeAnd}
		for _, t := range terms {
			q.RawTerms = append(q.RawTerms, []byte(t))
		}
		got, err := ask(q, nil)
		if err != nil {
			return err
		}
		want, err := cpu.Search(ctx, q)
		if err != nil {
			return err
		}
		if !gputrial.Equal(got.Hits, want.Hits) {
			return fmt.Errorf("query %s: %v, and %v on the CPU", q.RawTerms, got.Hits, want.Hits)
		}
		least, err := leastOf(func() error { _, err := ask(q, nil); return err })
		if err != nil {
			return err
		}
		if s := l.steps[name]; s != nil {
			var t gpu.StepTrace
			if _, err := ask(q, &t); err != nil {
				return err
			}
			s.add(&t)
		}
		l.of[name] = append(l.of[name], least)
	}
	l.names = append(l.names, name)
	return err
}

// mean returns the mean latency of the queries with k terms, of all if k is 0.
func (l *latencies) mean(name string, k int) float64 {
	sum, n := 0.0, 0.0
	for i, q := range l.queries {
		if k == 0 || len(q) == k {
			sum, n = sum+l.of[name][i], n+1
		}
	}
	return sum / max(n, 1)
}

// percentile returns the latency that the given share of the queries does not exceed.
func (l *latencies) percentile(name string, share float64) float64 {
	v := slices.Sorted(slices.Values(l.of[name]))
	return v[min(int(share*float64(len(v))), len(v)-1)]
}
