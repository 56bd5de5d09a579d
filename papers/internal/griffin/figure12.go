package griffin

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const decodeTime, speedup12 = "decoding time", "speedup of EF on the GPU over PForDelta on the CPU"

var figure12 = paper.Experiment{
	Name: "griffin-fig12", Number: "Figure 12", Title: "Decompression time by length of the list",
	Data: "uniform lists out of 41 million documents", Claims: []int{6},
	Paper: paper.Values{}.Put(speedup12, "", "10M", 29.6),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for _, n := range lengths {
			if tooLong(n, e) || ctx.Err() != nil {
				break
			}
			took, own, err := onCPU(e, synthetic.Uniform(1, n, documents))
			if err != nil {
				return nil, err
			}
			at := lengthName(n)
			rows = append(rows, paper.Row{Metric: decodeTime, Series: "PForDelta, CPU", At: at, X: float64(n), Value: took * 1e6, Unit: "us"},
				paper.Row{Metric: decodeTime, Series: "the engine's newpfd, CPU", At: at, X: float64(n), Value: own * 1e6, Unit: "us"})
		}
		return rows, ctx.Err()
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for _, n := range lengths {
			if tooLong(n, e) || ctx.Err() != nil {
				break
			}
			docs := synthetic.Uniform(1, n, documents)
			x, err := codecbench.Encode(ef.Codec{}, codecbench.Docs, []format.Postings{{Docs: docs}})
			if err != nil {
				return nil, err
			}
			t, err := e.OnDevice(x)
			if err != nil {
				return nil, fmt.Errorf("%d docIDs: %w", n, err)
			}
			cpu, own, err := onCPU(e, docs)
			if err != nil {
				return nil, err
			}
			row := func(metric, series, unit string, v float64) {
				rows = append(rows, paper.Row{Metric: metric, Series: series, At: lengthName(n), X: float64(n), Value: v, Unit: unit})
			}
			row(decodeTime, "EF, GPU, kernel", "us", t.Kernel*1e6)
			row(decodeTime, "EF, GPU, with transfer and launch", "us", t.Moved*1e6)
			row(speedup12, "", "times", cpu/t.Moved)
			row(speedup12, "over the engine's newpfd", "times", own/t.Moved)
		}
		return rows, ctx.Err()
	},
	Judge: judgeLengths,
	Plot:  paper.Plot{X: chart.Axis{Label: "docIDs", Log: true}, LogY: true},
	Notes: []string{"the kernel finds the ones of a word by bits and ranks, where the paper's Para-EF has a table in shared memory"},
}

// judgeLengths judges claim 6 by the lists of all lengths: the shortest of the longer ones gains least.
func judgeLengths(t paper.Table) []paper.Verdict {
	short, ok := t.Get(speedup12, "", "10K")
	long, there := t.Get(speedup12, "", "100K")
	last, _ := t.Last(speedup12, "")
	if !ok || !there {
		return nil
	}
	return []paper.Verdict{paper.Judge(6, short < 2 && long-1 >= 0.7*10 && last.Value-1 >= 0.7*28.6, short < long && long > 1 && last.Value >= long,
		"with transfer and launch %s times on 10K docIDs, %s times on 100K and %s times on %s (less than 2, and 11 to 29.6, in the paper)", paper.Num(short), paper.Num(long), paper.Num(last.Value), last.At)}
}

// tooLong reports whether lists of n docIDs are left out at the scale of e.
func tooLong(n int, e *paper.Env) bool { return float64(n) > 40e6*e.Scale }

// documents is the number of documents of ClueWeb12, 13.7 million of which are in the paper's part.
const documents = 41_000_000

// onCPU returns how long one core takes for a list, in the paper's codec and the engine's.
func onCPU(e *paper.Env, docs []uint32) (paperSec, ownSec float64, err error) {
	p, err := pack(docs)
	if err != nil {
		return 0, 0, err
	}
	dst := make([]uint32, len(docs))
	took, err := codecbench.Fastest(e.Time, func() error { p.Decode(dst); return nil })
	if err != nil {
		return 0, 0, err
	}
	x, err := codecbench.Encode(newpfd.Codec{}, codecbench.Docs, []format.Postings{{Docs: docs}})
	if err != nil {
		return 0, 0, err
	}
	room := make([]uint32, max(x.Room(), codecbench.Row+1))
	own, err := codecbench.Fastest(e.Time, func() error { return x.Decode(room) })
	return took.Seconds(), own.Seconds(), err
}
