package mallia

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var table4 = paper.Experiment{
	Name: "mallia-tab4", Number: "Table 4", Title: "Decoding speed on the lists of queries",
	Data: "the lists of queries on generated collections in the place of Gov2 and ClueWeb09", Claims: []int{6},
	Paper: paper.Values{}.Grid(speed, table2At,
		"BP32 | 1665 1522 1476 1396", "SIMD-BP | 2257 2151 2029 1989", "GPU-BP128 | 56017 54790 65605 64586", "GPU-BP256 | 70552 67802 84293 81527",
		"VarintGB | 2073 2039 1517 1544", "StreamVByte | 2204 2215 1545 1544", "GPU-VByte128 | 49555 48518 57496 56311", "GPU-VByte1024 | 41598 40717 46385 46199"),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, c := range collections {
			s, err := e.SetOf(c.set, e.Scale*c.share)
			if err != nil {
				return nil, err
			}
			for side := range 2 {
				lists := asked(s, side, e.Pick(20_000_000, 60_000))
				for _, m := range methods {
					if m.gpu {
						continue
					}
					r, err := m.rate(e, codecbench.Freqs, lists)
					if err != nil || ctx.Err() != nil {
						return nil, err
					}
					rows = append(rows, paper.Row{Metric: speed, Series: m.name, At: table2At[2*i+side], Value: r / 1e6, Unit: "M ints/s"})
				}
			}
		}
		return rows, nil
	},
	GPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) { return onQueries(ctx, e) },
	Judge: func(t paper.Table) (out []paper.Verdict) {
		gpu, ok := t.Get(speed, "GPU-BP256", table2At[2])
		cpu, _ := t.Get(speed, "BP32", table2At[2])
		if ok && cpu > 0 {
			v := paper.Compare(6, gpu/cpu, 57.11, 1, "GPU-BP256 over BP32 on docIDs of ClueWeb09's stand-in")
			v.Why += fmt.Sprintf("; the GPU decodes %s times as fast as the paper's, BP32, in portable Go, %s times", paper.Num(gpu/84293), paper.Num(cpu/1476))
			out = append(out, v)
		}
		return out
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{partly, "up to 20 million integers of each", inBlocks,
		"the recorded run of the CPU decoded into one row of 1,024 integers, which stays in the cache: that makes SIMD-BP and StreamVByte 1.5 to 1.9 times as fast as into memory for all lists, which the GPU writes and which the CPU's codecs write from now on, and tells little of BP32 and VarintGB, which are slower"},
}

// asked returns the lists of the queries, each once: gaps or frequencies.
func asked(s *corpus.Set, side, most int) (out []format.Postings) {
	seen, n := map[int]bool{}, 0
	for _, q := range s.Queries {
		for _, i := range q {
			if l := s.Lists[i]; !seen[i] && n+len(l) <= most {
				seen[i], n = true, n+len(l)
				values := wide(s.Freqs[i])
				if side == 0 {
					values = gaps(l)
				}
				out = append(out, format.Postings{Docs: l, Freqs: slices.Clip(values)})
			}
		}
	}
	return out
}
