package ao

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/linefit"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure1 = paper.Experiment{
	Name: "ao-fig1", Number: "Figure 1", Title: "Lists as scatter plots, every 50th docID",
	Data: standIns, Claims: []int{1},
	CPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for _, name := range []string{"GOV", "GOVPR", "GOVR", "BD", "BDR"} {
			s, err := e.SetOf(name, e.Scale*share(name))
			if err != nil {
				return nil, err
			}
			list := nearest(s.Lists, int(100_000*s.Scale))
			step := max(len(list)/200, 1)
			for i := 0; i < len(list); i += step {
				rows = append(rows, paper.Row{Metric: "docID, share of all documents", Series: name, At: fmt.Sprint(i), X: float64(i) / float64(len(list)),
					Value: float64(list[i]) / float64(s.Docs)})
			}
			f := linefit.Of(list)
			rows = append(rows, paper.Row{Metric: "R²", Series: name, At: fmt.Sprint(len(list)), X: 1, Value: f.R2})
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		least, of := 1.0, ""
		for _, name := range t.Series("R²") {
			if e, ok := t.Last("R²", name); ok && e.Value < least {
				least, of = e.Value, name
			}
		}
		return []paper.Verdict{paper.Judge(1, least >= 0.99, least >= 0.95, "of lists that stand for about 100,000 docIDs the least linear, on %s, has R² %s", of, paper.Num(least))}
	},
	Plot:  paper.Plot{Kind: chart.Scatter, X: chart.Axis{Label: "position, share of the list"}},
	Notes: []string{"one list of each collection that stands for about 100,000 docIDs at scale 1, and 200 of its docIDs, since the paper does not name its lists", cutNote},
}

// nearest returns the list whose length is nearest to n.
func nearest(lists [][]uint32, n int) []uint32 {
	best := lists[0]
	for _, l := range lists {
		if distance(len(l), n) < distance(len(best), n) {
			best = l
		}
	}
	return best
}

func distance(a, b int) float64 { return max(float64(a)/float64(b), float64(b)/float64(max(a, 1))) }
