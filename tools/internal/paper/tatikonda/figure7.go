package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/corpus"
	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

// sizes are the skip block sizes B.
var sizes = []int{64, 128, 256, 512, 1024, 2048, 4096}

const relative = "relative to B = 512"

var figure7 = paper.Experiment{
	Name: "tatikonda-fig7", Number: "Figure 7", Title: "Skips, tasks and the time of making them against B",
	Data: data, Claims: []int{9, 10},
	Paper: paper.Values{}.Put(relative, "skips a list", "256", 2).Put(relative, "tasks a query", "256", 2).Put("skips", "S_avg", "512", 10.2).Put("skips", "O_avg", "512", 0.97).
		Put("skips", "S_avg", "64", 10.2).Put("skips", "O_avg", "64", 0.97).Put("making tasks", "share of the time", "512", 2),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := set(e)
		if err != nil {
			return nil, err
		}
		costs := map[int]taskCost{}
		for _, b := range sizes {
			if costs[b], err = cost(e, s, b); err != nil || ctx.Err() != nil {
				return nil, err
			}
		}
		base := costs[512]
		for _, b := range sizes {
			c := costs[b]
			row := func(metric, series, unit string, v float64) {
				rows = append(rows, paper.Row{Metric: metric, Series: series, At: fmt.Sprint(b), X: float64(b), Value: v, Unit: unit})
			}
			row(relative, "skips a list", "times", c.perList/base.perList)
			row(relative, "tasks a query", "times", c.perQuery/base.perQuery)
			row(relative, "time of making tasks", "times", c.making/base.making)
			row("skips", "S_avg", "", c.skips)
			row("skips", "O_avg", "", c.overlap)
			row("making tasks", "share of the time", "%", 100*c.making/(c.making+c.working))
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		skips, tasks := ratioOf(t, relative, "skips a list"), ratioOf(t, relative, "tasks a query")
		of := t.Of("skips", "S_avg")
		low, high := of[0].Value, of[0].Value
		for _, e := range of {
			low, high = min(low, e.Value), max(high, e.Value)
		}
		overlap, _ := t.Get("skips", "O_avg", "512")
		making, _ := t.Get("making tasks", "share of the time", "512")
		return []paper.Verdict{
			paper.Judge(9, skips > 1.8 && tasks > 1.7 && high < 1.25*low && high < 13 && overlap > 0.7, skips > 1.5 && tasks > 1.5, "from B = 512 to 256 skips a list grow %s times, tasks a query %s times; S_avg is %s to %s, O_avg %s at 512: a task needs as many skips of another list as that is longer, and our lists differ more",
				paper.Num(skips), paper.Num(tasks), paper.Num(low), paper.Num(high), paper.Num(overlap)),
			paper.Judge(10, making < 4, making < 10, "%s %% of the time of one core at B = 512, less than the paper's 2 %%", paper.Num(making)),
		}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "B", Log: true}, LogY: true},
	Notes: []string{"S_avg and O_avg are counted as in section 4.5: a task of s_j to s_k has k - j skips, and shares at most one with the task before it",
		"the engine's fgqp has no rows: it cuts tasks of a size of its own, not of B, and only while cores are idle; `idxbench load --figures` draws the same against that size ([load.md](load.md#measured))",
		"the paper's seven sizes are not in its text"},
}

func ratioOf(t paper.Table, metric, series string) float64 {
	v, _ := t.Get(metric, series, "256")
	return v
}

// taskCost is what tasks of one size cost.
type taskCost struct {
	perList, perQuery float64 // skips, tasks
	making, working   float64 // seconds for all queries
	skips, overlap    float64 // S_avg, O_avg
}

func cost(e *paper.Env, s *corpus.Set, b int) (c taskCost, err error) {
	eng := &engine{docs: uint32(s.Docs), queries: s.Queries}
	if eng.lists, err = encode(s.Lists, b); err != nil {
		return c, err
	}
	for _, l := range eng.lists {
		c.perList += float64(len(l.at)) / float64(len(eng.lists))
	}
	n := 0.0
	for _, q := range s.Queries {
		tasks := eng.tasks(&asked{terms: q}, nil)
		for i, t := range tasks {
			for r, u := range t.subs {
				c.skips += float64(u.to-u.from) / float64(len(t.subs))
				if i > 0 && tasks[i-1].subs[r].to > u.from {
					c.overlap += 1 / float64(len(t.subs))
				}
			}
		}
		n += float64(len(tasks))
	}
	c.perQuery, c.skips, c.overlap = n/float64(len(s.Queries)), c.skips/n, c.overlap/n
	var made []task
	t, err := codecbench.Fastest(e.Time, func() error {
		for _, q := range s.Queries {
			made = eng.tasks(&asked{terms: q}, made[:0])
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	c.making = t.Seconds()
	var w worker
	t, err = codecbench.Fastest(1, func() error {
		for _, q := range s.Queries {
			made = eng.tasks(&asked{terms: q}, made[:0])
			for _, t := range made {
				w.intersect(t.subs, t.lo, t.hi)
			}
		}
		return nil
	})
	c.working = max(t.Seconds()-c.making, 1e-9)
	return c, err
}
