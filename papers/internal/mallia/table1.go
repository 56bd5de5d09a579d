package mallia

import (
	"context"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var table1At = []string{"uniform, sparse", "uniform, dense", "clustered, sparse", "clustered, dense"}

var table1 = paper.Experiment{
	Name: "mallia-tab1", Number: "Table 1", Title: "Bits an integer on Uniform and Clustered",
	Data: "lists drawn as Anh and Moffat do: 2^16 and 2^25 of 2^29", Claims: []int{1},
	Paper: paper.Values{}.Grid("bits an integer", table1At,
		"BP32 | 15.71 6.67 13.91 5.40", "SIMD-BP | 16.04 6.99 14.26 5.60", "GPU-BP128 | 16.22 7.18 14.45 5.79", "GPU-BP256 | 16.20 7.18 14.58 5.86",
		"VarintGB | 17.76 10.00 16.27 10.02", "StreamVByte | 17.76 10.00 16.27 10.02", "GPU-VByte128 | 18.16 10.50 16.68 10.52", "GPU-VByte1024 | 17.78 10.06 16.27 10.08"),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, at := range table1At {
			n, limit, draws := 1<<16, 1.0, 1
			if i%2 == 1 {
				n, limit = dense(25, e.Scale), float64(dense(25, e.Scale))/(1<<25)
			}
			if i >= 2 {
				draws = 3
				if i == 2 {
					draws = 20
				}
			}
			sum := make([]float64, len(methods))
			for seed := range draws {
				docs := draw(i >= 2, uint64(seed+1), n, limit)
				for k, m := range methods {
					b, err := m.bits(codecbench.Docs, format.Postings{Docs: docs})
					if err != nil || ctx.Err() != nil {
						return nil, err
					}
					sum[k] += b / float64(n) / float64(draws)
				}
			}
			for k, m := range methods {
				rows = append(rows, paper.Row{Metric: "bits an integer", Series: m.name, At: at, Value: sum[k], Unit: "bits"})
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		return []paper.Verdict{closest(func(m string) float64 { v, _ := t.Get("bits an integer", m, table1At[0]); return v }, table1At[0])}
	},
	Plot: paper.Plot{Kind: chart.Bars},
	Notes: []string{"clustered lists of two draws differ by whole bits, so ours are means of 20 and 3 draws, the paper's of one",
		"below scale 1 dense lists and their range shrink alike, which leaves the gaps as they are"},
}
