package ao

import (
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// table returns rows of a metric as Judge gets them: a line of numbers for each series, of
// the places at.
func table(metric string, at []string, lines ...string) (out paper.Table) {
	v := paper.Values{}.Grid(metric, at, lines...)
	for _, line := range lines {
		series, _, _ := strings.Cut(line, " |")
		for i, a := range at {
			out = append(out, paper.Entry{Row: paper.Row{Metric: metric, Series: series, At: a, X: float64(i), Value: v[paper.Key{Metric: metric, Series: series, At: a}]}, Ours: true})
		}
	}
	return out
}

// judged returns an experiment's verdict of a claim, and fails if there is none.
func judged(t *testing.T, x *paper.Experiment, rows paper.Table, claim int) paper.Verdict {
	t.Helper()
	for _, v := range x.Judge(rows) {
		if v.Claim == claim {
			return v
		}
	}
	t.Fatalf("%s: no verdict of claim %d", x.Name, claim)
	return paper.Verdict{}
}

// TestResponse judges Figure 6 by all ways of one run: BS and HS256 alone do not tell.
func TestResponse(t *testing.T) {
	at := []string{"8K", "32K", "128K", "1M"}
	rows := table(response, at, "BS | 0.06 0.06 0.08 0.14", "HS256 | 0.06 0.06 0.08 0.11", "HS16 | 0.05 0.06 0.08 0.09")
	other := table(response, at, direct+" | 0.2 0.2 0.2 0.2", "LRC | 0.2 0.2 0.2 0.2")
	for i := range other {
		other[i].Run = 1
	}
	rows = append(rows, other...)
	if v := judged(t, &figure6, rows, 6); v.Holds != paper.Holds {
		t.Errorf("ways within 1.2: %+v", v)
	}
	rows[9].Value = 0.09 // HS16 at 32K
	if v := judged(t, &figure6, rows, 6); v.Holds != paper.Weakly || !strings.Contains(v.Why, "HS16 at 32K") {
		t.Errorf("ways 1.5 apart at 32K, less than at 1M: %+v", v)
	}
	rows[9].Value = 0.2
	if v := judged(t, &figure6, rows, 6); v.Holds != paper.Fails {
		t.Errorf("ways further apart at 32K than at 1M: %+v", v)
	}
}

// TestExceptions says of LRC what its ratios are, as of the other codecs.
func TestExceptions(t *testing.T) {
	var lines []string
	for _, codec := range codecNames {
		lines = append(lines, codec+" | 3.8 4 2")
	}
	lines[slices.Index(codecNames, "LRC")] = "LRC | 2 2 1.9"
	v := judged(t, &figure7, table("compression ratio", []string{"0", "0.2", "0.6"}, lines...), 7)
	if v.Holds != paper.Holds || !strings.Contains(v.Why, "50.0 % (PFD) to 95.0 % (LRC)") {
		t.Errorf("%+v", v)
	}
}

var ways3 = []string{"BS", "LR", "LR local", "HS32", "HS16", "IS", "HS128_LRC", "HS256_LRC"}

// TestJudgeTable3 judges by all five collections, not by GOV or the best.
func TestJudgeTable3(t *testing.T) {
	good := []string{"GOV | 100 110 110 150 160 60 120 120", "GOVPR | 100 110 110 150 160 60 120 120", "GOVR | 100 110 110 150 160 60 120 120",
		"BD | 100 110 110 150 160 20 120 120", "BDR | 100 110 110 150 160 60 120 120"}
	rows := table(speedup, ways3, good...)
	for claim, want := range map[int]paper.Judgement{4: paper.Holds, 11: paper.Weakly, 12: paper.Holds} {
		if v := judged(t, &table3, rows, claim); v.Holds != want {
			t.Errorf("as in the paper: %+v, want that it %s", v, want)
		}
	}
	bad := slices.Clone(good)
	bad[0], bad[4] = "GOV | 100 110 110 150 125 60 120 120", "BDR | 100 110 110 150 90 140 120 120"
	rows = table(speedup, ways3, bad...)
	for claim, want := range map[int]paper.Judgement{4: paper.Weakly, 11: paper.Fails, 12: paper.Fails} {
		if v := judged(t, &table3, rows, claim); v.Holds != want {
			t.Errorf("HS16 behind BS and IS before it on BDR: %+v, want that it %s", v, want)
		}
	}
	if v := judged(t, &table3, rows, 11); !strings.Contains(v.Why, "on 3 of 5 collections") || !strings.Contains(v.Why, "HS32 on GOV, HS32 on BDR") {
		t.Errorf("the collections where HS16 is not the fastest: %+v", v)
	}
}

var ways7 = []string{"HS128_LRC", "HS256_LRC", "ParaPFD", "LRC", "LRCSeg", "SegLRC", ofEngine}

// TestJudgeTable7 judges claim 17 by the engine's kernels on all five collections, whatever the own kernels and rates
// beyond launches say, and by the times of the line codecs.
func TestJudgeTable7(t *testing.T) {
	sets := func(line string) (lines []string) {
		for _, set := range five {
			lines = append(lines, set+" | "+line)
		}
		return lines
	}
	times := table(response, ways7, sets("0.1 0.1 3.2 0.5 0.5 0.5 0.5")...)
	judge := func(want paper.Judgement, rows paper.Table, words ...string) {
		t.Helper()
		v := judged(t, &table7, append(rows, times...), 17)
		if v.Holds != want {
			t.Errorf("%+v, want that it %s", v, want)
		}
		for _, w := range words {
			if !strings.Contains(v.Why, w) {
				t.Errorf("%q does not say %q", v.Why, w)
			}
		}
	}
	good := sets("900 900 40 100 100 115 135")
	judge(paper.Holds, table(throughput, ways7, good...), "best throughput on 5 of 5 collections, 1.17 times", "on 5, with 1.15 times", "LRC has 2.50 times that of ParaPFD (1.80 to 2.05 without exceptions)", "at most 0.500 ms", "3.20 ms with ParaPFD")
	less := slices.Clone(good)
	less[3] = "BD | 900 900 40 100 100 101 102"
	judge(paper.Weakly, table(throughput, ways7, less...), "1.01 to 1.17 times")
	less[3] = "BD | 900 900 40 100 102 101 110"
	judge(paper.Fails, table(throughput, ways7, less...), "ahead of LRC and LRCSeg on 4")
	less[3] = "BD | 900 900 40 100 100 110 90"
	rates := table(beyond, ways7[2:], "GOV | 1 2 3 4 5", "GOVPR | 1 2 3 4 5", "GOVR | 1 2 3 4 5", "BD | 1 2 3 2 5")
	judge(paper.Fails, append(table(throughput, ways7, less...), rates...), "own kernels HS256_LRC has 6.67 to 8.18 times", "best throughput on 4 of 5", "best rate on 4 of 4", "on 3 of 4")
	slow := table(throughput, ways7, good...)
	times = table(response, ways7, sets("0.1 0.1 3.2 3.1 0.5 0.5 0.5")...)
	judge(paper.Fails, slow, "at most 3.10 ms")
	if v := table7.Judge(table(throughput, ways7[:2], sets("900 900")...)); v != nil {
		t.Errorf("of the own kernels alone: %+v", v)
	}
}

// TestGrowing judges claim 5 by all ways.
func TestGrowing(t *testing.T) {
	for _, c := range []struct {
		line string
		want paper.Judgement
		why  string
	}{{"IS | 10 90 120", paper.Holds, "2 of 2 ways"}, {"IS | 10 130 120", paper.Weakly, "1 of 2 ways"}, {"IS | 10 11 9", paper.Fails, "1 of 2 ways"}} {
		if v := judged(t, &figure5, table(throughput, []string{"8K", "1M", "2M"}, "BS | 20 100 140", c.line), 5); v.Holds != c.want || !strings.Contains(v.Why, c.why) {
			t.Errorf("%s: %+v", c.line, v)
		}
	}
}

// TestJudgeOrders judges claim 10 by all collections that have lists in random order, and by all gap codecs.
func TestJudgeOrders(t *testing.T) {
	plain := []string{"GOV | 3 3 3 2.0 2.4 2.5 1", "GOVPR | 3 3 3 1.9 2.4 2.5 1", "GOV2 | 3 3 3 2 2.4 2.5 1", "BD | 3 3 3 2 2.4 2.5 1", "GOVR | 3 3 3 2.5 2.6 2.6 1", "GOV2R | 3 3 3 2.5 2.6 2.6 1"}
	for _, c := range []struct {
		line string
		want paper.Judgement
	}{{"BDR | 3 3 3 2.5 2.6 2.6 1", paper.Holds}, {"BDR | 3 2.5 3 2.5 2.6 2.6 1", paper.Weakly}, {"BDR | 3 3 3 2.5 2.6 2.4 1", paper.Fails}} {
		v := judged(t, &table2, table("compression ratio", codecNames, append(slices.Clone(plain), c.line)...), 10)
		if v.Holds != c.want {
			t.Errorf("%s: %+v", c.line, v)
		}
	}
}

// TestNamed tells the engine's rows of HS256_LRC from those of the own kernels.
func TestNamed(t *testing.T) {
	row := func(at string) paper.Row { return paper.Row{Metric: throughput, Series: "GOV", At: at, Value: 1} }
	own, engine := []paper.Row{row("HS128_LRC"), row("HS256_LRC")}, []paper.Row{row("LRC"), row("HS256_LRC")}
	if got := named(own); got != nil {
		t.Errorf("the own kernels' rows have become %+v", got)
	}
	if got := named(engine); len(got) != 2 || got[0].At != "LRC" || got[1].At != ofEngine || engine[1].At != "HS256_LRC" {
		t.Errorf("the engine's rows are %+v, and were %+v", got, engine)
	}
}

// TestFlat judges claim 9 by the codec that loses most with exceptions.
func TestFlat(t *testing.T) {
	at := []string{"0", "0.200", "0.600"}
	rows := append(table(oneCore8, at, "PFD | 90 90 90", "NewPFD | 90 90 90", "LRC | 120 100 118", "LRCSeg | 120 100 118", "SegLRC | 120 100 60"),
		table(onGPU8, []string{own8}, "LRC | 20", "LRCSeg | 20", "SegLRC | 20", "NewPFD | 10", "ParaPFD | 10")...)
	if v := judged(t, &figure8, rows, 9); v.Holds != paper.Weakly || !strings.Contains(v.Why, "LRC keeps 0.983 of its speed, LRCSeg 0.983 and SegLRC 0.500") {
		t.Errorf("%+v", v)
	}
}

// TestParaPFD gives the paper's speeds without exceptions, and with 20 %, to no method of ours.
func TestParaPFD(t *testing.T) {
	for _, x := range []paper.Experiment{table3, table7} {
		for k := range x.Paper {
			if k.At == "ParaPFD" {
				t.Errorf("%s: %v", x.Name, k)
			}
		}
	}
}
