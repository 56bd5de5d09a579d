package ding

import (
	"context"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/rice"
	"github.com/pinion-index/pinion/internal/gpubench"
	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const decoding = "decoding"

// Instructions that a warp issues for a block of 128 docIDs, counted in the code for sm_90 of
// decode_docs_rice and decode_docs_pfordelta, with one round of each loop.
const riceBlock, pfdBlock, plainBlock = 180, 280, 83

// codecs1 are the codecs of table 1.
var codecs1 = []struct {
	name  string
	codec codec.Codec
}{{"Rice", rice.Codec{}}, {"PForDelta", level(1)}}

var table1 = paper.Experiment{
	Name: "ding-tab1", Number: "Table 1", Title: "Decompression speed",
	Data: data, Claims: []int{3, 4},
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		lists := asked(s, e.Pick(20_000_000, 300_000))
		for _, c := range codecs1 {
			g, err := cpuRate(e, c.codec, codecbench.Freqs, lists)
			if err != nil {
				return nil, err
			}
			d, err := cpuRate(e, c.codec, codecbench.Docs, lists)
			if err != nil || ctx.Err() != nil {
				return nil, err
			}
			rows = append(rows, paper.Row{Metric: decoding, Series: "CPU, gaps", At: c.name, Value: g / 1e6, Unit: "M ints/s"},
				paper.Row{Metric: decoding, Series: "CPU, docIDs", At: c.name, Value: d / 1e6, Unit: "M ints/s"})
		}
		return rows, nil
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		lists := asked(s, e.Pick(20_000_000, 300_000))
		n := 0.0
		for _, l := range lists {
			n += float64(len(l.Docs))
		}
		for _, c := range codecs1 {
			t, err := gpuTime(e, c.codec, codecbench.Docs, lists)
			if err != nil || ctx.Err() != nil {
				return nil, err
			}
			rows = append(rows, paper.Row{Metric: decoding, Series: "GPU, docIDs", At: c.name, Value: n / t.Kernel / 1e6, Unit: "M ints/s"})
		}
		return rows, nil
	},
	Judge: func(t paper.Table) (out []paper.Verdict) {
		get := func(series, at string) float64 { v, _ := t.Get(decoding, series, at); return v }
		pfd, r := get("CPU, gaps", "PForDelta"), get("CPU, gaps", "Rice")
		gpu, gpuRice := get("GPU, docIDs", "PForDelta"), get("GPU, docIDs", "Rice")
		if gpu > 0 && pfd > 0 {
			out = append(out, paper.Judge(3, gpu > pfd && gpuRice < r, gpu > pfd, "the GPU decodes PForDelta %s times as fast as one core, which the claim says, and Rice %s times, which was less than 1 in the paper: unary parts are found by counting bits of whole words, not bit by bit",
				paper.Num(gpu/pfd), paper.Num(gpuRice/r)))
		}
		if pfd > 0 {
			out = append(out, paper.Judge(4, pfd > 1.5*r && (gpu == 0 || gpu > 1.5*gpuRice), pfd > r, "PForDelta over Rice: %s times on the CPU%s; neither decodes Rice bit by bit: a select in words finds the unary parts; a warp issues about %d instructions for a block of 128 in Rice, about %d in PForDelta with exceptions, %d without (the code for sm_90), and a pass for each round of exceptions",
				paper.Num(pfd/r), onGPU(gpu, gpuRice), riceBlock, pfdBlock, plainBlock))
		}
		return out
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"the paper's CPU decodes gaps, its GPU docIDs; its numbers are lost in the text",
		"rice takes b by block of 128, and pfordelta keeps exceptions by block of 128; the paper takes one b a list, and keeps exceptions by list in blocks of 512",
	},
}

func onGPU(pfd, rice float64) string {
	if pfd == 0 {
		return ""
	}
	return ", " + paper.Num(pfd/rice) + " on the GPU"
}

// cpuRate returns values that one core decodes in a second.
func cpuRate(e *paper.Env, c codec.Codec, side codecbench.Side, lists []codecbench.Postings) (float64, error) {
	x, err := codecbench.Encode(c, side, lists)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, l := range lists {
		n += len(l.Docs)
	}
	dst := make([]uint32, codecbench.Row)
	took, err := codecbench.Fastest(e.Time, func() error { return x.Decode(dst) })
	return float64(n) / took.Seconds(), err
}

// gpuTime measures one launch that decodes all lists.
func gpuTime(e *paper.Env, c codec.Codec, side codecbench.Side, lists []codecbench.Postings) (gpubench.DecodeTimes, error) {
	x, err := codecbench.Encode(c, side, lists)
	if err != nil {
		return gpubench.DecodeTimes{}, err
	}
	return e.OnDevice(x)
}
