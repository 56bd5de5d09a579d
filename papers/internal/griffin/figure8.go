package griffin

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure8 = paper.Experiment{
	Name: "griffin-fig8", Number: "Figure 8", Title: "Intersection on GPU and CPU by the ratio of lengths",
	Data: "uniform lists out of 4 million documents, the longer one with 1 to 2 million", Claims: []int{2},
	OwnAdds: "single pairs, merged and searched, with and without the transfer of the lists",
	Paper:   paper.Values{}.Put("crossover", "ratio", "all", 128),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		err = unlike(ctx, e, func(i int, s *corpus.Set, pairs [][]int) error {
			t, err := griffinCPU(e, s, pairs)
			rows = append(rows, paper.Row{Metric: pairTime, Series: "CPU", At: ratioName(i), X: float64(ratios[i]), Value: t * 1e6, Unit: "us"})
			return err
		})
		return rows, err
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		cross := 1.0
		err = unlike(ctx, e, func(i int, s *corpus.Set, pairs [][]int) error {
			x, err := e.Index(ctx, s, "ef")
			if err != nil {
				return err
			}
			g, err := e.Executor(x, gpu.Options{NoPresence: true, Memory: 1 << 30})
			if err != nil {
				return err
			}
			sum := 0.0
			for j := range pairs {
				t, err := e.Conjunctions(ctx, x, g, pairs[j:j+1], gpu.Auto, 9)
				if err != nil {
					return err
				}
				sum += t / float64(len(pairs))
			}
			cpu, err := griffinCPU(e, s, pairs)
			if err != nil {
				return err
			}
			if sum < cpu {
				cross = float64(above(i))
			}
			rows = append(rows, paper.Row{Metric: pairTime, Series: "GPU", At: ratioName(i), X: float64(ratios[i]), Value: sum * 1e6, Unit: "us"},
				paper.Row{Metric: pairTime, Series: "CPU beside it", At: ratioName(i), X: float64(ratios[i]), Value: cpu * 1e6, Unit: "us"})
			return e.Drop(x)
		})
		return append(rows, paper.Row{Metric: "crossover", Series: "ratio", At: "all", Value: cross}), err
	},
	Judge: judgeRatio,
	Plot:  paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"4 pairs a group, the paper 100; one pair at a time; the row GPU is the engine's search with resident lists",
		"a warp of the engine's search has 128 docIDs of the shorter list, and decodes the blocks of ef that they fall in one after the other: it takes the longer, the more blocks these are; of a single pair each block has a warp of its own",
		"the engine's choice for a whole query, and for each step of one, is to search at every ratio",
	},
}

// ways8 are the ways on the GPU that claim 2 is judged by, the paper's first: where each one's
// crossover is, its times, of which the least counts, and those of the CPU beside it.
var ways8 = []struct {
	name, cross string
	gpu         []string
	cpu         string
}{
	{"of a pair by itself", "ratio, single pairs", []string{"GPU merge, alone", "GPU binary, alone"}, "CPU beside single pairs"},
	{"with the transfer of its lists", "ratio, single pairs with the transfer", []string{"GPU merge, with the transfer", "GPU binary, with the transfer"}, "CPU beside single pairs"},
	{"by the engine's search on resident lists in ef", "ratio", []string{"GPU"}, "CPU beside it"},
}

// judgeRatio judges claim 2 by all ways that were measured: single pairs, as the paper's are, and the
// engine's search.
func judgeRatio(t paper.Table) []paper.Verdict {
	holds, falls := true, true
	var why []string
	for _, w := range ways8 {
		cross, ok := t.Get("crossover", w.cross, "all")
		if !ok {
			continue
		}
		lead := func(group int) float64 {
			cpu, _ := t.Get(pairTime, w.cpu, ratioName(group))
			least := math.Inf(1)
			for _, name := range w.gpu {
				if v, ok := t.Get(pairTime, name, ratioName(group)); ok {
					least = min(least, v)
				}
			}
			return cpu / least
		}
		first, last := lead(0), lead(len(ratios)-1)
		holds = holds && cross >= 64 && cross <= 256
		falls = falls && first > 1 && last < first
		ahead := fmt.Sprintf("the GPU is ahead up to a ratio of %s, the CPU beyond", paper.Num(cross))
		switch cross {
		case 1:
			ahead = "the GPU is never ahead"
		case mostRatio:
			ahead = fmt.Sprintf("the GPU is ahead in all groups, up to a ratio of %d, and the CPU does not pass it", mostRatio)
		}
		why = append(why, fmt.Sprintf("%s %s: it is %s times as fast in the first group and %s times in the last", w.name, ahead, paper.Num(first), paper.Num(last)))
	}
	if len(why) == 0 {
		return nil
	}
	return []paper.Verdict{paper.Judge(2, holds && falls, falls, "%s; the paper's crossover is 128", strings.Join(why, "; "))}
}

func ratioName(i int) string {
	return fmt.Sprintf("[%d,%d)", ratios[i], above(i))
}

// unlike makes pairs for each group of ratios.
func unlike(ctx context.Context, e *paper.Env, take func(i int, s *corpus.Set, pairs [][]int) error) error {
	rng := rand.New(rand.NewPCG(8, 1))
	for i := range ratios {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		docs := e.Pick(4_000_000, 200_000)
		var lists [][]uint32
		var pairs [][]int
		for j := range e.Pick(4, 2) {
			n := float64(e.Pick(1_000_000, 50_000)) * (1 + rng.Float64())
			lists = append(lists, synthetic.Uniform(uint64(2*j+1), int(n/between(rng, i)), docs), synthetic.Uniform(uint64(2*j+2), int(n), docs))
			pairs = append(pairs, []int{2 * j, 2*j + 1})
		}
		if err := take(i, corpus.Of("pairs "+ratioName(i), docs, lists), pairs); err != nil {
			return err
		}
	}
	return nil
}

// griffinCPU returns the mean time of what Griffin's CPU does, with the shorter list
// decoded first.
func griffinCPU(e *paper.Env, s *corpus.Set, pairs [][]int) (sum float64, err error) {
	all, err := packs(s, pairs)
	if err != nil {
		return 0, err
	}
	for _, q := range pairs {
		lists := []*packed{all[q[0]], all[q[1]]}
		buf := make([]uint32, lists[0].Len())
		t, err := codecbench.Fastest(e.Time/4, func() error { conjunction(buf, lists); return nil })
		if err != nil {
			return 0, err
		}
		sum += t.Seconds() / float64(len(pairs))
	}
	return sum, nil
}
