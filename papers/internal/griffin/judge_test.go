package griffin

import (
	"strings"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// entry returns a row of ours.
func entry(metric, series, at string, v float64) paper.Entry {
	return paper.Entry{Row: paper.Row{Metric: metric, Series: series, At: at, Value: v}, Ours: true}
}

// check compares the one verdict of a judge.
func check(t *testing.T, got []paper.Verdict, want paper.Judgement, words ...string) {
	t.Helper()
	if len(got) != 1 || got[0].Holds != want {
		t.Errorf("%+v, want that it %s", got, want)
		return
	}
	for _, w := range words {
		if !strings.Contains(got[0].Why, w) {
			t.Errorf("%q does not say %q", got[0].Why, w)
		}
	}
}

// TestJudgeRatio judges claim 2 by single pairs and by the engine's search: all of them must cross where the
// paper's do.
func TestJudgeRatio(t *testing.T) {
	engine := func(cross, last float64) paper.Table {
		return paper.Table{entry("crossover", "ratio", "all", cross), entry(pairTime, "CPU beside it", ratioName(0), 200), entry(pairTime, "GPU", ratioName(0), 10),
			entry(pairTime, "CPU beside it", ratioName(6), 10*last), entry(pairTime, "GPU", ratioName(6), 10)}
	}
	pairs := func(alone, moved float64) paper.Table {
		return paper.Table{entry("crossover", "ratio, single pairs", "all", alone), entry("crossover", "ratio, single pairs with the transfer", "all", moved),
			entry(pairTime, "CPU beside single pairs", ratioName(0), 1200), entry(pairTime, "CPU beside single pairs", ratioName(6), 60),
			entry(pairTime, "GPU merge, alone", ratioName(0), 10), entry(pairTime, "GPU binary, alone", ratioName(0), 12),
			entry(pairTime, "GPU merge, alone", ratioName(6), 12), entry(pairTime, "GPU binary, alone", ratioName(6), 10),
			entry(pairTime, "GPU merge, with the transfer", ratioName(0), 20), entry(pairTime, "GPU binary, with the transfer", ratioName(0), 30),
			entry(pairTime, "GPU merge, with the transfer", ratioName(6), 20), entry(pairTime, "GPU binary, with the transfer", ratioName(6), 30)}
	}
	if v := judgeRatio(nil); v != nil {
		t.Errorf("without rows: %+v", v)
	}
	check(t, judgeRatio(engine(256, 0.5)), paper.Holds, "engine's search on resident lists in ef the GPU is ahead up to a ratio of 256, the CPU beyond: it is 20.0 times as fast in the first group and 0.500 times in the last")
	check(t, judgeRatio(append(pairs(1024, 1024), engine(256, 0.5)...)), paper.Weakly, "of a pair by itself the GPU is ahead in all groups, up to a ratio of 1024, and the CPU does not pass it: it is 120 times as fast in the first group and 6.00 times in the last",
		"with the transfer of its lists the GPU is ahead in all groups", "60.0 times as fast in the first group and 3.00 times in the last", "the CPU beyond")
	check(t, judgeRatio(append(pairs(128, 64), engine(256, 0.5)...)), paper.Holds)
	check(t, judgeRatio(append(pairs(128, 64), engine(512, 0.5)...)), paper.Weakly)
	check(t, judgeRatio(append(pairs(128, 64), engine(1024, 30)...)), paper.Fails)
}

// TestJudgeLengths judges claim 6 by the shortest of the longer lists too.
func TestJudgeLengths(t *testing.T) {
	for _, c := range []struct {
		short, long, last float64
		want              paper.Judgement
	}{{1.5, 11, 29.6, paper.Holds}, {1.5, 8, 300, paper.Holds}, {0.8, 6.25, 300, paper.Weakly}, {3, 11, 30, paper.Weakly}, {0.8, 0.9, 300, paper.Fails}, {1.5, 11, 9, paper.Fails}} {
		var table paper.Table
		for at, v := range map[string]float64{"10K": c.short, "100K": c.long} {
			table = append(table, entry(speedup12, "", at, v))
		}
		check(t, judgeLengths(append(table, entry(speedup12, "", "10M", c.last))), c.want, paper.Num(c.long)+" times on 100K")
	}
}

// TestJudgeMean judges claim 8 by both halves, and says of the engine's CPU whether it is the faster one.
func TestJudgeMean(t *testing.T) {
	table := func(cpu, gpu, own float64) paper.Table {
		return paper.Table{entry(meanSpeedup, "over CPU", "all", cpu), entry(meanSpeedup, "over Griffin-GPU", "all", gpu), entry(meanSpeedup, "over the engine's CPU", "all", own)}
	}
	check(t, judgeMean(table(10, 1.5, 1.2)), paper.Holds, "it is 1.20 times as fast as the engine's CPU")
	check(t, judgeMean(table(2.3, 2.2, 0.75)), paper.Weakly, "0.750 times as fast as the engine's CPU, which is the faster one")
	check(t, judgeMean(table(10, 0.9, 1.2)), paper.Fails)
	steps := append(table(2.3, 2.2, 0.75), entry(ofAStep, "Griffin", "CPU", 190), entry(ofAStep, "Griffin", "GPU", 120), entry(ofAStep, "Griffin-GPU", "GPU", 200), entry(stepsAQuery, "Griffin", "CPU", 0.76))
	check(t, judgeMean(steps), paper.Weakly, "what is left of 76.0 % of the queries to the CPU: that step takes 190 us, one before it on the GPU 120, and a step on the GPU alone 200")
}

// TestJudgeTail judges claim 9 by all percentiles, not by those that gain most.
func TestJudgeTail(t *testing.T) {
	table := func(cpu, own []float64) (out paper.Table) {
		for i, at := range percentileNames {
			out = append(out, entry(tailSpeedup, "over CPU", at, cpu[i]), entry(tailSpeedup, "over the engine's CPU", at, own[i]))
		}
		return out
	}
	own := []float64{0.9, 0.8, 0.9, 1.1, 0.6}
	check(t, judgeTail(table([]float64{6.6, 8.3, 10.4, 16.1, 26.8}, own)), paper.Holds, "it gains more in the tail", "0.900, 0.800, 0.900, 1.10 and 0.600 times as fast as the engine's CPU")
	check(t, judgeTail(table([]float64{6.6, 8.3, 10.4, 16.1, 5}, own)), paper.Weakly, "it gains more up to p99, and not beyond")
	check(t, judgeTail(table([]float64{2.7, 2.6, 2.5, 2.4, 1.1}, own)), paper.Weakly, "does not gain more in the tail")
	check(t, judgeTail(table([]float64{6.6, 8.3, 10.4, 16.1, 0.9}, own)), paper.Fails)
}
