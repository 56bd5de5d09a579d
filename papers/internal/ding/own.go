package ding

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/papers/internal/resident"
)

// topTime is measured against k, with the paper's own kernels.
const topTime = "time of top-k by k, an accumulator for every document"

// The rows of the paper's own kernels: uncompressed lists, and a launch a step.

func init() { figure6.Own, table2.Own, table3.Own = ownFigure6, ownTable2, ownTable3 }

// levelName names levels of recursion.
func levelName(n int) string {
	return []string{"direct", "1 level", "2 levels", "3 levels", "4 levels"}[n]
}

// findTimes returns the median times of an intersection with each number of levels.
func findTimes(e *paper.Env, na, nb int) (out []resident.PairTimes, err error) {
	m := resident.On(e.Device)
	defer func() {
		if e := m.Close(); err == nil {
			err = e
		}
	}()
	s := pair(na, nb)
	want := s.Intersect([]int{0, 1})
	p := resident.NewPair(m, s.Lists[0], s.Lists[1])
	for levels := range resident.MaxLevels + 1 {
		rounds := make([]resident.PairTimes, e.Pick(9, 1))
		for i := range rounds {
			found, t, err := p.Intersect(levels)
			if err != nil {
				return nil, err
			}
			if !slices.Equal(found, want) {
				return nil, fmt.Errorf("%s: %d docIDs, the lists have %d in common", levelName(levels), len(found), len(want))
			}
			rounds[i] = t
		}
		slices.SortFunc(rounds, func(a, b resident.PairTimes) int { return int(1e12 * (a.Find + a.Compact - b.Find - b.Compact)) })
		out = append(out, rounds[len(rounds)/2])
	}
	return out, nil
}

// ownFigure6 measures find and compaction, which are what the paper times.
func ownFigure6(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	least := map[int]float64{}
	run := func(metric string, a, b int) error {
		times, err := findTimes(e, a, b)
		for levels, t := range times {
			per := func(s float64) float64 { return s / float64(a) * 1e9 }
			v := per(t.Find + t.Compact)
			if metric == perElement && (least[levels] == 0 || v < least[levels]) {
				least[levels] = v
			}
			rows = append(rows, paper.Row{Metric: metric, Series: levelName(levels), At: name(b), X: float64(b), Value: v, Unit: "ns"},
				paper.Row{Metric: metric + ", find alone", Series: levelName(levels), At: name(b), X: float64(b), Value: per(t.Find), Unit: "ns"},
				paper.Row{Metric: metric + ", launches and copy of the result included", Series: levelName(levels), At: name(b), X: float64(b), Value: per(t.Whole), Unit: "ns"})
		}
		if err != nil {
			return fmt.Errorf("%d and %d: %w", a, b, err)
		}
		return ctx.Err()
	}
	for _, n := range equal(e) {
		if e.Small && n > 50_000 {
			break
		}
		if err := run(perElement, n, n); err != nil {
			return nil, err
		}
	}
	short := e.Pick(200_000, 2_000)
	for n := short; n <= e.Pick(64, 16)*short && float64(n) <= 16e6*4*e.Scale; n *= 4 {
		if err := run(uneven, short, n); err != nil {
			return nil, err
		}
	}
	for levels := range resident.MaxLevels + 1 {
		rows = append(rows, paper.Row{Metric: perElement, Series: levelName(levels), At: "least", Value: least[levels], Unit: "ns"})
	}
	return rows, nil
}

// stepsOf answers the queries of table 2 step by step, AND and OR, once for the tables that show
// them. The lists are in PForDelta with one level of recursion; three levels find.
func stepsOf(ctx context.Context, e *paper.Env) (map[string][]resident.Answer, error) {
	return paper.Once(e, "ding own steps", func() (map[string][]resident.Answer, error) {
		all, err := timedSet(e)
		if err != nil {
			return nil, err
		}
		s, qs := only(all, all.Queries[:min(len(all.Queries), e.Pick(most, 6))])
		out := map[string][]resident.Answer{}
		m := resident.On(e.Device)
		x, err := resident.Compress(m, level(1), s.Lists, s.Freqs, s.Docs)
		if err == nil {
			err = answer(ctx, e, s, x, qs, out)
		}
		if e := m.Close(); err == nil {
			err = e
		}
		return out, err
	})
}

func answer(ctx context.Context, e *paper.Env, s *corpus.Set, x *resident.Index, qs [][]int, out map[string][]resident.Answer) error {
	first, longest := 0, 0
	for _, q := range qs {
		first = max(first, len(s.Lists[q[0]]))
		for _, l := range q {
			longest = max(longest, len(s.Lists[l]))
		}
	}
	r := x.NewRunner(first, longest, 10, 3)
	for _, m := range []struct {
		name string
		run  func([]int) (resident.Answer, error)
		and  bool
	}{{"AND", r.And, true}, {"OR", r.Or, false}} {
		for i, q := range qs {
			a, err := m.run(q)
			if err != nil || ctx.Err() != nil {
				return err
			}
			if e.Small || i%(1+len(qs)/8) == 0 {
				if want := x.Best(s.Lists, s.Freqs, q, m.and, 10); !slices.Equal(a.Keys, want) {
					return fmt.Errorf("%s, query %d: the device's best documents differ from the lists'", m.name, i)
				}
			}
			for range e.Pick(2, 0) { // the faster of three
				again, err := m.run(q)
				if err != nil {
					return err
				}
				if again.Whole < a.Whole {
					a = again
				}
			}
			out[m.name] = append(out[m.name], a)
		}
	}
	return nil
}

// only returns a set of the lists of some queries, and the queries on it.
func only(s *corpus.Set, queries [][]int) (*corpus.Set, [][]int) {
	out, at := &corpus.Set{Set: listset.Set{Name: s.Name, Docs: s.Docs}}, map[int]int{}
	var qs [][]int
	for _, q := range queries {
		var to []int
		for _, l := range q {
			if _, ok := at[l]; !ok {
				at[l] = len(out.Lists)
				out.Lists, out.Freqs = append(out.Lists, s.Lists[l]), append(out.Freqs, s.Freqs[l])
			}
			to = append(to, at[l])
		}
		qs = append(qs, to)
	}
	return out, qs
}

func ownTable2(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	all, err := stepsOf(ctx, e)
	for i, m := range modeNames[:2] {
		whole, steps := 0.0, 0.0
		for _, a := range all[m] {
			whole += a.Whole
			for _, t := range a.Took {
				steps += t
			}
		}
		n := float64(max(len(all[m]), 1))
		rows = append(rows, paper.Row{Metric: queryTime, Series: stepByStep, At: m, X: float64(i), Value: 1e3 * whole / n, Unit: "ms"},
			paper.Row{Metric: queryTime, Series: stepByStep + ", between events", At: m, X: float64(i), Value: 1e3 * steps / n, Unit: "ms"})
	}
	return rows, err
}

func ownTable3(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	all, err := stepsOf(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, m := range modeNames[:2] {
		took, sum := map[string]float64{}, 0.0
		for _, a := range all[m] {
			for step, t := range a.Took {
				took[step] += t
				sum += t
			}
		}
		for _, step := range []string{resident.Initialization, resident.Decompression, resident.Intersection, resident.Scoring, resident.TopK} {
			if t, ok := took[step]; ok {
				rows = append(rows, paper.Row{Metric: share, Series: m + ", GPU", At: step, Value: 100 * t / sum, Unit: "%"},
					paper.Row{Metric: stepTime, Series: m + ", GPU", At: step, Value: 1e6 * t / float64(len(all[m])), Unit: "us"})
			}
		}
	}
	best, err := bestRows(e)
	return append(rows, best...), err
}

// bestRows measures the selection of the best of as many candidates as the collection has documents, by
// maxima, against k.
func bestRows(e *paper.Env) (rows []paper.Row, err error) {
	all, err := timedSet(e)
	if err != nil {
		return nil, err
	}
	m := resident.On(e.Device)
	defer func() {
		if e := m.Close(); err == nil {
			err = e
		}
	}()
	n := e.Pick(all.Docs, 20_000)
	scores := make([]float32, n)
	for i, v := range synthetic.Uniform(9, n, 1<<30) {
		scores[(i*7919)%n] += float32(v)
	}
	for _, k := range []int{10, 100, 1000, 4000} {
		if e.Small && k > 100 {
			break
		}
		s := resident.NewSelection(m, scores, k)
		least := resident.Selected{}
		for i := range e.Pick(9, 1) {
			keys, t, err := s.Maxima()
			if err != nil {
				return nil, err
			}
			if i == 0 && len(keys) != k || !slices.IsSortedFunc(keys, func(a, b uint64) int { return int(int64(b>>32) - int64(a>>32)) }) {
				return nil, fmt.Errorf("top %d: %d keys, or out of order", k, len(keys))
			}
			if i == 0 || t.Kernels < least.Kernels {
				least = t
			}
		}
		rows = append(rows, paper.Row{Metric: topTime, Series: "GPU, levels of maxima", At: fmt.Sprint(k), X: float64(k), Value: 1e3 * least.Kernels, Unit: "ms"})
	}
	return rows, nil
}
