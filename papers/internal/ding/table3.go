package ding

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const share, stepTime = "share of the time", "time of a step in a query"

var table3 = paper.Experiment{
	Name: "ding-tab3", Number: "Table 3", Title: "Shares of the steps of a query",
	Data: data, Claims: []int{9},
	OwnAdds: "the steps on the GPU, timed by events, and top-k by k",
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := timedSet(e)
		if err != nil {
			return nil, err
		}
		qs := s.Queries[:min(len(s.Queries), e.Pick(100, 10))]
		st, err := newSteps(s, qs)
		if err != nil {
			return nil, err
		}
		for _, m := range []struct {
			name string
			run  func(q []int) ([]float32, error)
		}{{"AND", st.and}, {"OR", st.or}} {
			st.took = map[string]time.Duration{}
			for _, q := range qs {
				if _, err := m.run(q); err != nil || ctx.Err() != nil {
					return nil, err
				}
			}
			sum := time.Duration(0)
			for _, t := range st.took {
				sum += t
			}
			for _, step := range []string{"initialization", "decompression", "intersection", "scoring", "top-k"} {
				if t, ok := st.took[step]; ok {
					rows = append(rows, paper.Row{Metric: share, Series: m.name, At: step, Value: 100 * t.Seconds() / sum.Seconds(), Unit: "%"},
						paper.Row{Metric: stepTime, Series: m.name, At: step, Value: 1e6 * t.Seconds() / float64(len(qs)), Unit: "us"})
				}
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		if top, ok := t.Get(share, "AND, GPU", "top-k"); ok {
			score, _ := t.Get(share, "AND, GPU", "scoring")
			or, _ := t.Get(share, "OR, GPU", "scoring")
			v := paper.Judge(9, top+score < 10 && or > 40, top+score < 20 && or > 25, "on the GPU scoring and top-k take %s %% of AND, scoring %s %% of OR", paper.Num(top+score), paper.Num(or))
			if us, ok := t.Get(stepTime, "AND, GPU", "scoring"); ok {
				decode, _ := t.Get(stepTime, "AND, GPU", "decompression")
				find, _ := t.Get(stepTime, "AND, GPU", "intersection")
				v.Why += fmt.Sprintf(": of AND, decompression of the blocks that are needed takes %s us of a query, intersection %s, and scoring, which reads one frequency in a block at a time, %s",
					paper.Num(decode), paper.Num(find), paper.Num(us))
			}
			return []paper.Verdict{v}
		}
		top, ok := t.Get(share, "AND", "top-k")
		score, _ := t.Get(share, "AND", "scoring")
		or, _ := t.Get(share, "OR", "scoring")
		if !ok {
			return nil
		}
		return []paper.Verdict{paper.Judge(9, top+score < 10 && or > 40, top+score < 20 && or > 25, "on one core scoring and top-k take %s %% of AND, scoring %s %% of OR", paper.Num(top+score), paper.Num(or))}
	},
	Plot: paper.Plot{Kind: chart.Bars},
	Notes: []string{wholeNote, "the rows without GPU are one core's, term at a time as on the paper's GPU; on the GPU a launch is a step, timed by events, with lists in PForDelta with one level of recursion",
		"both decode the blocks of 128 that candidates fall in, and score by compressed frequencies and lengths of documents",
		"top-k on the GPU has as few levels of maxima as leave one group of 512: two for OR, where every document is a candidate, one for AND; the paper has two or three",
	},
}
