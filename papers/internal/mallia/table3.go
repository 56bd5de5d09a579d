package mallia

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
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
				v.Why += fmt.Sprintf("; BP32 and VarintGB are portable Go here, at 0.33 to 0.41 and 0.43 to 0.61 of the paper's speed (Table 4); over SIMD-BP, which has vectors, %s (59.1)", paper.Num(simd.Value))
			}
			if vb, ok := t.Last("over CPU", "GPU-VByte128"); ok {
				simd, _ := t.Last("over SIMD", "GPU-VByte128")
				v.Why += fmt.Sprintf("; GPU-VByte128 over VarintGB %s (36.2), over StreamVByte, which has vectors, %s (37.1)", paper.Num(vb.Value), paper.Num(simd.Value))
			}
			out = append(out, v,
				paper.Judge(4, last.Value > 5*first.Value, last.Value > first.Value, "the speedup grows from %s to %s", paper.Num(first.Value), paper.Num(last.Value)))
		}
		return out
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"the rows with an asterisk in the paper, of a GTX 1080, have no counterpart", "the GPU's time is of the kernel; one core of the same machine decodes", inBlocks,
		"BP32 and VarintGB are portable Go, at 0.33 to 0.41 and 0.43 to 0.61 of the paper's speed (Table 4), which makes the speedups over CPU 2.4 to 3.1 and 1.6 to 2.3 times larger; SIMD-BP and StreamVByte have vectors, as the paper's",
		"the recorded run, on a host with 7 cores, measured the CPU's codec again for each of the GPU's: GPU-BP128 and GPU-BP256 over BP32 differ by 1.9 times at 2^20, where they are alike in Figure 3, whose run, on 16 cores, has 1,455 where this has 2,200; from now on this table divides the rates of Figure 3, as the paper's does"},
}

// speedups divides the rates of figure 3, as the paper does: a codec of the CPU has one rate
// at a length, whatever it is compared with.
func speedups(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
	gpu, err := onDevice3(ctx, e, all3[0])
	if err != nil {
		return nil, err
	}
	cpu, err := onCore3(ctx, e, all3[0])
	if err != nil {
		return nil, err
	}
	return over(gpu, cpu), nil
}

// over returns the ratios of rates at the same lengths.
func over(gpu, cpu []paper.Row) (rows []paper.Row) {
	rates := map[paper.Key]float64{}
	for _, r := range cpu {
		rates[r.Key()] = r.Value
	}
	for _, r := range gpu {
		if r.Metric != speed {
			continue
		}
		base := baselines[r.Series]
		by := func(metric string, m method) {
			rows = append(rows, paper.Row{Metric: metric, Series: r.Series, At: r.At, X: r.X, Value: r.Value / rates[paper.Key{Metric: speed, Series: m.name, At: r.At}], Unit: "times"})
		}
		by("over CPU", base.cpu)
		by("over SIMD", base.simd)
	}
	return rows
}
