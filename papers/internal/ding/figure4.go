package ding

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure4 = paper.Experiment{
	Name: "ding-fig4", Number: "Figure 4", Title: "Decompression speed of PForDelta against the length of the list",
	Data: "uniform lists out of 25.2 million documents", Claims: []int{5, 11, 12},
	Paper:   paper.Values{}.Put(decoding, "GPU, gaps", "most", 2500),
	OwnAdds: "docIDs by a global prefix sum",
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		err = byLength(ctx, e, func(at string, x float64, list *codecbench.Encoded, _ []format.Postings) error {
			r, err := cpuRate(e, asGaps(list), x)
			rows = append(rows, paper.Row{Metric: decoding, Series: "CPU, gaps", At: at, X: x, Value: r / 1e6, Unit: "M ints/s"})
			return err
		})
		return rows, err
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		most := 0.0
		err = byLength(ctx, e, func(at string, x float64, list *codecbench.Encoded, _ []format.Postings) error {
			for _, m := range []struct {
				name string
				x    *codecbench.Encoded
			}{{withSums, list}, {"GPU, gaps", asGaps(list)}} {
				t, err := e.OnDevice(m.x)
				if err != nil {
					return err
				}
				if m.name != withSums {
					most = max(most, x/t.Kernel/1e6)
				}
				rows = append(rows, paper.Row{Metric: decoding, Series: m.name, At: at, X: x, Value: x / t.Kernel / 1e6, Unit: "M ints/s"},
					paper.Row{Metric: decoding, Series: m.name + ", with the launch", At: at, X: x, Value: x / t.Call / 1e6, Unit: "M ints/s"})
			}
			r, err := cpuRate(e, asGaps(list), x)
			rows = append(rows, paper.Row{Metric: decoding, Series: "CPU beside it, gaps", At: at, X: x, Value: r / 1e6, Unit: "M ints/s"})
			return err
		})
		return append(rows, paper.Row{Metric: decoding, Series: "GPU, gaps", At: "most", Value: most, Unit: "M ints/s"}), err
	},
	Judge: func(t paper.Table) (out []paper.Verdict) {
		cpu, gpu := t.Of(decoding, "CPU beside it, gaps"), t.Of(decoding, withSums+", with the launch")
		if len(cpu) > 0 && len(gpu) > 0 {
			end := len(cpu) - 1
			most, _ := t.Get(decoding, "GPU, gaps", "most")
			out = append(out, paper.Judge(5, gpu[0].Value < cpu[0].Value && gpu[end].Value > cpu[end].Value && most >= 2500, gpu[end].Value/cpu[end].Value > gpu[0].Value/cpu[0].Value,
				"with the launch the GPU has %s of the speed of one core on lists of %s and %s times on %s; gaps come at up to %s G/s", paper.Num(gpu[0].Value/cpu[0].Value), cpu[0].At,
				paper.Num(gpu[end].Value/cpu[end].Value), cpu[end].At, paper.Num(most/1e3)))
		}
		if sums, ok := t.Last(decoding, withSums); ok {
			gaps, _ := t.Get(decoding, "GPU, gaps", sums.At)
			more := gaps / sums.Value
			out = append(out, paper.Judge(12, more >= 1.5, more > 1, "gaps come at %s times the speed of docIDs by localized sums on a list of %s: the sums of a block of 128 are three adds a lane and five shuffles of a warp, beside the unpacking and writing that both do",
				paper.Num(more), sums.At))
		}
		if last, ok := t.Last(overLocal, "kernels"); ok {
			least := last.Value
			for _, e := range t.Of(overLocal, "kernels") {
				least = min(least, e.Value)
			}
			bound, _ := t.Get(overLocal, "bytes moved", last.At)
			out = append(out, paper.Judge(11, last.Value >= 1.1 && least > 1, last.Value > 1, "a global prefix sum takes %s times as long as localized ones on a list of %s, where it moves %s times the bytes; at least %s times on all lengths",
				paper.Num(last.Value), last.At, paper.Num(bound), paper.Num(least)))
		}
		return out
	},
	Plot: paper.Plot{X: chart.Axis{Label: "docIDs", Log: true}, LogY: true},
	Notes: []string{"one list in one launch; up to 1024K docIDs it takes as long as a warp needs for its tile of 32 blocks, 31 to 37 us on an H200, beside which the 4 to 6 us of a global sum hardly show",
		"GPU+LPS has localized prefix sums, as the paper's; gaps are the same bytes, decoded without sums",
		"blocks are of 128, the paper's of 512 on the GPU",
		globalSum,
	},
}

// withSums is the paper's name for docIDs by localized prefix sums.
const withSums = "GPU+LPS"

// byLength encodes a list of each length in PForDelta with one level of recursion, from 1 K to 16 M docIDs by factors of four.
func byLength(ctx context.Context, e *paper.Env, take func(at string, x float64, list *codecbench.Encoded, docs []format.Postings) error) error {
	for n := 1 << 10; n <= 1<<24 && float64(n) <= 64e6*e.Scale; n <<= 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		docs := one(synthetic.Uniform(1, n, 25_200_000))
		list, err := codecbench.Encode(level(1), codecbench.Docs, docs)
		if err == nil {
			err = take(fmt.Sprintf("%dK", n>>10), float64(n), list, docs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
