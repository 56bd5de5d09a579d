package ao

import (
	"context"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const response = "response time"

var figure6 = paper.Experiment{
	Name: "ao-fig6", Number: "Figure 6", Title: "Response time on GOV against the computational threshold",
	Data: "the GOV stand-in and queries like T06", Claims: []int{6},
	OwnAdds: "the same as in Figure 5",
	Paper:   paper.Values{}.Put(response, "HS256_LRC", "1M", 2.18),
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		points, err := sweep(ctx, e)
		for _, p := range points {
			rows = append(rows, paper.Row{Metric: response, Series: p.way, At: thresholdName(p.c), X: float64(p.c), Value: 1e3 * p.seconds, Unit: "ms"})
		}
		return rows, err
	},
	Judge: judgeResponse,
	Plot:  paper.Plot{X: chart.Axis{Label: "c", Log: true}, LogY: true},
	Notes: []string{"a batch with the copies of its queries and results", firstLists, inTurn},
}

// judgeResponse compares all ways of one run below c = 128 K and at 1 M.
func judgeResponse(t paper.Table) []paper.Verdict {
	of := t.Of(response, "BS")
	if len(of) == 0 {
		return nil
	}
	worst, few, many := 0.0, spread{ratio: 1}, spread{ratio: 1}
	for _, c := range thresholds {
		s := spreadAt(t, thresholdName(c), of[0].Run)
		if c < 128<<10 && s.ratio > few.ratio {
			few = s
		}
		if c == 1<<20 {
			many, worst = s, s.most
		}
	}
	if worst == 0 {
		return nil
	}
	return []paper.Verdict{paper.Judge(6, worst < 3 && few.ratio < 1.3, worst < 3 && few.ratio < many.ratio,
		"a batch of c = 1M takes at most %s ms in the paper's ways; below 128K the slowest way takes up to %s times as long as the fastest (%s at %s: %s ms, %s %s), at 1M %s times",
		paper.Num(worst), paper.Num(few.ratio), few.slow, few.at, paper.Num(few.most), few.fast, paper.Num(few.least), paper.Num(many.ratio))}
}

// spread is how far the slowest and the fastest of the ways are apart at a threshold.
type spread struct {
	at, slow, fast     string
	most, least, ratio float64
}

func spreadAt(t paper.Table, at string, run int) spread {
	s := spread{at: at, ratio: 1}
	for _, e := range t {
		if !e.Ours || e.Metric != response || e.At != at || e.Run != run || e.Series == direct {
			continue
		}
		if e.Value > s.most {
			s.slow, s.most = e.Series, e.Value
		}
		if s.least == 0 || e.Value < s.least {
			s.fast, s.least = e.Series, e.Value
		}
	}
	if s.least > 0 {
		s.ratio = s.most / s.least
	}
	return s
}
