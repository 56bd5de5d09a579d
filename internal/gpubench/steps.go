package gpubench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/gpuload"
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
				err = b.StepsOver(ctx, name+", "+k.String(), x.Snapshot, asked(x.Set, draw(x.Set, n, k, b.Seed+1), 10, query.And))
			}
		}
		if err = errors.Join(err, x.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// StepsOver measures single queries of one mode over a snapshot: with all lists resident, and
// with device memory for a quarter of them.
func (b *Bench) StepsOver(ctx context.Context, name string, snapshot *reader.Snapshot, queries []query.Query) error {
	cpu, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		return err
	}
	bytes, err := b.stepsResident(ctx, name, snapshot, cpu, queries)
	if err != nil {
		return err
	}
	return b.stepsScarce(ctx, name, snapshot, cpu, queries, bytes/4)
}

// searcher answers one query.
type searcher interface {
	Search(ctx context.Context, q query.Query) (query.Result, error)
}

// steps is a Stepper as a searcher, with the trace of its last query.
type steps struct {
	*gpuload.Stepper
	trace *gpuload.StepTrace
}

func (s steps) Search(ctx context.Context, q query.Query) (query.Result, error) {
	return s.Stepper.Search(ctx, q, s.trace)
}

// single is an Executor as a searcher.
type single struct{ *gpuload.Executor }

func (s single) Search(ctx context.Context, q query.Query) (query.Result, error) {
	r, err := s.Execute(ctx, []query.Query{q})
	if err != nil {
		return query.Result{}, err
	}
	return r[0], nil
}

// stepWay is a way to answer single queries.
type stepWay struct {
	name string
	o    gpuload.StepOptions
}

func always(c gpuload.StepChoice) func(gpuload.StepState) gpuload.StepChoice {
	return func(gpuload.StepState) gpuload.StepChoice { return c }
}

// stepWays are the ways of part resident: the first is the GPU alone, the second what
// users get.
var stepWays = []stepWay{
	{"gpu", gpuload.StepOptions{Choose: always(gpuload.StepRest)}},
	{"hybrid", gpuload.StepOptions{}},
	{"hybrid, ratio alone, each step", gpuload.StepOptions{Rule: gpuload.Griffin}},
	{"gpu, selection there", gpuload.StepOptions{Rule: gpuload.StepRule{Sort: -1}, Choose: always(gpuload.StepRest)}},
	{"gpu, partial sort on the CPU", gpuload.StepOptions{Rule: gpuload.StepRule{Sort: 1 << 40}, Choose: always(gpuload.StepRest)}},
	{"gpu, each step, probe", gpuload.StepOptions{Choose: always(gpuload.StepGPU), Strategy: gpuload.Probe}},
	{"gpu, each step, mergepath", gpuload.StepOptions{Choose: always(gpuload.StepGPU), Strategy: gpuload.MergePath}},
	{"gpu, each step, find4", gpuload.StepOptions{Choose: always(gpuload.StepGPU), Strategy: gpuload.Find4}},
}

// stepsResident measures with all lists resident, and returns their bytes.
func (b *Bench) stepsResident(ctx context.Context, name string, snapshot *reader.Snapshot, cpu *query.Searcher, queries []query.Query) (int64, error) {
	x, err := gpuload.New(b.Device, snapshot, gpuload.Options{CPU: cpu, Memory: b.arena(0)})
	if err != nil {
		return 0, err
	}
	defer x.Close()
	if err := x.Ready(ctx); err != nil {
		return 0, err
	}
	for range 3 { // the lists are loaded, then get presence words
		if _, err := x.Execute(ctx, queries); err != nil {
			return 0, err
		}
	}
	answers, onCPU, err := b.each(ctx, cpu, queries, nil, nil)
	if err != nil {
		return 0, err
	}
	b.add(Row{Name: name + ": cpu", Value: mean(onCPU), Unit: "us", Note: quantiles(onCPU)})
	record := func(way string, took []time.Duration) { b.record(name, way, cpu, queries, took) }
	record("cpu", onCPU)
	var onGPU []time.Duration
	turned, state := b.turns(queries)
	ways := stepWays
	if queries[0].Mode != query.And { // their steps do not differ
		ways, turned = ways[:2], nil
	}
	for i, w := range ways {
		if w.name == "hybrid" {
			w.o.Rule = b.Rule
		}
		s, err := gpuload.NewStepper(x, cpu, w.o)
		if err != nil {
			return 0, err
		}
		tr := &gpuload.StepTrace{}
		moved, gpu := 0, 0
		took := []time.Duration(nil)
		_, took, err = b.each(ctx, steps{s, nil}, queries, answers, nil)
		if err == nil && w.name != "gpu" {
			_, _, err = b.each(ctx, steps{s, tr}, queries, answers, func(int) {
				if _, ok := tr.Moved(); ok {
					moved++
				}
				if len(tr.Steps) > 0 && tr.Steps[0].Choice != gpuload.StepCPU {
					gpu++
				}
			})
		}
		if err = errors.Join(err, s.Close()); err != nil {
			return 0, fmt.Errorf("%s: %w", w.name, err)
		}
		record(w.name, took)
		note := quantiles(took)
		if i == 0 {
			onGPU = took
		} else {
			best := lesser(onCPU, onGPU)
			note += fmt.Sprintf("; %.2f of the better processor of each query, %.2f of the better one; %.0f %% begin on the GPU, %.1f %% move",
				mean(took)/mean(best), mean(took)/min(mean(onCPU), mean(onGPU)), percent(gpu, b.runs(len(queries))), percent(moved, b.runs(len(queries))))
		}
		b.add(Row{Name: name + ": " + w.name, Value: mean(took), Unit: "us", Note: note})
	}
	best := lesser(onCPU, onGPU)
	b.add(Row{Name: name + ": better processor of each query", Value: mean(best), Unit: "us", Note: quantiles(best)})
	for turn, o := range turned {
		*state = turn + 2
		s, err := gpuload.NewStepper(x, cpu, o)
		if err != nil {
			return 0, err
		}
		_, took, err := b.each(ctx, steps{s, nil}, queries, answers, nil)
		if err = errors.Join(err, s.Close()); err != nil {
			return 0, err
		}
		record(fmt.Sprintf("cpu after %d terms", turn+2), took)
		best = lesser(best, took)
	}
	b.add(Row{Name: name + ": best move of each query", Value: mean(best), Unit: "us", Note: quantiles(best) + "; in hindsight, moves after each step included"})
	return x.Stats().Bytes, nil
}

// record writes a line for each query to Times.
func (b *Bench) record(name, way string, cpu *query.Searcher, queries []query.Query, took []time.Duration) {
	if b.Times == nil {
		return
	}
	for i, t := range took {
		n, _ := cpu.AppendLengths(nil, queries[i].Terms)
		slices.Sort(n)
		fmt.Fprintf(b.Times, "%s\t%s\t%d\t%d\t%d\t%d\n", name, way, i, n[0], n[min(1, len(n)-1)], t.Nanoseconds())
	}
}

// turns returns ways that move to the CPU once a given number of terms is done.
func (b *Bench) turns(queries []query.Query) ([]gpuload.StepOptions, *int) {
	most, turn := 0, new(int)
	for _, q := range queries {
		most = max(most, len(q.Terms))
	}
	out := make([]gpuload.StepOptions, max(min(most, 5)-1, 0))
	for i := range out {
		out[i].Choose = func(s gpuload.StepState) gpuload.StepChoice {
			if s.Done >= *turn {
				return gpuload.StepCPU
			}
			return gpuload.StepGPU
		}
	}
	return out, turn
}

// stepsScarce measures with device memory for a part of the lists only.
func (b *Bench) stepsScarce(ctx context.Context, name string, snapshot *reader.Snapshot, cpu *query.Searcher, queries []query.Query, memory int64) error {
	var took [3][]time.Duration
	note := ""
	for i, way := range []string{"cpu", "gpu", "hybrid"} {
		x, err := gpuload.New(b.Device, snapshot, gpuload.Options{CPU: cpu, Memory: b.arena(memory)})
		if err != nil {
			return err
		}
		s, err := gpuload.NewStepper(x, cpu, gpuload.StepOptions{Rule: b.Rule})
		if err != nil {
			return errors.Join(err, x.Close())
		}
		for range 4 { // the last one counts
			if err == nil {
				_, took[i], err = b.once(ctx, []searcher{cpu, single{x}, steps{s, nil}}[i], queries)
			}
		}
		st := x.Stats()
		if err = errors.Join(err, s.Close(), x.Close()); err != nil {
			return err
		}
		note = fmt.Sprintf("%s; %.0f MB for lists, %d loaded, %d evicted", quantiles(took[i]), float64(memory)/1e6, st.Loaded, st.Evicted)
		if i == 2 {
			note += fmt.Sprintf("; %.2f times below the better one, %.2f times the better of each query", min(mean(took[0]), mean(took[1]))/mean(took[2]),
				mean(took[2])/mean(lesser(took[0], took[1])))
		}
		b.record(name+", a quarter resident", way, cpu, queries, took[i])
		b.add(Row{Name: name + ", a quarter resident: " + way, Value: mean(took[i]), Unit: "us", Note: note})
	}
	return nil
}

// arena returns Options.Memory.
func (b *Bench) arena(bytes int64) int64 {
	if b.Small {
		return max(bytes, 1<<20)
	}
	return bytes
}

const stepRuns = 5 // of each query; the median counts

// runs returns how many queries are run for n queries.
func (b *Bench) runs(n int) int { return n * stepRuns }

// each answers each query several times in a row and returns the median times. The answers
// must be those given. after is called after each query.
func (b *Bench) each(ctx context.Context, s searcher, queries []query.Query, answers []query.Result, after func(i int)) ([]query.Result, []time.Duration, error) {
	results, took := make([]query.Result, len(queries)), make([]time.Duration, len(queries))
	var err error
	for i, q := range queries {
		var t [stepRuns]time.Duration
		for j := range t {
			start := time.Now()
			if results[i], err = s.Search(ctx, q); err != nil {
				return nil, nil, fmt.Errorf("query %d: %w", i, err)
			}
			t[j] = time.Since(start)
			if after != nil {
				after(i)
			}
		}
		if answers != nil && !slices.Equal(results[i].Hits, answers[i].Hits) {
			return nil, nil, fmt.Errorf("query %d: %q: %v, want %v", i, q.Terms, results[i].Hits, answers[i].Hits)
		}
		slices.Sort(t[:])
		took[i] = t[stepRuns/2]
	}
	return results, took, nil
}

// once answers the queries one after the other.
func (b *Bench) once(ctx context.Context, s searcher, queries []query.Query) ([]query.Result, []time.Duration, error) {
	results, took := make([]query.Result, len(queries)), make([]time.Duration, len(queries))
	var err error
	for i, q := range queries {
		start := time.Now()
		if results[i], err = s.Search(ctx, q); err != nil {
			return nil, nil, fmt.Errorf("query %d: %w", i, err)
		}
		took[i] = time.Since(start)
	}
	return results, took, nil
}

// lesser returns the lesser of each two times.
func lesser(a, b []time.Duration) []time.Duration {
	out := slices.Clone(a)
	for i := range out {
		out[i] = min(out[i], b[i])
	}
	return out
}

// mean returns the mean in microseconds.
func mean(took []time.Duration) float64 {
	sum := time.Duration(0)
	for _, t := range took {
		sum += t
	}
	return float64(sum.Nanoseconds()) / 1e3 / float64(max(len(took), 1))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// quantiles describes times.
func quantiles(took []time.Duration) string {
	t := slices.Clone(took)
	slices.Sort(t)
	at := func(q int) float64 { return float64(t[(len(t)-1)*q/1000].Nanoseconds()) / 1e3 }
	return fmt.Sprintf("p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f us", at(500), at(900), at(990), at(999))
}
