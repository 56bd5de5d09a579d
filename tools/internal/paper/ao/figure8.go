package ao

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
	"github.com/pinion-index/pinion/tools/internal/paper/coding"
	"github.com/pinion-index/pinion/tools/internal/paper/corpus"
)

var figure8 = paper.Experiment{
	Name: "ao-fig8", Number: "Figure 8", Title: "Decompression speed of the shortest lists on GOV against the share of exceptions",
	Data: "the GOV stand-in and queries like T06", Claims: []int{9},
	GPU: onDevice8,
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := e.Set("GOV")
		if err != nil {
			return nil, err
		}
		lists := shortest(s, e.Pick(2_000_000, 50_000))
		for _, name := range codecNames {
			for _, part := range shares {
				rate, err := decodeRate(e, schemes(part)[name], lists)
				if err != nil || ctx.Err() != nil {
					return nil, err
				}
				rows = append(rows, paper.Row{Metric: "decoding, one core", Series: name, At: paper.Num(part), X: part, Value: rate / 1e6, Unit: "M docIDs/s"})
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		const m = "decoding, one core"
		at := func(codec string, part float64) float64 { v, _ := t.Get(m, codec, paper.Num(part)); return v }
		least := 1e18
		for _, codec := range []string{"LRC", "LRCSeg", "SegLRC"} {
			least = min(least, at(codec, 0.2))
		}
		most := max(at("PFD", 0.2), at("NewPFD", 0.2))
		flat := at("LRC", 0.6) / at("LRC", 0)
		return []paper.Verdict{paper.Judge(9, least > most && flat > 0.8, least > 0.7*most,
			"on one core, with 20 %% exceptions: the slowest of LRC, LRCSeg and SegLRC decodes %s M docIDs/s, the faster of PFD and NewPFD %s; LRC keeps %s of its speed with 60 %% exceptions. The paper's figure is of a GPU, where PFD's chain of exceptions is serial",
			paper.Num(least), paper.Num(most), paper.Num(flat))}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "exceptions"}},
	Notes: []string{"portable decoders on one core; those of the engine, on both processors, are measured by idxbench decode and idxbench gpu",
		"the kernels of the engine, too, decode parapfor faster than lrc: 699 and 586 G docIDs/s on an H200 (docs/gpu.md)",
	},
}

// shortest returns first lists of queries, each once, with at most that many docIDs.
func shortest(s *corpus.Set, most int) (out [][]uint32) {
	var seen []int
	n := 0
	for _, q := range s.Queries {
		if l := s.Lists[q[0]]; !slices.Contains(seen, q[0]) && n+len(l) <= most {
			seen, out, n = append(seen, q[0]), append(out, l), n+len(l)
		}
	}
	return out
}

// decodeRate returns the docIDs that one core decodes in a second.
func decodeRate(e *paper.Env, s coding.Scheme, lists [][]uint32) (float64, error) {
	var all []*coding.List
	n, room := 0, 0
	for _, l := range lists {
		x, err := s.Encode(l)
		if err != nil {
			return 0, err
		}
		all, n, room = append(all, x), n+len(l), max(room, len(l))
	}
	dst := make([]uint32, room)
	took, err := codecbench.Fastest(e.Time, func() error {
		for _, l := range all {
			l.Decode(dst[:l.Len()])
		}
		return nil
	})
	return float64(n) / took.Seconds(), err
}
