package griffin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/papers/internal/resident"
)

// The rows of the paper's own kernels: selections by themselves, and pairs of lists with
// their transfer.

func init() { figure7.Own, figure8.Own, figure13.Own = ownFigure7, ownFigure8, ownFigure13 }

// ownFigure7 measures selections of scores that lie on the device, up to the result in host
// memory, and the copy of all scores for the CPU's partial sort.
func ownFigure7(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range selectFrom {
		if e.Small && n > 10_000 {
			break
		}
		scores := make([]float32, n)
		for i := range scores {
			scores[i] = rng.Float32()
		}
		some, err := selections(e, n, scores)
		if err != nil || ctx.Err() != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func selections(e *paper.Env, n int, scores []float32) (rows []paper.Row, err error) {
	m := resident.On(e.Device)
	defer func() {
		if e := m.Close(); err == nil {
			err = e
		}
	}()
	want := slices.Clone(scores)
	slices.Sort(want)
	slices.Reverse(want)
	s := resident.NewSelection(m, scores, 10)
	for _, w := range []struct {
		name string
		run  func() ([]uint64, resident.Selected, error)
	}{{"GPU radixSort", s.Radix}, {"GPU bucketSelect", s.Buckets}, {"GPU levels of maxima (Ding 2009)", s.Maxima}, {"GPU copy, CPU partial sort", func() ([]uint64, resident.Selected, error) { return s.CopyOut(partial) }}} {
		var whole, kernels []float64
		for range e.Pick(15, 1) {
			keys, t, err := w.run()
			if err != nil {
				return nil, fmt.Errorf("%s of %d: %w", w.name, n, err)
			}
			if keys != nil && !slices.EqualFunc(keys, want[:10], func(k uint64, s float32) bool { return resident.Score(k) == s }) {
				return nil, fmt.Errorf("%s of %d scores: not the greatest ten", w.name, n)
			}
			whole, kernels = append(whole, t.Whole), append(kernels, t.Kernels)
		}
		slices.Sort(whole)
		slices.Sort(kernels)
		rows = append(rows, paper.Row{Metric: selectTime, Series: w.name, At: lengthOf(n), X: float64(n), Value: whole[len(whole)/2] * 1e6, Unit: "us"})
		if k := kernels[len(kernels)/2]; k > 0 {
			rows = append(rows, paper.Row{Metric: selectTime + ", between events", Series: w.name, At: lengthOf(n), X: float64(n), Value: k * 1e6, Unit: "us"})
		}
	}
	return rows, nil
}

// pairWays are the ways to intersect a pair on the GPU.
var pairWays = []struct {
	name     string
	transfer bool
	run      func(*resident.Compressed, bool) ([]uint32, float64, error)
}{
	{"GPU merge, alone", false, (*resident.Compressed).Merge}, {"GPU merge, with the transfer", true, (*resident.Compressed).Merge},
	{"GPU binary, alone", false, (*resident.Compressed).Search}, {"GPU binary, with the transfer", true, (*resident.Compressed).Search},
}

// pairTimes returns the mean of the pairs' median times in each way.
func pairTimes(e *paper.Env, s *corpus.Set, pairs [][]int) (out []float64, err error) {
	out = make([]float64, len(pairWays))
	for _, q := range pairs {
		if err := onePair(e, s, q, len(pairs), out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func onePair(e *paper.Env, s *corpus.Set, q []int, pairs int, out []float64) (err error) {
	m := resident.On(e.Device)
	defer func() {
		if e := m.Close(); err == nil {
			err = e
		}
	}()
	x, err := resident.NewCompressed(m, ef.Codec{}, s.Lists[q[0]], s.Lists[q[1]])
	if err != nil {
		return err
	}
	want := s.Intersect(q)
	for i, w := range pairWays {
		took := make([]float64, e.Pick(15, 1))
		for j := range took {
			found, t, err := w.run(x, w.transfer)
			if err != nil {
				return err
			}
			if !slices.Equal(found, want) {
				return fmt.Errorf("%s: %d docIDs, the lists have %d in common", w.name, len(found), len(want))
			}
			took[j] = t
		}
		slices.Sort(took)
		out[i] += took[len(took)/2] / float64(pairs)
	}
	return nil
}

func pairRows(times []float64, at string, x float64) (rows []paper.Row) {
	for i, w := range pairWays {
		rows = append(rows, paper.Row{Metric: pairTime, Series: w.name, At: at, X: x, Value: times[i] * 1e6, Unit: "us"})
	}
	return rows
}

// ownFigure8 measures single pairs by the ratio of their lengths.
func ownFigure8(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	alone, moved := 1.0, 1.0
	err = unlike(ctx, e, func(i int, s *corpus.Set, pairs [][]int) error {
		times, err := pairTimes(e, s, pairs)
		if err != nil {
			return err
		}
		cpu, err := griffinCPU(e, s, pairs)
		if err != nil {
			return err
		}
		rows = append(rows, pairRows(times, ratioName(i), float64(ratios[i]))...)
		rows = append(rows, paper.Row{Metric: pairTime, Series: "CPU beside single pairs", At: ratioName(i), X: float64(ratios[i]), Value: cpu * 1e6, Unit: "us"})
		to := float64(above(i))
		if min(times[0], times[2]) < cpu {
			alone = to
		}
		if min(times[1], times[3]) < cpu {
			moved = to
		}
		return nil
	})
	return append(rows, paper.Row{Metric: "crossover", Series: "ratio, single pairs", At: "all", Value: alone},
		paper.Row{Metric: "crossover", Series: "ratio, single pairs with the transfer", At: "all", Value: moved}), err
}

// ownFigure13 measures single pairs of like lengths.
func ownFigure13(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	var most [4]float64
	_, err = alike(ctx, e, func(n int, s *corpus.Set, pairs [][]int) error {
		times, err := pairTimes(e, s, pairs)
		if err != nil {
			return err
		}
		merge, search, err := pairsOnCPU(e, s, pairs)
		if err != nil {
			return err
		}
		at := lengthName(n)
		rows = append(rows, pairRows(times, at, float64(n))...)
		rows = append(rows, paper.Row{Metric: pairTime, Series: "CPU merge beside it", At: at, X: float64(n), Value: merge * 1e6, Unit: "us"},
			paper.Row{Metric: pairTime, Series: "CPU binary beside it", At: at, X: float64(n), Value: search * 1e6, Unit: "us"})
		for i, v := range []float64{merge / times[1], search / times[3], times[2] / times[0], merge / times[0]} {
			most[i] = max(most[i], v)
		}
		return nil
	})
	for i, name := range ownSpeedups {
		rows = append(rows, paper.Row{Metric: mostGained, Series: name, At: "all", Value: most[i], Unit: "times"})
	}
	return rows, err
}
