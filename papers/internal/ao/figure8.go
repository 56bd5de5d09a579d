package ao

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/coding"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
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
				rows = append(rows, paper.Row{Metric: oneCore8, Series: name, At: paper.Num(part), X: part, Value: rate / 1e6, Unit: "M docIDs/s"})
			}
		}
		counted, err := countBlocks(lists)
		return append(rows, counted...), err
	},
	Judge: judge8,
	Plot:  paper.Plot{X: chart.Axis{Label: "exceptions"}},
	Notes: []string{"one core runs portable decoders with the paper's parameters; the GPU runs the engine's kernels, each codec with the exceptions that it chooses: its newpfd has fields of fixed width, which decode in parallel, and no kernel has PFD's chain",
		"instructions of a warp are counted in the code for sm_90, with the share of blocks that have exceptions, one round of them",
		"where all gaps have 2 bits but one in 128, of 7, the bytes decide, and parapfor is ahead of lrc (docs/notes/gpu-loading.md)",
	},
}

const oneCore8 = "decoding, one core"

func judge8(t paper.Table) []paper.Verdict {
	at := func(codec string, part float64) float64 { v, _ := t.Get(oneCore8, codec, paper.Num(part)); return v }
	least, most, flat := 1e18, max(at("PFD", 0.2), at("NewPFD", 0.2)), 1e18
	var keep []any
	for _, codec := range []string{"LRC", "LRCSeg", "SegLRC"} {
		least = min(least, at(codec, 0.2))
		kept := at(codec, 0.6) / at(codec, 0)
		flat, keep = min(flat, kept), append(keep, paper.Num(kept))
	}
	core := fmt.Sprintf("one core, by contrast, decodes %s M docIDs/s with the slowest of them and 20 %% exceptions, and %s with the faster of PFD and NewPFD; ", paper.Num(least), paper.Num(most)) +
		fmt.Sprintf("with 60 %% LRC keeps %s of its speed, LRCSeg %s and SegLRC %s", keep...)
	gpu := func(metric, codec string) float64 { v, _ := t.Get(metric, codec, own8); return v }
	lrc, para := gpu(onGPU8, "LRC"), gpu(onGPU8, "ParaPFD")
	if lrc == 0 {
		return []paper.Verdict{paper.Judge(9, least > most && flat > 0.8, least > 0.7*most, "%s; the GPU is not measured", core)}
	}
	slowest := min(lrc, gpu(onGPU8, "LRCSeg"), gpu(onGPU8, "SegLRC"))
	why := fmt.Sprintf("on the GPU LRC decodes %s G docIDs/s, LRCSeg %s, SegLRC %s, NewPFD %s and ParaPFD %s; LRC moves %s bytes a docID and ParaPFD %s", paper.Num(lrc/1e3), paper.Num(gpu(onGPU8, "LRCSeg")/1e3),
		paper.Num(gpu(onGPU8, "SegLRC")/1e3), paper.Num(gpu(onGPU8, "NewPFD")/1e3), paper.Num(para/1e3), paper.Num(gpu(moved, "LRC")), paper.Num(gpu(moved, "ParaPFD")))
	if n, ok := t.Get(issued8, "LRC", own8); ok {
		patched, _ := t.Get(issued8, "ParaPFD", own8)
		some, _ := t.Get(patchedBlocks, "ParaPFD", own8)
		few, _ := t.Get(patchedBlocks, "LRC", own8)
		why += fmt.Sprintf(", but a warp issues %s instructions for a block of LRC and %s for one of ParaPFD: %s %% and %s %% of the blocks have exceptions", paper.Num(n), paper.Num(patched), paper.Num(few), paper.Num(some))
	}
	return []paper.Verdict{paper.Judge(9, slowest > gpu(onGPU8, "NewPFD") && least > most && flat > 0.8, slowest > gpu(onGPU8, "NewPFD"), "%s; %s", why, core)}
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
