package ao

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const gpuShare = "share of the time that grows with c"

// kernelShare and bySMs are measured with the paper's own kernels.
const kernelShare, bySMs = "share of GPU time", "speedup by multiprocessors"

var figure9 = paper.Experiment{
	Name: "ao-fig9", Number: "Figure 9", Title: "Speedup against multiprocessors, and share of GPU time",
	Data: "the GOV stand-in and queries like T06", Claims: []int{13, 14},
	OwnAdds: "(a), and the time of kernels in (b)",
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		points, err := sweep(ctx, e)
		fixed := map[string]float64{}
		for _, p := range points {
			if t := p.seconds; fixed[p.way] == 0 || t < fixed[p.way] {
				fixed[p.way] = t
			}
		}
		for _, p := range points {
			rows = append(rows, paper.Row{Metric: gpuShare, Series: p.way, At: thresholdName(p.c), X: float64(p.c), Value: 100 * (1 - fixed[p.way]/p.seconds), Unit: "%"})
		}
		return rows, err
	},
	Judge: func(t paper.Table) (out []paper.Verdict) {
		if of := t.Of(bySMs, "HS16"); len(of) > 1 {
			last := of[len(of)-1]
			v := paper.Judge(13, last.Value > 0.7*last.X, last.Value > 0.4*last.X, "with HS16 %s multiprocessors are %s times as fast as one", last.At, paper.Num(last.Value))
			if few, ok := t.Get(bySMs, "HS16", "32"); ok {
				// Time is a constant and the rest over n, of which two points tell.
				rest := (1/few - 1/last.Value) / (1./32 - 1/last.X)
				v.Why += fmt.Sprintf(", 32 are %s times: as if %s %% of one's time were a constant, a launch and the longest chain of reads, and only the rest shrank", paper.Num(few), paper.Num(100*(1/last.Value-rest/last.X)))
			}
			out = append(out, v)
		}
		if one, ok := t.Get(kernelShare, "HS16", "1M"); ok {
			few, _ := t.Get(kernelShare, "HS16", "8K")
			many, _ := t.Get(kernelShare, "HS16", "2M")
			return append(out, paper.Judge(14, many > one && one > few && one < 80, many > few, "kernels take %s %% of a batch with HS16 at c = 8K, %s %% at 1M and %s %% at 2M", paper.Num(few), paper.Num(one), paper.Num(many)))
		}
		one, ok := t.Get(gpuShare, "HS256", "1M")
		if !ok {
			return out
		}
		few, _ := t.Get(gpuShare, "HS256", "128K")
		return append(out, paper.Judge(14, one > few && one < 80, one > few, "of a batch with HS256 %s %% of the time is beyond that of the smallest batch at c = 128K and %s %% at 1M", paper.Num(few), paper.Num(one)))
	},
	Plot: paper.Plot{X: chart.Axis{Label: "c, or multiprocessors", Log: true}},
	Notes: []string{"(a) leaves multiprocessors unused: thread blocks on others than the first n end at once",
		"without the paper's own kernels (b) is the share of a batch's time beyond that of the smallest batch, which is launches, copies and waiting: kernels and copies of one batch are not timed apart",
		firstLists},
}
