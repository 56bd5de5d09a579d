package ding

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

var figure4 = paper.Experiment{
	Name: "ding-fig4", Number: "Figure 4", Title: "Decompression speed of PForDelta against the length of the list",
	Data: "uniform lists out of 25.2 million documents", Claims: []int{5},
	Paper: paper.Values{}.Put(decoding, "GPU, gaps", "most", 2500),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		err = byLength(ctx, e, func(at string, x float64, list []codecbench.Postings) error {
			r, err := cpuRate(e, level(1), codecbench.Freqs, list)
			rows = append(rows, paper.Row{Metric: decoding, Series: "CPU, gaps", At: at, X: x, Value: r / 1e6, Unit: "M ints/s"})
			return err
		})
		return rows, err
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		most := 0.0
		err = byLength(ctx, e, func(at string, x float64, list []codecbench.Postings) error {
			for _, side := range []codecbench.Side{codecbench.Docs, codecbench.Freqs} {
				t, err := gpuTime(e, level(1), side, list)
				if err != nil {
					return err
				}
				name := "GPU+LPS"
				if side == codecbench.Freqs {
					name = "GPU, gaps"
					most = max(most, x/t.Kernel/1e6)
				}
				rows = append(rows, paper.Row{Metric: decoding, Series: name, At: at, X: x, Value: x / t.Kernel / 1e6, Unit: "M ints/s"},
					paper.Row{Metric: decoding, Series: name + ", with the launch", At: at, X: x, Value: x / t.Call / 1e6, Unit: "M ints/s"})
			}
			r, err := cpuRate(e, level(1), codecbench.Freqs, list)
			rows = append(rows, paper.Row{Metric: decoding, Series: "CPU beside it, gaps", At: at, X: x, Value: r / 1e6, Unit: "M ints/s"})
			return err
		})
		return append(rows, paper.Row{Metric: decoding, Series: "GPU, gaps", At: "most", Value: most, Unit: "M ints/s"}), err
	},
	Judge: func(t paper.Table) []paper.Verdict {
		cpu, gpu := t.Of(decoding, "CPU beside it, gaps"), t.Of(decoding, "GPU+LPS, with the launch")
		if len(cpu) == 0 || len(gpu) == 0 {
			return nil
		}
		end := len(cpu) - 1
		most, _ := t.Get(decoding, "GPU, gaps", "most")
		return []paper.Verdict{paper.Judge(5, gpu[0].Value < cpu[0].Value && gpu[end].Value > cpu[end].Value && most >= 2500, gpu[end].Value/cpu[end].Value > gpu[0].Value/cpu[0].Value,
			"with the launch the GPU has %s of the speed of one core on lists of %s and %s times on %s; gaps come at up to %s G/s", paper.Num(gpu[0].Value/cpu[0].Value), cpu[0].At,
			paper.Num(gpu[end].Value/cpu[end].Value), cpu[end].At, paper.Num(most/1e3))}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "docIDs", Log: true}, LogY: true},
	Notes: []string{"one list in one launch",
		"blocks are of 128, the paper's of 512 on the GPU; sums over a whole list, which the paper's localized sums replace, have no kernel here",
	},
}

// byLength makes a list of each length, from 1 K to 16 M docIDs by factors of four.
func byLength(ctx context.Context, e *paper.Env, take func(at string, x float64, list []codecbench.Postings) error) error {
	for n := 1 << 10; n <= 1<<24 && float64(n) <= 64e6*e.Scale; n <<= 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := take(fmt.Sprintf("%dK", n>>10), float64(n), one(synthetic.Uniform(1, n, 25_200_000))); err != nil {
			return err
		}
	}
	return nil
}
