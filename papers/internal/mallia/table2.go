package mallia

import (
	"context"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var table2At = []string{"Gov2 docids", "Gov2 freqs", "ClueWeb09 docids", "ClueWeb09 freqs"}

// collections stand in for the paper's; share is the part of their documents beside the
// environment's.
var collections = []struct {
	name, set string
	share     float64
}{{"Gov2", "Terabyte", 1. / 8}, {"ClueWeb09", "ClueWeb09", 1. / 16}}

// partly says how many documents the collections have.
const partly = "Gov2 has an eighth of its 25.2 million documents at scale 1, ClueWeb09 a sixteenth of its 50 million: all of them would take lists as many times as long, of 2.8 and 4 times the queries, and minutes to make"

var table2 = paper.Experiment{
	Name: "mallia-tab2", Number: "Table 2", Title: "Bits an integer on Gov2 and ClueWeb09",
	Data: "generated collections in the place of Gov2 and ClueWeb09 in URL order", Claims: []int{1},
	Paper: paper.Values{}.Grid("bits an integer", table2At,
		"BP32 | 5.06 3.44 7.07 3.62", "SIMD-BP | 6.56 4.56 8.92 5.03", "GPU-BP128 | 6.66 4.27 8.80 4.63", "GPU-BP256 | 7.15 4.50 9.34 5.01",
		"VarintGB | 10.86 10.37 11.13 10.34", "StreamVByte | 10.86 10.37 11.13 10.34", "GPU-VByte128 | 11.67 10.92 11.93 10.92", "GPU-VByte1024 | 11.39 10.34 11.69 10.36"),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, c := range collections {
			s, err := e.SetOf(c.set, e.Scale*c.share)
			if err != nil {
				return nil, err
			}
			for _, m := range methods {
				var sum, n [2]float64
				for _, l := range s.Sample {
					if len(l.Docs) < 2 {
						continue
					}
					p := format.Postings{Docs: l.Docs, Freqs: wide(l.Freqs)}
					for side := range 2 {
						b, err := m.bits(codecbench.Side(side), p)
						if err != nil || ctx.Err() != nil {
							return nil, err
						}
						sum[side], n[side] = sum[side]+l.Weight*b, n[side]+l.Weight*float64(len(l.Docs))
					}
				}
				for side := range 2 {
					rows = append(rows, paper.Row{Metric: "bits an integer", Series: m.name, At: table2At[2*i+side], Value: sum[side] / n[side], Unit: "bits"})
				}
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		return []paper.Verdict{closest(func(m string) float64 { v, _ := t.Get("bits an integer", m, table2At[0]); return v }, table2At[0])}
	},
	Plot: paper.Plot{Kind: chart.Bars},
	Notes: []string{partly, "every 1.25^i-th list by length, weighted by the lists that it stands for",
		"the generator's documents are not in URL order: its sites are contiguous, but nothing is alike within one but the topic, so gaps are larger than the paper's"},
}

func wide(v []uint8) []uint32 {
	out := make([]uint32, len(v))
	for i, x := range v {
		out[i] = max(uint32(x), 1)
	}
	return out
}
