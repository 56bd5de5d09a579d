package ao

import (
	"context"
	"fmt"
	"math"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

var figure3 = paper.Experiment{
	Name: "ao-fig3", Number: "Figure 3", Title: "Sizes of hash buckets, lists of 4,097 to 8,192 docIDs, m = 5",
	Data: "the GOV stand-in", Claims: []int{3},
	CPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for _, name := range []string{"GOV", "GOVR"} {
			s, err := e.Set(name)
			if err != nil {
				return nil, err
			}
			const step = 16
			var count [64]float64
			n, sum, square := 0.0, 0.0, 0.0
			for _, l := range s.Lists {
				// The lengths shrink with the scale.
				if x := float64(len(l)) / s.Scale; x <= 1<<12 || x > 1<<13 {
					continue
				}
				for _, size := range buckets(l, 65536*s.Scale) {
					size /= s.Scale
					count[min(int(size)/step, len(count)-1)]++
					n, sum, square = n+1, sum+size, square+size*size
				}
			}
			for i, c := range count {
				rows = append(rows, paper.Row{Metric: "buckets", Series: name, At: fmt.Sprint(i * step), X: float64(i*step) + step/2, Value: c})
			}
			if n > 0 {
				mean := sum / n
				rows = append(rows, paper.Row{Metric: "deviation over mean", Series: name, At: "all", Value: math.Sqrt(max(square/n-mean*mean, 0)) / mean})
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		crawl, _ := t.Get("deviation over mean", "GOV", "all")
		random, _ := t.Get("deviation over mean", "GOVR", "all")
		return []paper.Verdict{paper.Judge(3, peaks(t, "GOV") && crawl < 1, crawl < 2,
			"sizes have %s in crawl order; their deviation is %s of the mean, %s with random docIDs, where lists of one length would have 0.05", ifelse(peaks(t, "GOV"), "one peak", "no single peak"), paper.Num(crawl), paper.Num(random))}
	},
	Plot:  paper.Plot{Kind: chart.Histogram, X: chart.Axis{Label: "docIDs of a bucket"}},
	Notes: []string{"with m = 5 and 21 bits a bucket spans 65,536 docIDs; spans shrink with the scale, and sizes are divided by it"},
}

func ifelse(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// buckets returns the sizes of the buckets of a list that are not empty.
func buckets(docs []uint32, span float64) (sizes []float64) {
	last := -1
	for _, d := range docs {
		if b := int(float64(d) / span); b != last {
			sizes, last = append(sizes, 0), b
		}
		sizes[len(sizes)-1]++
	}
	return sizes
}

// peaks reports whether the histogram of a series rises and falls once, up to noise.
func peaks(t paper.Table, series string) bool {
	of := t.Of("buckets", series)
	top := 0
	for i := range of {
		if of[i].Value > of[top].Value {
			top = i
		}
	}
	return top > 0 && top < len(of)/2
}
