package ao

import (
	"context"
	"fmt"
	"math"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
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
				for _, size := range buckets(l, 65536*s.Scale, s.Docs) {
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
		one, both := onePeak(t.Of("buckets", "GOV")), onePeak(t.Of("buckets", "GOVR"))
		return []paper.Verdict{paper.Judge(3, one && both && crawl < 1, crawl < 1,
			"sizes have %s in crawl order and %s with random docIDs; their deviation is %s of the mean in crawl order, %s with random docIDs, where lists of one length would have 0.05",
			ifelse(one, "one peak", "no single peak"), ifelse(both, "one", "no single one"), paper.Num(crawl), paper.Num(random))}
	},
	Plot: paper.Plot{Kind: chart.Histogram, X: chart.Axis{Label: "docIDs of a bucket"}},
	Notes: []string{"with m = 5 and 21 bits a bucket spans 65,536 docIDs; spans shrink with the scale, and sizes are divided by it",
		"the bucket that the collection ends in, a fourteenth of a span, is left out"},
}

func ifelse(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// buckets returns the sizes of the buckets of a list that are not empty, but for that
// which the collection ends in: its span is shorter.
func buckets(docs []uint32, span float64, collection int) (sizes []float64) {
	last, whole := -1, int(float64(collection)/span)
	for _, d := range docs {
		b := int(float64(d) / span)
		if b >= whole {
			break
		}
		if b != last {
			sizes, last = append(sizes, 0), b
		}
		sizes[len(sizes)-1]++
	}
	return sizes
}

// onePeak reports whether a histogram rises to its largest count and falls from there: no
// count exceeds one nearer to the largest by more than three deviations of chance.
func onePeak(of []paper.Entry) bool {
	top := 0
	for i := range of {
		if of[i].Value > of[top].Value {
			top = i
		}
	}
	falls := func(step int) bool {
		for i, least := top, math.Inf(1); i >= 0 && i < len(of); i += step {
			v := of[i].Value
			if least = min(least, v); v-least > 3*math.Sqrt(v+least) {
				return false
			}
		}
		return true
	}
	return len(of) > 0 && falls(-1) && falls(1)
}
