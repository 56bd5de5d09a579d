package ao

import (
	"context"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

// beyond is the throughput of what a batch at c = 4 M has more than one at 1 M: launches,
// and the waiting for them, are in both.
const beyond = "throughput from c = 1 M to 4 M"

// rowsOfEngine says which columns of tables 3 and 7 the paper's own kernels do not fill.
const rowsOfEngine = "ParaPFD (0.2) and ParaPFD (0.0), without exceptions, have no rows of ours: the engine's parapfor, ParaPFD here, takes the width of a block that makes it smallest, and then 97.9 % of the blocks have exceptions (Figure 8); the rows of ParaPFD, LRC, LRCSeg and SegLRC are of the engine's kernels, with blocks of 128"

// firstLists says what the own kernels of HS_LRC do not do.
const firstLists = "the own kernels' HS128_LRC and HS256_LRC read first lists uncompressed; the paper decodes the shortest list of a query in all compressed methods, so that ours do less"

var table7 = paper.Experiment{
	Name: "ao-tab7", Number: "Table 7", Title: "Throughput and response time on compressed lists, c = 1 M",
	Data: standIns, Claims: []int{17}, Engine: true, Codecs: codecs7,
	OwnAdds: "HS_LRC with buckets as segments",
	Paper: paper.Values{}.Grid(throughput, []string{"ParaPFD (0.2)", "ParaPFD (0.0)", "LRC", "LRCSeg", "SegLRC", "HS256_LRC"},
		"GOV | 15879 22998 42336 42347 47335 55955", "GOVPR | 16069 23302 41905 41862 46054 55315", "GOVR | 15587 22639 43034 43078 48078 55735",
		"BD | 58937 86000 160570 160958 164903 191120", "BDR | 53952 78338 160898 160338 176134 195520").
		Grid(response, []string{"ParaPFD (0.2)", "ParaPFD (0.0)", "LRC", "LRCSeg", "SegLRC", "HS256_LRC"},
			"GOV | 7.66 5.29 2.88 2.88 2.57 2.18", "GOVPR | 7.57 5.22 2.90 2.91 2.64 2.20", "GOVR | 7.81 5.38 2.83 2.83 2.50 2.18",
			"BD | 4.71 3.23 1.73 1.73 1.68 1.45", "BDR | 5.15 3.55 1.73 1.73 1.58 1.42"),
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		all, err := tables(ctx, e)
		if err != nil {
			return nil, err
		}
		for _, name := range five {
			for _, p := range all[name][3:] {
				rows = append(rows, paper.Row{Metric: throughput, Series: name, At: p.way, Value: p.perSecond(), Unit: "queries/s"},
					paper.Row{Metric: response, Series: name, At: p.way, Value: 1e3 * p.seconds, Unit: "ms"})
				if p.more*3*float64(p.queries) > 0.2*p.seconds {
					rows = append(rows, paper.Row{Metric: beyond, Series: name, At: p.way, Value: 1 / p.more, Unit: "queries/s"})
				}
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		ms, ok := t.Get(response, "GOV", "LRC")
		if !ok {
			return nil
		}
		lacks := false
		get := func(set, at string) float64 {
			v, ok := t.Get(beyond, set, at)
			lacks = lacks || !ok
			return v
		}
		hs, seg, part, whole, para := get("GOV", "HS256_LRC"), get("GOV", "SegLRC"), get("GOV", "LRCSeg"), get("GOV", "LRC"), get("GOV", "ParaPFD")
		paraBD, hsBD := get("BD", "ParaPFD"), get("BD", "HS256_LRC")
		if lacks {
			return []paper.Verdict{{Claim: 17, Holds: paper.Untested, Why: "with some methods a batch at c = 4 M takes about as long as one at 1 M, so that their rates do not show"}}
		}
		best := hs >= max(seg, part, whole, para)
		return []paper.Verdict{paper.Judge(17, best && seg > max(part, whole) && ms < 3, hs > whole && seg > max(part, whole) && ms < 3,
			"a batch with LRC takes %s ms on GOV; what it has more at c = 4 M than at 1 M it answers at %s k queries/s with LRC, %s k with LRCSeg, %s k with SegLRC, %s k with HS256_LRC and %s k with ParaPFD; on BD ParaPFD answers %s k, HS256_LRC %s k",
			paper.Num(ms), paper.Num(whole/1e3), paper.Num(part/1e3), paper.Num(seg/1e3), paper.Num(hs/1e3), paper.Num(para/1e3), paper.Num(paraBD/1e3), paper.Num(hsBD/1e3))}
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"segments are blocks of 128 here, 256 in the paper, but buckets with the own kernels of HS128_LRC and HS256_LRC; ParaPFD finds the block by binary search and decodes it, the others search single elements (Algorithm 1); first lists shrink with the scale, so that a batch of c docIDs has more queries",
		"hslrc has a line for each bucket of 256 over blocks of 128; the paper's buckets are its segments",
		"a batch at c = 4 M repeats queries: " + beyond + " is left out where it takes less than 1.2 times as long as one at 1 M",
		rowsOfEngine, firstLists, wholeNote,
	},
}
