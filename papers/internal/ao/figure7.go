package ao

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/coding"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure7 = paper.Experiment{
	Name: "ao-fig7", Number: "Figure 7", Title: "Compression ratio on GOV against the share of exceptions",
	Data: "the GOV stand-in", Claims: []int{7, 8},
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := e.Set("GOV")
		if err != nil {
			return nil, err
		}
		lists := some(s)
		for _, codec := range codecNames {
			for _, part := range shares {
				r, err := ratio(schemes(part)[codec], lists)
				if err != nil || ctx.Err() != nil {
					return nil, err
				}
				rows = append(rows, paper.Row{Metric: "compression ratio", Series: codec, At: paper.Num(part), X: part, Value: r})
			}
		}
		more, err := bySegments(ctx, lists)
		return append(rows, more...), err
	},
	Judge: func(t paper.Table) []paper.Verdict {
		const m = "compression ratio"
		worst, falls := 1.0, true
		kept := map[string]float64{} // with most exceptions, of the best ratio
		least, most := "", ""
		for _, codec := range codecNames {
			of, best := t.Of(m, codec), 0.0
			for _, e := range of {
				best = max(best, e.Value)
			}
			if len(of) == 0 {
				continue
			}
			worst = min(worst, of[0].Value/best)
			kept[codec] = of[len(of)-1].Value / best
			falls = falls && (codec == "LRC" || kept[codec] < 1) // the paper's LRC hardly changes
			if least == "" || kept[codec] < kept[least] {
				least = codec
			}
			if most == "" || kept[codec] > kept[most] {
				most = codec
			}
		}
		whole, _ := t.Get(m, "LRC", "0")
		segments, _ := t.Get(m, "LRCSeg", "0")
		return []paper.Verdict{
			paper.Judge(7, worst >= 0.9 && falls, worst >= 0.75, "without exceptions every codec has at least %s %% of its best ratio; with 60 %% they keep %s %% (%s) to %s %% (%s) of it, LRC, which the paper finds practically unchanged, %s %%",
				paper.Num(100*worst), paper.Num(100*kept[least]), least, paper.Num(100*kept[most]), most, paper.Num(100*kept["LRC"])),
			paper.Judge(8, segments > 1.1*whole, segments > whole, "without exceptions LRCSeg has %s, LRC %s", paper.Num(segments), paper.Num(whole)),
		}
	},
	Plot:  paper.Plot{X: chart.Axis{Label: "exceptions, or values of a segment"}},
	Notes: []string{"segments have 64 values with gaps and 256 with lines, as the paper's; other lengths, which it does not vary, are beside them, without exceptions, and HS_LRC's is that of the mean bucket"},
}

// bySegments varies the length of segments, with no exceptions.
func bySegments(ctx context.Context, lists []corpus.Weighted) (rows []paper.Row, err error) {
	for _, k := range coding.Kinds() {
		for _, n := range []int{64, 128, 256, 512, 1024} {
			r, err := ratio(coding.Scheme{Kind: k, Segment: n}, lists)
			if err != nil || ctx.Err() != nil {
				return nil, errors.Join(err, ctx.Err())
			}
			rows = append(rows, paper.Row{Metric: "compression ratio by length of segments", Series: k.String(), At: fmt.Sprint(n), X: float64(n), Value: r})
		}
	}
	return rows, nil
}
