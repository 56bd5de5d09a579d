package ao

import (
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/tools/internal/paper"
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
