package gpubench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Steps measures single conjunctions on two processors (Griffin 2018 section 3.2) over
// generated collections.
func (b *Bench) Steps(ctx context.Context, dir string) error {
	names := b.wanted(StepCollections)
	if len(names) == 0 {
		return fmt.Errorf("single queries are measured on %s", strings.Join(StepCollections, " and "))
	}
	n := 1000
	if b.Small {
		n = 20
	}
	for _, name := range names {
		x, err := b.collection(ctx, name, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, k := range []kind{long, whole} {
			if err == nil {
				err = b.stepsOver(ctx, name+", "+k.String(), x.Snapshot, asked(x.Set, draw(x.Set, n, k, b.Seed+1), 10, query.ModeAnd))
			}
		}
		if err = errors.Join(err, x.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// stepsOver measures single queries of one mode over a snapshot: with all lists resident, and
// with device memory for a quarter of them.
func (b *Bench) stepsOver(ctx context.Context, name string, snapshot *reader.Snapshot, queries []search.Query) error {
	cpu, err := search.NewSearcher(snapshot, search.Options{Params: Params})
	if err != nil {
		return err
	}
	defer cpu.Close()
	bytes, err := b.stepsResident(ctx, name, snapshot, cpu, queries)
	if err != nil {
		return err
	}
	return b.stepsScarce(ctx, name, snapshot, cpu, queries, bytes/4)
}

func always(c gpu.StepChoice) func(gpu.StepState) gpu.StepChoice {
	return func(gpu.StepState) gpu.StepChoice { return c }
}

// until moves to the CPU once n terms are done.
func until(n int) func(gpu.StepState) gpu.StepChoice {
	return func(s gpu.StepState) gpu.StepChoice {
		if s.Done >= n {
			return gpu.StepCPU
		}
		return gpu.StepGPU
	}
}

// stepWay is a way in which a Stepper answers.
type stepWay struct {
	name   string
	o      gpu.StepOptions
	hidden bool
}

// stepWays are the ways of part resident beside the CPU. Disjunctions are measured in the first
// two, since their steps do not differ.
func stepWays(queries []search.Query) []stepWay {
	out := []stepWay{
		{name: "gpu", o: gpu.StepOptions{Choose: always(gpu.StepRest)}},
		{name: "hybrid"},
	}
	if queries[0].Mode != query.ModeAnd {
		return out
	}
	out = append(out,
		stepWay{name: "hybrid, ratio alone, each step", o: gpu.StepOptions{Rule: gpu.Griffin}},
		stepWay{name: "gpu, selection there", o: gpu.StepOptions{Rule: gpu.StepRule{Sort: -1}, Choose: always(gpu.StepRest)}},
		stepWay{name: "gpu, partial sort on the CPU", o: gpu.StepOptions{Rule: gpu.StepRule{Sort: 1 << 40}, Choose: always(gpu.StepRest)}},
		stepWay{name: "gpu, each step", o: gpu.StepOptions{Choose: always(gpu.StepGPU)}})
	for n := 2; n <= min(longest(queries), 5); n++ {
		out = append(out, stepWay{name: fmt.Sprintf("cpu after %d terms", n), o: gpu.StepOptions{Choose: until(n)}, hidden: true})
	}
	return out
}

// stepsResident measures with all lists resident, and returns their bytes.
func (b *Bench) stepsResident(ctx context.Context, name string, snapshot *reader.Snapshot, cpu *search.Searcher, queries []search.Query) (bytes int64, err error) {
	x, err := gpu.New(b.Device, snapshot, gpu.Options{CPU: cpu, Memory: b.arena(0)})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := x.Ready(ctx); err != nil {
		return 0, err
	}
	for range 3 { // the lists are loaded, then get presence words
		if _, err := x.Execute(ctx, queries); err != nil {
			return 0, err
		}
	}
	w := ways{{name: "cpu", searcher: cpu}}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, how := range stepWays(queries) {
		s, err := gpu.NewStepper(x, cpu, how.o)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", how.name, err)
		}
		on := way{name: how.name, searcher: steps{s}, hidden: how.hidden, close: s.Close}
		if len(w) > 1 {
			on.note = func() (string, error) { return traced(ctx, s, queries) }
		}
		w = append(w, on)
	}
	if err := b.compareWays(ctx, name, cpu, queries, w, median); err != nil {
		return 0, err
	}
	best, _ := w.processors()
	for i := range w {
		if w[i].hidden {
			best = lesser(best, w[i].took)
		}
	}
	b.add(Row{Name: name + ": best move of each query", Value: mean(best), Unit: "us", Note: quantiles(best) + "; in hindsight, moves after each step included"})
	return x.Stats().Bytes, nil
}

func longest(queries []search.Query) (terms int) {
	for _, q := range queries {
		terms = max(terms, len(q.RawTerms))
	}
	return terms
}

// traced says how many queries a Stepper begins on the GPU and how many it moves.
func traced(ctx context.Context, s *gpu.Stepper, queries []search.Query) (string, error) {
	var t gpu.StepTrace
	begin, moved := 0, 0
	for i, q := range queries {
		if _, err := s.Search(ctx, q, &t); err != nil {
			return "", fmt.Errorf("query %d: %w", i, err)
		}
		if _, ok := t.Moved(); ok {
			moved++
		}
		if len(t.Steps) > 0 && t.Steps[0].Choice != gpu.StepCPU {
			begin++
		}
	}
	return fmt.Sprintf("%.0f %% begin on the GPU, %.1f %% move", percent(begin, len(queries)), percent(moved, len(queries))), nil
}

// stepsScarce measures with device memory for a part of the lists only.
func (b *Bench) stepsScarce(ctx context.Context, name string, snapshot *reader.Snapshot, cpu *search.Searcher, queries []search.Query, memory int64) (err error) {
	w := ways{{name: "cpu", searcher: cpu}}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, name := range []string{"gpu", "hybrid"} {
		x, err := gpu.New(b.Device, snapshot, gpu.Options{CPU: cpu, Memory: b.arena(memory)})
		if err != nil {
			return err
		}
		on := way{name: name, searcher: single{x}, close: x.Close, note: func() (string, error) {
			st := x.Stats()
			return fmt.Sprintf("%.0f MB for lists, %d loaded, %d evicted", float64(memory)/1e6, st.Loaded, st.Evicted), nil
		}}
		if name == "hybrid" {
			s, err := gpu.NewStepper(x, cpu, gpu.StepOptions{})
			if err != nil {
				return errors.Join(err, x.Close())
			}
			on.searcher, on.close = steps{s}, func() error { return errors.Join(s.Close(), x.Close()) }
		}
		w = append(w, on)
	}
	return b.compareWays(ctx, name+", a quarter resident", cpu, queries, w, average)
}

// arena returns Options.Memory.
func (b *Bench) arena(bytes int64) int64 {
	if b.Small {
		return max(bytes, 1<<20)
	}
	return bytes
}
