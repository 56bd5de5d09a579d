package mallia

import (
	"context"
	"fmt"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const speed = "decoding without sums"

var figure3 = paper.Experiment{
	Name: "mallia-fig3", Number: "Figure 3", Title: "Decoding speed against the length of the list, Uniform",
	Data: "uniform lists of 2^16 to 2^25 of 2^29, and clustered ones", Claims: []int{2, 3, 4, 5},
	Paper: paper.Values{}.Put(speed, "GPU-BP256", "2^25", 100_000),
	CPU:   func(ctx context.Context, e *paper.Env) ([]paper.Row, error) { return allOf3(ctx, e, onCore3) },
	GPU:   func(ctx context.Context, e *paper.Env) ([]paper.Row, error) { return allOf3(ctx, e, onDevice3) },
	Judge: judgeSpeed,
	Plot:  paper.Plot{X: chart.Axis{Label: "integers", Log: true}, LogY: true},
	Notes: []string{"gaps are decoded without sums, as in the paper, and docIDs with sums beside them; the sizes and speeds of papers/sizes.md and docs/notes/gpu-loading.md include sums and other data, and do not compare with these", "the GPU's time is of the kernel, by events, as the lists are resident; with the launch is what the host waits for one list",
		inBlocks},
}

// data3 are lists to decode: the paper's, and beside them docIDs, and lists that are clustered.
type data3 struct {
	metric    string
	clustered bool
	side      codecbench.Side
}

var all3 = []data3{{speed, false, codecbench.Freqs}, {"decoding with sums", false, codecbench.Docs},
	{"decoding without sums, clustered", true, codecbench.Freqs}, {"decoding with sums, clustered", true, codecbench.Docs}}

// allOf3 returns the rows of all lists.
func allOf3(ctx context.Context, e *paper.Env, measure func(context.Context, *paper.Env, data3) ([]paper.Row, error)) (rows []paper.Row, err error) {
	for _, d := range all3 {
		more, err := measure(ctx, e, d)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// onCore3 decodes lists with the CPU's codecs, once for figure 3 and table 3.
func onCore3(ctx context.Context, e *paper.Env, d data3) ([]paper.Row, error) {
	return paper.Once(e, "mallia on a core, "+d.metric, func() (rows []paper.Row, err error) {
		err = each3(ctx, e, d, func(log int, lists []format.Postings) error {
			for _, m := range methods {
				if m.gpu {
					continue
				}
				r, err := m.rate(e, d.side, lists)
				if err != nil {
					return err
				}
				rows = append(rows, row3(d.metric, m, log, r))
			}
			return nil
		})
		return rows, err
	})
}

// row3 is a row of figure 3: integers in a second.
func row3(metric string, m method, log int, rate float64) paper.Row {
	return paper.Row{Metric: metric, Series: m.name, At: fmt.Sprintf("2^%d", log), X: math.Pow(2, float64(log)), Value: rate / 1e6, Unit: "M ints/s"}
}

// each3 draws lists of each length.
func each3(ctx context.Context, e *paper.Env, d data3, take func(log int, lists []format.Postings) error) error {
	for log := 16; 1<<log <= dense(25, e.Scale); log++ {
		docs := draw(d.clustered, 1, 1<<log, 1)
		if err := take(log, []format.Postings{{Docs: docs, Freqs: gaps(docs)}}); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func judgeSpeed(t paper.Table) (out []paper.Verdict) {
	if last, ok := t.Last(speed, "GPU-BP256"); ok {
		first := t.Of(speed, "GPU-BP256")[0]
		other, best := "", 0.0
		for _, m := range methods {
			if e, ok := t.Last(speed, m.name); ok && m.gpu && m.name != "GPU-BP256" && e.Value > best {
				other, best = m.name, e.Value
			}
		}
		out = append(out, paper.Judge(3, last.Value >= 100_000 && last.Value > best, last.Value >= 50_000, "GPU-BP256 decodes %s G integers/s of a list of %s, the best of the others, %s, %s G",
			paper.Num(last.Value/1e3), last.At, other, paper.Num(best/1e3)),
			paper.Judge(4, last.Value > 5*first.Value, last.Value > first.Value, "GPU-BP256 is %s times as fast on %s integers as on %s", paper.Num(last.Value/first.Value), last.At, first.At))
	}
	if gpu, ok := t.Last(speed, "GPU-BP256"); ok {
		if one, ok := t.Get(speed, "BP32", gpu.At); ok {
			out = append(out, paper.Compare(2, gpu.Value/one, 78.02, 1, "GPU-BP256 over BP32 on "+gpu.At+" integers"))
		}
	}
	bp, simd := t.Of(speed, "BP32"), t.Of(speed, "SIMD-BP")
	if len(bp) > 0 && len(simd) > 0 {
		end := len(bp) - 1
		low, high := bp[0].Value, bp[0].Value
		for _, e := range bp {
			low, high = min(low, e.Value), max(high, e.Value)
		}
		early, late := simd[0].Value/bp[0].Value, simd[end].Value/bp[end].Value
		out = append(out, paper.Judge(5, high < 2*low && late < early, late < early, "BP32 stays within a factor of %s; SIMD-BP is %s times as fast on %s integers and %s times on %s",
			paper.Num(high/low), paper.Num(early), bp[0].At, paper.Num(late), bp[end].At))
	}
	return out
}
