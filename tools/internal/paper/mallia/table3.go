package mallia

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

var lengths3 = []string{"2^16", "2^17", "2^18", "2^19", "2^20", "2^21", "2^22", "2^23", "2^24", "2^25"}

// baselines are the codecs that table 3 compares with.
var baselines = map[string]struct{ cpu, simd method }{
	"GPU-BP128": {methods[0], methods[1]}, "GPU-BP256": {methods[0], methods[1]}, "GPU-VByte128": {methods[4], methods[5]}, "GPU-VByte1024": {methods[4], methods[5]},
}

var table3 = paper.Experiment{
	Name: "mallia-tab3", Number: "Table 3", Title: "Speedup of the GPU over the CPU's codecs and over those with vectors",
	Data: "uniform lists of 2^16 to 2^25 of 2^29", Claims: []int{2, 4},
	Paper: paper.Values{}.Grid("over CPU", lengths3,
		"GPU-BP128 | 2.94 7.09 12.27 19.57 26.80 33.58 37.02 48.20 54.83 63.29",
		"GPU-BP256 | 3.31 7.82 13.45 23.81 37.39 37.69 43.61 56.52 67.28 78.02",
		"GPU-VByte128 | 6.26 11.62 21.19 34.33 49.79 60.75 74.76 36.03 35.96 36.19",
		"GPU-VByte1024 | 6.47 11.94 20.48 31.71 44.29 52.10 61.71 29.85 29.43 29.46").
		Grid("over SIMD", lengths3,
			"GPU-BP128 | 1.58 2.99 5.35 8.70 11.89 14.81 16.68 37.18 44.89 47.95",
			"GPU-BP256 | 1.77 3.30 5.86 10.58 16.59 16.63 19.65 43.60 55.09 59.11",
			"GPU-VByte128 | 1.53 2.89 5.24 8.41 11.82 12.74 14.39 29.26 36.66 37.05",
			"GPU-VByte1024 | 1.58 2.97 5.06 7.76 10.52 10.93 11.88 24.24 30.00 30.15"),
	GPU: speedups,
	Judge: func(t paper.Table) (out []paper.Verdict) {
		if last, ok := t.Last("over CPU", "GPU-BP256"); ok {
			first := t.Of("over CPU", "GPU-BP256")[0]
			v := paper.Compare(2, last.Value, 78.02, 1, "GPU-BP256 over BP32 on "+last.At+" integers")
			if simd, ok := t.Last("over SIMD", "GPU-BP256"); ok {
				v.Why += fmt.Sprintf("; BP32 is portable Go here, at a third of the paper's speed (Table 4); over SIMD-BP, which has vectors, %s (59.1)", paper.Num(simd.Value))
			}
			out = append(out, v,
				paper.Judge(4, last.Value > 5*first.Value, last.Value > first.Value, "the speedup grows from %s to %s", paper.Num(first.Value), paper.Num(last.Value)))
		}
		return out
	},
	Plot:  paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"the rows with an asterisk in the paper, of a GTX 1080, have no counterpart", "the GPU's time is of the kernel; one core of the same machine decodes"},
}

func speedups(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	for log := 16; 1<<log <= dense(25, e.Scale); log++ {
		docs := draw(false, 1, 1<<log, 1)
		lists := []codecbench.Postings{{Docs: docs, Freqs: gaps(docs)}}
		for _, m := range methods {
			if !m.gpu || ctx.Err() != nil {
				continue
			}
			g, err := m.onDevice(e, codecbench.Freqs, lists)
			if err != nil {
				return nil, err
			}
			cpu, err := baselines[m.name].cpu.rate(e, codecbench.Freqs, lists, true)
			if err != nil {
				return nil, err
			}
			simd, err := baselines[m.name].simd.rate(e, codecbench.Freqs, lists, true)
			if err != nil {
				return nil, err
			}
			at, x := fmt.Sprintf("2^%d", log), float64(int(1)<<log)
			rows = append(rows, paper.Row{Metric: "over CPU", Series: m.name, At: at, X: x, Value: g.kernel / cpu, Unit: "times"},
				paper.Row{Metric: "over SIMD", Series: m.name, At: at, X: x, Value: g.kernel / simd, Unit: "times"})
		}
	}
	return rows, nil
}
