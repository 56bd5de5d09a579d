package griffin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const pairTime, mostGained = "time of an intersection", "greatest speedup"

// ownSpeedups are of single pairs by the paper's own kernels, engineSpeedups of the engine's batches.
var (
	ownSpeedups    = []string{"GPU merge over CPU merge, with the transfer", "GPU binary over CPU binary, with the transfer", "GPU merge over GPU binary, alone", "GPU merge over CPU merge, alone"}
	engineSpeedups = []string{"GPU merge over CPU merge", "GPU binary over CPU binary", "GPU merge over GPU binary"}
)

var figure13 = paper.Experiment{
	Name: "griffin-fig13", Number: "Figure 13", Title: "Intersection of two lists of like lengths",
	Data: "uniform lists out of up to 13.7 million documents, one up to 16 times as long as the other", Claims: []int{7},
	OwnAdds: "the same as in Figure 8",
	Paper: paper.Values{}.Put(mostGained, ownSpeedups[0], "all", 87.35).Put(mostGained, ownSpeedups[1], "all", 102).
		Put(mostGained, ownSpeedups[2], "all", 2.29),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		_, err = alike(ctx, e, func(n int, s *corpus.Set, pairs [][]int) error {
			merge, search, err := pairsOnCPU(e, s, pairs)
			rows = append(rows, paper.Row{Metric: pairTime, Series: "CPU merge", At: lengthName(n), X: float64(n), Value: merge * 1e6, Unit: "us"},
				paper.Row{Metric: pairTime, Series: "CPU binary", At: lengthName(n), X: float64(n), Value: search * 1e6, Unit: "us"})
			return err
		})
		return rows, err
	},
	GPU:   likeOnGPU,
	Judge: judgeLike,
	Plot:  paper.Plot{X: chart.Axis{Label: "docIDs of the longer list", Log: true}, LogY: true},
	Notes: []string{"the GPU's times alone and with the transfer are of one pair by itself, in ef; the others are of the engine's batch of one pair with resident lists, where MergePath decodes both lists and binary search only the blocks that it needs",
		"the CPU's lists are in the paper's PForDelta, its shorter list decoded"},
}

// judgeLike judges claim 7 by single pairs, as the paper's are, and without them by the engine's batches.
func judgeLike(t paper.Table) []paper.Verdict {
	how, alone, beside, names := "a pair by itself with its transfer", ", alone", " beside it", ownSpeedups
	if _, ok := t.Get(mostGained, names[0], "all"); !ok {
		how, alone, beside, names = "a batch of one pair with resident lists", "", "", engineSpeedups
	}
	merge, ok := t.Get(mostGained, names[0], "all")
	over, _ := t.Get(mostGained, names[2], "all")
	cpu := 0.0
	if m, ok := t.Last(pairTime, "CPU merge"+beside); ok {
		b, _ := t.Last(pairTime, "CPU binary"+beside)
		cpu = b.Value / m.Value
	}
	if !ok {
		if cpu == 0 {
			return nil
		}
		return []paper.Verdict{paper.Judge(7, false, cpu > 1, "on the CPU merging the longest lists is %s times as fast as searching; the GPU's half is not measured", paper.Num(cpu))}
	}
	ahead, of := 0, 0
	for _, m := range t.Of(pairTime, "GPU merge"+alone) {
		if s, ok := t.Get(pairTime, "GPU binary"+alone, m.At); ok {
			if of++; m.Value < s {
				ahead++
			}
		}
	}
	v := paper.Judge(7, over >= 1+0.7*1.29 && merge >= 0.7*87.35 && cpu > 1 && ahead == of, merge > 1 && over > 1 && cpu > 1, "%s: the GPU's merge is up to %s times the CPU's and%s up to %s times the GPU's search, ahead of it at %d of %d lengths; on the CPU merging the longest lists is %s times as fast as searching",
		how, paper.Num(merge), strings.TrimPrefix(alone, ","), paper.Num(over), ahead, of, paper.Num(cpu))
	if merge, ok := t.Get(mostGained, engineSpeedups[0], "all"); ok && alone != "" {
		over, _ := t.Get(mostGained, engineSpeedups[2], "all")
		v.Why += fmt.Sprintf("; in the engine's batches of one pair with resident lists it is up to %s times the CPU's merge and %s times the search", paper.Num(merge), paper.Num(over))
	}
	return []paper.Verdict{v}
}

// alike makes pairs of like lengths for each group of lengths.
func alike(ctx context.Context, e *paper.Env, take func(n int, s *corpus.Set, pairs [][]int) error) (int, error) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, n := range lengths {
		if tooLong(n, e) || ctx.Err() != nil {
			break
		}
		docs := min(64*n, max(int(documents*e.Scale/3), 2*n))
		var lists [][]uint32
		var pairs [][]int
		for i := range e.Pick(4, 2) {
			lists = append(lists, synthetic.Uniform(uint64(2*i+1), int(float64(n)/(1+15*rng.Float64())), docs), synthetic.Uniform(uint64(2*i+2), n, docs))
			pairs = append(pairs, []int{2 * i, 2*i + 1})
		}
		if err := take(n, corpus.Of("pairs of "+lengthName(n), docs, lists), pairs); err != nil {
			return n, err
		}
	}
	return 0, ctx.Err()
}

// pairsOnCPU returns the mean times of merging and searching.
func pairsOnCPU(e *paper.Env, s *corpus.Set, pairs [][]int) (merge, search float64, err error) {
	all, err := packs(s, pairs)
	if err != nil {
		return 0, 0, err
	}
	for _, q := range pairs {
		short, long := s.Lists[q[0]], all[q[1]]
		found := make([]uint32, 0, len(short))
		m, err := codecbench.Fastest(e.Time/4, func() error { long.at = -1; long.merge(found, short); return nil })
		if err != nil {
			return 0, 0, err
		}
		b, err := codecbench.Fastest(e.Time/4, func() error { long.at = -1; long.search(found, short); return nil })
		if err != nil {
			return 0, 0, err
		}
		merge, search = merge+m.Seconds()/float64(len(pairs)), search+b.Seconds()/float64(len(pairs))
	}
	return merge, search, nil
}

// likeOnGPU is the GPU's half.
func likeOnGPU(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	var most [3]float64
	_, err = alike(ctx, e, func(n int, s *corpus.Set, pairs [][]int) error {
		x, err := e.Index(ctx, s, "ef")
		if err != nil {
			return err
		}
		g, err := e.Executor(x, gpu.Options{NoPresence: true, Memory: 1 << 30})
		if err != nil {
			return err
		}
		mean := func(how gpu.Strategy) (sum float64, err error) {
			for i := range pairs {
				t, err := e.Conjunctions(ctx, x, g, pairs[i:i+1], how, 15)
				if err != nil {
					return 0, err
				}
				sum += t / float64(len(pairs))
			}
			return sum, nil
		}
		merge, err := mean(gpu.MergePath)
		if err != nil {
			return err
		}
		search, err := mean(gpu.ProbeSkip)
		if err != nil {
			return err
		}
		cpuMerge, cpuSearch, err := pairsOnCPU(e, s, pairs)
		if err != nil {
			return err
		}
		at := lengthName(n)
		rows = append(rows, paper.Row{Metric: pairTime, Series: "GPU merge", At: at, X: float64(n), Value: merge * 1e6, Unit: "us"},
			paper.Row{Metric: pairTime, Series: "GPU binary", At: at, X: float64(n), Value: search * 1e6, Unit: "us"})
		for i, v := range []float64{cpuMerge / merge, cpuSearch / search, search / merge} {
			most[i] = max(most[i], v)
		}
		return e.Drop(x)
	})
	for i, name := range engineSpeedups {
		rows = append(rows, paper.Row{Metric: mostGained, Series: name, At: "all", Value: most[i], Unit: "times"})
	}
	return rows, err
}
