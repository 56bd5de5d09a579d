package ding

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/codec/rice"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/coding"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const (
	decoding  = "decoding"
	overLocal = "time with a global prefix sum, times that with localized ones"

	globalSum = "the global prefix sum, over a whole list, is a second launch over the decoded gaps: it reads and writes 8 bytes a docID in one pass, by decoupled look-back (Merrill and Garland 2016)"
)

// Instructions that a warp issues for a block of 128 docIDs, counted in the code for sm_90 of
// decode_docs_rice and decode_docs_pfordelta, with one round of each loop.
const riceBlock, pfdBlock, plainBlock = 180, 280, 83

// codec1 is a codec of table 1.
type codec1 struct {
	name  string
	codec codec.Codec
	gpu   bool
}

// codecs1 returns the codecs of table 1, and after them all others of ours that store gaps.
func codecs1() []codec1 {
	out := []codec1{{"Rice", rice.Codec{}, true}, {"PForDelta", level(1), true}}
	for _, name := range []string{"newpfd", "parapfor", "bp128", "bp256", "vbyte128", "vbyte1024", "bp32", "simdbp128", "varintgb", "streamvbyte"} {
		c, ok := registry.ByName(name)
		if !ok {
			panic("no codec " + name) // a constant of an experiment
		}
		out = append(out, codec1{name, c, kernels.For(kernels.DecodeDocs, kernels.CodecsOf(uint8(c.ID()))) != kernels.None})
	}
	return out
}

// lists1 are the lists of table 1.
func lists1(e *paper.Env) ([]format.Postings, error) {
	s, err := collection(e)
	if err != nil {
		return nil, err
	}
	return asked(s, e.Pick(20_000_000, 60_000)), nil
}

// each1 encodes the lists of table 1 in each codec, once for all halves.
func each1(ctx context.Context, e *paper.Env, take func(c codec1, x *codecbench.Encoded, n float64) error) error {
	lists, err := lists1(e)
	if err != nil {
		return err
	}
	for _, c := range codecs1() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x, err := paper.Once(e, "ding table 1, "+c.name, func() (*codecbench.Encoded, error) { return codecbench.Encode(c.codec, codecbench.Docs, lists) })
		if err == nil {
			err = take(c, x, total(lists))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// total returns the number of docIDs.
func total(lists []format.Postings) (n float64) {
	for _, l := range lists {
		n += float64(len(l.Docs))
	}
	return n
}

// asGaps has encoded docIDs decoded without sums, to gaps: the codecs of table 1 store docIDs'
// gaps as they do frequencies.
func asGaps(x *codecbench.Encoded) *codecbench.Encoded {
	g := *x
	g.Side = codecbench.Freqs
	return &g
}

var table1 = paper.Experiment{
	Name: "ding-tab1", Number: "Table 1", Title: "Decompression speed",
	Data: data, Claims: []int{3, 4, 11},
	OwnAdds: "docIDs by a global prefix sum",
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		err = each1(ctx, e, func(c codec1, x *codecbench.Encoded, n float64) error {
			g, err := cpuRate(e, asGaps(x), n)
			if err != nil {
				return err
			}
			d, err := cpuRate(e, x, n)
			rows = append(rows, paper.Row{Metric: decoding, Series: "CPU, gaps", At: c.name, Value: g / 1e6, Unit: "M ints/s"},
				paper.Row{Metric: decoding, Series: "CPU, docIDs", At: c.name, Value: d / 1e6, Unit: "M ints/s"})
			return err
		})
		if err != nil {
			return nil, err
		}
		more, err := baselines1(ctx, e)
		return append(rows, more...), err
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		err = each1(ctx, e, func(c codec1, x *codecbench.Encoded, n float64) error {
			if !c.gpu {
				return nil
			}
			g, err := e.OnDevice(asGaps(x))
			if err != nil {
				return err
			}
			d, err := e.OnDevice(x)
			rows = append(rows, paper.Row{Metric: decoding, Series: "GPU, gaps", At: c.name, Value: n / g.Kernel / 1e6, Unit: "M ints/s"},
				paper.Row{Metric: decoding, Series: "GPU, docIDs", At: c.name, Value: n / d.Kernel / 1e6, Unit: "M ints/s"})
			return err
		})
		return rows, err
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
		if of := t.Of(overLocal, "kernels"); len(of) > 0 {
			least, most := of[0], of[0]
			for _, e := range of {
				if e.Value < least.Value {
					least = e
				}
				if e.Value > most.Value {
					most = e
				}
			}
			bound, _ := t.Get(overLocal, "bytes moved", most.At)
			out = append(out, paper.Judge(11, least.Value >= 1.1, most.Value > 1, "a global prefix sum takes %s times as long as localized ones in %s, %s times in %s, where it moves %s times the bytes",
				paper.Num(least.Value), least.At, paper.Num(most.Value), most.At, paper.Num(bound)))
		}
		return out
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{eighthNote, "the paper's CPU decodes gaps, its GPU docIDs; its numbers are lost in the text",
		"behind the paper's two codecs stand ours that store gaps, and two of the papers' baselines by portable decoders; ef and the linear-regression codecs have no gaps, and those of the CPU alone no kernel",
		"gaps are the same bytes as docIDs, decoded without sums",
		globalSum,
		"rice takes b by block of 128, and pfordelta keeps exceptions by block of 128; the paper takes one b a list, and keeps exceptions by list in blocks of 512",
	},
}

func onGPU(pfd, rice float64) string {
	if pfd == 0 {
		return ""
	}
	return ", " + paper.Num(pfd/rice) + " on the GPU"
}

// baselines1 measures what the papers compare with, on one core: PForDelta with b and a chain of
// exceptions for each block, at most a tenth of it, and NewPFD with arrays in S16.
func baselines1(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	lists, err := lists1(e)
	if err != nil {
		return nil, err
	}
	n, dst := total(lists), []uint32(nil)
	for _, c := range []struct {
		name string
		kind coding.Kind
	}{{linked3, coding.PFD}, {"NewPFD, S16", coding.NewPFD}} {
		var all []*coding.List
		for _, l := range lists {
			x, err := coding.Scheme{Kind: c.kind, Segment: 128, Share: 0.1}.Encode(l.Docs)
			if err != nil || ctx.Err() != nil {
				return nil, errors.Join(err, ctx.Err())
			}
			all, dst = append(all, x), slices.Grow(dst[:0], len(l.Docs))
		}
		for _, m := range []struct {
			series string
			decode func(l *coding.List, dst []uint32)
		}{{"CPU, gaps", (*coding.List).DecodeGaps}, {"CPU, docIDs", (*coding.List).Decode}} {
			took, err := codecbench.Fastest(e.Time, func() error {
				for _, l := range all {
					m.decode(l, dst[:l.Len()])
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			rows = append(rows, paper.Row{Metric: decoding, Series: m.series, At: c.name, Value: n / took.Seconds() / 1e6, Unit: "M ints/s"})
		}
	}
	return rows, nil
}

// cpuRate returns values that one core decodes in a second.
func cpuRate(e *paper.Env, x *codecbench.Encoded, n float64) (float64, error) {
	dst := make([]uint32, codecbench.Row)
	took, err := codecbench.Fastest(e.Time, func() error { return x.Decode(dst) })
	return n / took.Seconds(), err
}
