package griffin

import (
	"context"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// part is the share of ClueWeb12's documents beside that of the environment.
const part = 1. / 8

// eighth says what part does.
const eighth = "an eighth of the paper's 13.7 million documents at scale 1: all of them would take lists eight times as long, of 2.8 times the queries, and minutes to make and write"

const standIn = "a generated collection in the place of 100 GB of ClueWeb12, and its lists for queries with the paper's numbers of terms"

func collection(e *paper.Env) (*corpus.Set, error) { return e.SetOf("ClueWeb12", e.Scale*part) }

var decades = []string{"below 1K", "1K-10K", "10K-100K", "100K-1M", "1M-10M", "above 10M"}

var figure10 = paper.Experiment{
	Name: "griffin-fig10", Number: "Figure 10", Title: "Distribution of the lengths of lists",
	Data: standIn, Claims: []int{3},
	CPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		count := make([]float64, len(decades))
		for _, l := range s.Lists {
			d := 0
			for n := float64(len(l)) / s.Scale; n >= 1000 && d+1 < len(decades); n /= 10 {
				d++
			}
			count[d] += 100 / float64(len(s.Lists))
		}
		for d, name := range decades {
			rows = append(rows, paper.Row{Metric: "share of the lists", At: name, X: float64(d), Value: count[d], Unit: "%"})
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		sum := 0.0
		for _, d := range decades[1:4] {
			v, _ := t.Get("share of the lists", "", d)
			sum += v
		}
		return []paper.Verdict{paper.Given(paper.Judge(3, sum > 50, sum > 30, "%s %% of the lists", paper.Num(sum)))}
	},
	Plot:  paper.Plot{Kind: chart.Bars},
	Notes: []string{eighth, "lengths are divided by the scale"},
}
