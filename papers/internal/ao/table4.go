package ao

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var termCounts = []string{"2", "3", "4", "5", "6"}

var table4 = paper.Experiment{
	Name: "ao-tab4", Number: "Table 4", Title: "Length ratio R and intermediate results as the intersection proceeds",
	Data: "the GOV stand-in and queries like T06", Claims: []int{15},
	Paper: paper.Values{}.Grid("share of queries, %", termCounts, "T06 | 16.1 24.5 22.8 14.8 8.24").
		Grid("R, %", termCounts,
			"stage 1 | 13.6 23.1 28.6 32.0 34.4",
			"stage 2 | - 0.97 1.76 2.38 2.82",
			"stage 3 | - - 0.22 0.35 0.50",
			"stage 4 | - - - 0.087 0.13",
			"stage 5 | - - - - 0.054").
		Grid("intermediate result, K", termCounts,
			"stage 1 | 8.6 8.7 8.4 8.0 8.0",
			"stage 2 | - 2.0 1.6 1.5 1.5",
			"stage 3 | - - 0.8 0.6 0.6",
			"stage 4 | - - - 0.5 0.4",
			"stage 5 | - - - - 0.4"),
	CPU: stages,
	Judge: func(t paper.Table) []paper.Verdict {
		one, _ := t.Get("R, %", "stage 1", "6")
		five, _ := t.Get("R, %", "stage 5", "6")
		first, _ := t.Get("intermediate result, K", "stage 1", "6")
		return []paper.Verdict{paper.Given(paper.Judge(15, first < 20 && five < one/100, five < one/5,
			"queries with six terms begin with %s K docIDs; R falls from %s %% to %s %%", paper.Num(first), paper.Num(one), paper.Num(five)))}
	},
	Plot:  paper.Plot{Kind: chart.Lines, LogY: true, X: chart.Axis{Label: "terms"}},
	Notes: []string{"lengths are divided by the scale; the rest of T06, 13.6 %, is taken to have 7 to 10 terms", "13 of the 15 intermediate results are within 20 % of the paper's; the second ones of five and six terms are 0.77 and 0.74 of them, as one share of terms of one topic serves queries of all lengths; from the second stage on R is up to twice the paper's: our later lists are up to half as long, and the results are not", "first lists, their ratio to second lists and the share of terms of one topic are chosen to give these numbers"},
}

func stages(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
	s, err := e.Set("GOV")
	if err != nil {
		return nil, err
	}
	for k := 2; k <= 6; k++ {
		qs := s.OfLength(k)
		at, n := fmt.Sprint(k), float64(max(len(qs), 1))
		ratio, length := make([]float64, k), make([]float64, k)
		for _, q := range qs {
			have := slices.Clone(s.Lists[q[0]])
			for x := 1; x < k; x++ {
				ratio[x] += 100 * float64(len(have)) / float64(len(s.Lists[q[x]])) / n
				length[x] += float64(len(have)) / s.Scale / 1000 / n
				if x+1 < k && len(have) > 0 {
					have = newSkipping(s.Lists[q[x]]).keep(have)
				}
			}
		}
		row := func(metric, series, unit string, v float64) {
			rows = append(rows, paper.Row{Metric: metric, Series: series, At: at, X: float64(k), Value: v, Unit: unit})
		}
		row("share of queries, %", "T06", "%", 100*float64(len(qs))/float64(len(s.Queries)))
		for x := 1; x < k; x++ {
			row("R, %", fmt.Sprintf("stage %d", x), "%", ratio[x])
			row("intermediate result, K", fmt.Sprintf("stage %d", x), "K", length[x])
		}
	}
	return rows, nil
}
