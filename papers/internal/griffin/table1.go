package griffin

import (
	"context"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var table1 = paper.Experiment{
	Name: "griffin-tab1", Number: "Table 1", Title: "Compression ratio",
	Data: standIn, Claims: []int{5},
	Paper: paper.Values{}.Put("compression ratio", "", "PForDelta", 3.3).Put("compression ratio", "", "EF", 4.6),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		var n, linked, fano, own float64
		for _, l := range s.Sample {
			if len(l.Docs) < 128 || ctx.Err() != nil {
				continue
			}
			x, err := pfd.Encode(l.Docs)
			if err != nil {
				return nil, err
			}
			size := func(c codec.Codec) float64 {
				b, _ := c.DocsSize(l.Docs)
				return 8 * l.Weight * float64(b+4*codec.Blocks(len(l.Docs), c.BlockLen()))
			}
			n, linked = n+l.Weight*float64(len(l.Docs)), linked+l.Weight*float64(x.Bits())
			fano, own = fano+size(ef.Codec{}), own+size(newpfd.Codec{})
		}
		for _, r := range []struct {
			at   string
			bits float64
		}{{"PForDelta", linked}, {"EF", fano}, {"the engine's newpfd", own}} {
			rows = append(rows, paper.Row{Metric: "compression ratio", At: r.at, Value: 32 * n / r.bits})
		}
		return rows, ctx.Err()
	},
	Judge: func(t paper.Table) []paper.Verdict {
		p, _ := t.Get("compression ratio", "", "PForDelta")
		f, _ := t.Get("compression ratio", "", "EF")
		own, _ := t.Get("compression ratio", "", "the engine's newpfd")
		v := paper.Compare(5, f/p, 1.4, 1, "EF over PForDelta")
		v.Why += "; over the engine's newpfd " + paper.Num(f/own)
		return []paper.Verdict{v}
	},
	Plot: paper.Plot{Kind: chart.Bars},
	Notes: []string{"PForDelta takes b for 90 % of a block of 128 and keeps exceptions whole, as the paper describes it; an offset of 32 bits a block counts for all",
		"the engine's newpfd takes the b that makes a block smallest, as OptPFD does, with exceptions in fields of fixed width in place of S16",
	},
}
