package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// sizes are the skip block sizes B.
var sizes = []int{64, 128, 256, 512, 1024, 2048, 4096}

const relative, overAll = "relative to B = 512", "O_avg over all lists and tasks"

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
			row("skips", overAll, "", c.overlapAll)
			row("making tasks", "share of the time", "%", 100*c.making/(c.making+c.working))
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		skips, tasks := ratioOf(t, relative, "skips a list"), ratioOf(t, relative, "tasks a query")
		least, most := extremes(t.Of("skips", "S_avg"))
		few, many := extremes(t.Of("skips", "O_avg"))
		making, _ := t.Get("making tasks", "share of the time", "512")
		return []paper.Verdict{
			paper.Judge(9, skips > 1.8 && tasks > 1.7 && steady(least, most) && steady(few, many) && most < 13 && few > 0.7, skips > 1.5 && tasks > 1.5,
				"from B = 512 to 256 skips a list grow %s times, tasks a query %s times; S_avg is %s to %s, O_avg %s to %s (10.2 and 0.97): a task needs as many skips of another list as that is longer, and our lists differ more",
				paper.Num(skips), paper.Num(tasks), paper.Num(least), paper.Num(most), paper.Num(few), paper.Num(many)),
			paper.Judge(10, making < 4, making < 10, "%s %% of the time of one core at B = 512, less than the paper's 2 %%", paper.Num(making)),
		}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "B", Log: true}, LogY: true},
	Notes: []string{"S_avg and O_avg are counted as in section 4.5: a task of s_j to s_k has k - j skips, and shares at most one of a list with the task before it",
		"O_avg is over the lists other than the first, of which every task has a skip of its own, and over the tasks with one before them: over all lists it could not pass (m - 1)/m with m terms, 0.9 with ten, and over all tasks it falls as they become fewer; the paper's 0.97 does neither",
		"the engine's fgqp has no rows: it cuts tasks of a size of its own, not of B, and only while cores are idle",
		"the paper's seven sizes are not in its text"},
}

func ratioOf(t paper.Table, metric, series string) float64 {
	v, _ := t.Get(metric, series, "256")
	return v
}

// extremes returns the least and the greatest value.
func extremes(of []paper.Entry) (least, most float64) {
	for i, e := range of {
		if i == 0 {
			least, most = e.Value, e.Value
		}
		least, most = min(least, e.Value), max(most, e.Value)
	}
	return least, most
}

// steady reports whether values are constant, as the paper says of S_avg and O_avg.
func steady(least, most float64) bool { return most < 1.25*least }

// taskCost is what tasks of one size cost.
type taskCost struct {
	perList, perQuery float64 // skips, tasks
	making, working   float64 // seconds for all queries
	skips             float64 // S_avg
	overlap           float64 // O_avg
	overlapAll        float64 // the same over all lists and tasks
}

func cost(e *paper.Env, s *corpus.Set, b int) (c taskCost, err error) {
	eng := &engine{docs: uint32(s.Docs), queries: s.Queries}
	if eng.lists, err = encode(s.Lists, b); err != nil {
		return c, err
	}
	for _, l := range eng.lists {
		c.perList += float64(len(l.at)) / float64(len(eng.lists))
	}
	c.count(eng)
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

// count counts the tasks of all queries and their skips.
func (c *taskCost) count(eng *engine) {
	n, later := 0, 0 // tasks, and those with one before them
	for _, q := range eng.queries {
		tasks := eng.tasks(&asked{terms: q}, nil)
		n += len(tasks)
		for i, t := range tasks {
			shared := 0.0
			for r, u := range t.subs {
				c.skips += float64(u.to-u.from) / float64(len(t.subs))
				if i > 0 && tasks[i-1].subs[r].to > u.from {
					shared++
				}
			}
			c.overlapAll += shared / float64(len(t.subs))
			if others := len(t.subs) - 1; i > 0 && others > 0 {
				c.overlap += shared / float64(others) // tasks share no skip of the first list
				later++
			}
		}
	}
	all := float64(max(n, 1))
	c.perQuery, c.skips, c.overlapAll = float64(n)/float64(max(len(eng.queries), 1)), c.skips/all, c.overlapAll/all
	c.overlap /= float64(max(later, 1))
}
