package gpubench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// searcher answers one query.
type searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// steps is a Stepper as a searcher.
type steps struct{ *gpu.Stepper }

func (s steps) Search(ctx context.Context, q search.Query) (search.Result, error) {
	return s.Stepper.Search(ctx, q, nil)
}

// single is an Executor as a searcher.
type single struct{ *gpu.Executor }

func (s single) Search(ctx context.Context, q search.Query) (search.Result, error) {
	r, err := s.Execute(ctx, []search.Query{q})
	if err != nil {
		return search.Result{}, err
	}
	return r[0], nil
}

// way is a way to answer single queries.
type way struct {
	name string
	searcher
	hidden bool                   // it has no row of its own
	note   func() (string, error) // what its row says beside times; nil: nothing
	close  func() error           // nil: nothing is to be closed
	took   []time.Duration        // for each query, once measured
}

// ways are compared. The first is the CPU, the second the GPU.
type ways []way

func (w ways) close() (err error) {
	for i := range w {
		if w[i].close != nil {
			err = errors.Join(err, w[i].close())
		}
	}
	return err
}

// processors returns the times of the better processor of each query, and the mean of the better one.
func (w ways) processors() (each []time.Duration, one float64) {
	return lesser(w[0].took, w[1].took), min(mean(w[0].took), mean(w[1].took))
}

// compareWays measures the ways and adds their rows and one of the better processor of each query. over is as
// in measure.
func (b *Bench) compareWays(ctx context.Context, name string, cpu *search.Searcher, queries []search.Query, w ways, over func([]time.Duration) time.Duration) error {
	answers, err := cpu.Execute(ctx, queries)
	if err == nil {
		err = w.measure(ctx, queries, answers, over)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	each, one := w.processors()
	for i := range w {
		b.record(name, w[i].name, cpu, queries, w[i].took)
		if w[i].hidden {
			continue
		}
		text := quantiles(w[i].took)
		if i > 1 {
			text += fmt.Sprintf("; %.2f of the better processor of each query, %.2f of the better one", mean(w[i].took)/mean(each), mean(w[i].took)/one)
		}
		if w[i].note != nil {
			more, err := w[i].note()
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, w[i].name, err)
			}
			text += "; " + more
		}
		b.add(Row{Name: name + ": " + w[i].name, Value: mean(w[i].took), Unit: "us", Note: text})
	}
	b.add(Row{Name: name + ": better processor of each query", Value: mean(each), Unit: "us", Note: quantiles(each)})
	return nil
}

// record writes a line for each query to Times.
func (b *Bench) record(name, way string, cpu *search.Searcher, queries []search.Query, took []time.Duration) {
	if b.Times == nil {
		return
	}
	for i, t := range took {
		n, _ := cpu.AppendLengths(nil, queries[i].RawTerms)
		slices.Sort(n)
		if len(n) == 0 { // a query without terms
			n = []uint64{0}
		}
		fmt.Fprintf(b.Times, "%s\t%s\t%d\t%d\t%d\t%d\n", name, way, i, n[0], n[min(1, len(n)-1)], t.Nanoseconds())
	}
}

// time answers query i, whose answer is given.
func (w *way) time(ctx context.Context, i int, q search.Query, answer *search.Result) (time.Duration, error) {
	start := time.Now()
	r, err := w.Search(ctx, q)
	took := time.Since(start)
	if err == nil && !slices.Equal(r.Hits, answer.Hits) {
		err = fmt.Errorf("%q: %v, want %v", q.RawTerms, r.Hits, answer.Hits)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: query %d: %w", w.name, i, err)
	}
	return took, nil
}

// Passes over a log: the first are not counted.
const firstPasses, countedPasses = 3, 5

// measure answers all queries one after the other, several times. What a core takes varies twofold
// within seconds on a host that others use, so the ways take turns: while one way answers a part of
// the log, the others answer other parts. Were it the same, its lists would be in the core's caches. And
// every other time they go backward, so that each follows the way before it as often as the one after:
// a GPU that copies leaves a core with cold caches.
// over returns what counts of the times of a query in the passes.
func (w ways) measure(ctx context.Context, queries []search.Query, answers []search.Result, over func([]time.Duration) time.Duration) error {
	n := len(queries)
	parts := len(w) * max(n/50/len(w), 1)
	took := make([][countedPasses]time.Duration, len(w)*n) // way by way
	for turn := range (firstPasses + countedPasses) * parts {
		pass := turn/parts - firstPasses
		for j := range w {
			if turn%2 == 1 {
				j = len(w) - 1 - j
			}
			p := (turn + j*parts/len(w)) % parts
			for i := p * n / parts; i < (p+1)*n/parts; i++ {
				t, err := w[j].time(ctx, i, queries[i], &answers[i])
				if err != nil {
					return err
				}
				if pass >= 0 {
					took[j*n+i][pass] = t
				}
			}
		}
	}
	for j := range w {
		w[j].took = make([]time.Duration, n)
		for i := range n {
			w[j].took[i] = over(took[j*n+i][:])
		}
	}
	return nil
}

// median sorts the times.
func median(t []time.Duration) time.Duration {
	slices.Sort(t)
	return t[len(t)/2]
}

func average(t []time.Duration) time.Duration { return time.Duration(1e3 * mean(t)) }

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
