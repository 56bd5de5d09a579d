package ao

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// beyond is the throughput of what a batch at c = 4 M has more than one at 1 M: launches,
// and the waiting for them, are in both.
const beyond = "throughput from c = 1 M to 4 M"

// rowsOfEngine says which columns of tables 3 and 7 the paper's own kernels do not fill.
const rowsOfEngine = "ParaPFD (0.2) and ParaPFD (0.0), without exceptions, have no rows of ours: the engine's parapfor, ParaPFD here, takes the width of a block that makes it smallest, and then nearly all blocks have exceptions (Figure 8); the rows of ParaPFD, LRC, LRCSeg, SegLRC and " + ofEngine + " are of the engine's kernels, with blocks of 128"

// ofEngine is HS256_LRC by the engine's kernels, beside that by the own ones, which the paper's numbers
// stand beside.
const ofEngine = "the engine's HS256_LRC"

// firstLists says what the own kernels of HS_LRC do not do.
const firstLists = "the own kernels' HS128_LRC and HS256_LRC read first lists uncompressed; the paper decodes the shortest list of a query in all compressed methods, so that ours do less"

// table7Paper are the throughputs and times of the paper.
var table7Paper = paper.Values{}.Grid(throughput, []string{"ParaPFD (0.2)", "ParaPFD (0.0)", "LRC", "LRCSeg", "SegLRC", "HS256_LRC"},
	"GOV | 15879 22998 42336 42347 47335 55955", "GOVPR | 16069 23302 41905 41862 46054 55315", "GOVR | 15587 22639 43034 43078 48078 55735",
	"BD | 58937 86000 160570 160958 164903 191120", "BDR | 53952 78338 160898 160338 176134 195520").
	Grid(response, []string{"ParaPFD (0.2)", "ParaPFD (0.0)", "LRC", "LRCSeg", "SegLRC", "HS256_LRC"},
		"GOV | 7.66 5.29 2.88 2.88 2.57 2.18", "GOVPR | 7.57 5.22 2.90 2.91 2.64 2.20", "GOVR | 7.81 5.38 2.83 2.83 2.50 2.18",
		"BD | 4.71 3.23 1.73 1.73 1.68 1.45", "BDR | 5.15 3.55 1.73 1.73 1.58 1.42")

var table7 = paper.Experiment{
	Name: "ao-tab7", Number: "Table 7", Title: "Throughput and response time on compressed lists, c = 1 M",
	Data: standIns, Claims: []int{17},
	OwnAdds: "HS_LRC with buckets as segments",
	Paper:   table7Paper,
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
	Follow: named,
	Judge:  judgeTable7,
	Plot:   paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"segments are blocks of 128 here, 256 in the paper, but buckets with the own kernels of HS128_LRC and HS256_LRC; first lists shrink with the scale, so that a batch of c docIDs has more queries",
		"with ParaPFD a warp of the engine finds the blocks that 128 docIDs of a first list fall in by binary search and decodes one after the other, of which random docIDs share few; with the others each lane reads a few elements of its own (Algorithm 1); Figure 8 counts the instructions and bytes of decoding",
		"the engine's HS256_LRC has a line for each bucket of 256 over blocks of 128, so that a block may have two; the paper's buckets are its segments; and the engine finds the block in the same way with all line codecs, so that the buckets save no search",
		"a warp of the engine takes up to eight blocks of a first list, since presence words, which are off here, leave little of them: a batch at c = 1 M has about 1,000 warps, a quarter of what an H200 runs at once, and waits for the slowest; the own kernels have a thread for each docID",
		"a batch at c = 4 M asks each of the 300 queries of BD and BDR about four times, and those of the other collections once; where it takes less than 1.2 times as long as one at 1 M, as with three methods on BDR, " + beyond + " is left out: it fills what one at 1 M leaves idle",
		rowsOfEngine, firstLists, wholeNote,
	},
}

// named gives the engine's rows of HS256_LRC their name.
func named(rows []paper.Row) []paper.Row {
	if !slices.ContainsFunc(rows, func(r paper.Row) bool { return r.At == "LRC" }) {
		return nil // of the own kernels
	}
	out := slices.Clone(rows)
	for i := range out {
		if out[i].At == "HS256_LRC" {
			out[i].At = ofEngine
		}
	}
	return out
}

// over is how many times as much of a metric a method has as the best of others, on the collections that
// have rows of all.
type over struct {
	sets        int
	least, most float64
	ahead       int // on how many of the sets it is the best
}

func (o over) String() string {
	least, most := paper.Num(o.least), paper.Num(o.most)
	if least == most {
		return least
	}
	return least + " to " + most
}

func compare(get func(set, at string) (float64, bool), method string, others ...string) (o over) {
next:
	for _, set := range five {
		v, ok := get(set, method)
		best := 0.0
		for _, at := range others {
			w, there := get(set, at)
			if ok = ok && there; !ok {
				continue next
			}
			best = max(best, w)
		}
		if !ok || best == 0 {
			continue
		}
		r := v / best
		if o.sets++; o.sets == 1 || r < o.least {
			o.least = r
		}
		o.most = max(o.most, r)
		if r > 1 {
			o.ahead++
		}
	}
	return o
}

// judgeTable7 judges claim 17 by the engine's kernels on all collections: the own ones have HS_LRC alone, without
// the decoding of first lists.
func judgeTable7(t paper.Table) []paper.Verdict {
	ours := func(metric string) func(set, at string) (float64, bool) {
		return func(set, at string) (float64, bool) { return t.Get(metric, set, at) }
	}
	theirs := func(set, at string) (float64, bool) {
		v, ok := table7Paper[paper.Key{Metric: throughput, Series: set, At: at}]
		return v, ok
	}
	hs := compare(ours(throughput), ofEngine, "ParaPFD", "LRC", "LRCSeg", "SegLRC")
	seg := compare(ours(throughput), "SegLRC", "LRC", "LRCSeg")
	if hs.sets < len(five) || seg.sets < len(five) {
		return nil
	}
	hsTheirs, segTheirs := compare(theirs, "HS256_LRC", "LRC", "LRCSeg", "SegLRC"), compare(theirs, "SegLRC", "LRC", "LRCSeg")
	slowest := func(methods ...string) (most float64) {
		for _, set := range five {
			for _, at := range methods {
				v, _ := t.Get(response, set, at)
				most = max(most, v)
			}
		}
		return most
	}
	lines, para := slowest("LRC", "LRCSeg", "SegLRC", "HS128_LRC", "HS256_LRC", ofEngine), slowest("ParaPFD")
	why := fmt.Sprintf("by the engine's kernels HS256_LRC has the best throughput on %d of %d collections, %s times that of the best other method (%s in the paper); SegLRC is ahead of LRC and LRCSeg on %d, with %s times that of the better one (%s); LRC has %s times that of ParaPFD (%s without exceptions); a batch takes at most %s ms with the line codecs, and %s ms with ParaPFD, which takes more than 3 ms in the paper too",
		hs.ahead, hs.sets, hs, hsTheirs, seg.ahead, seg, segTheirs, compare(ours(throughput), "LRC", "ParaPFD"), compare(theirs, "LRC", "ParaPFD (0.0)"), paper.Num(lines), paper.Num(para))
	if own := compare(ours(throughput), "HS256_LRC", ofEngine, "ParaPFD", "LRC", "LRCSeg", "SegLRC"); own.sets > 0 {
		why = fmt.Sprintf("by the own kernels HS256_LRC has %s times the best throughput of the engine's, which compares kernels, not methods: it decodes no first lists, and has more warps; ", own) + why
	}
	if more := compare(ours(beyond), ofEngine, "ParaPFD", "LRC", "LRCSeg", "SegLRC"); more.sets > 0 {
		part := compare(ours(beyond), "SegLRC", "LRC", "LRCSeg")
		why += fmt.Sprintf("; of what a batch has more at c = 4 M than at 1 M HS256_LRC has the best rate on %d of %d collections, SegLRC a better one than LRC and LRCSeg on %d of %d", more.ahead, more.sets, part.ahead, part.sets)
	}
	return []paper.Verdict{paper.Judge(17, hs.least-1 >= 0.7*(hsTheirs.least-1) && seg.least-1 >= 0.7*(segTheirs.least-1) && lines < 3,
		hs.ahead == hs.sets && seg.ahead == seg.sets && lines < 3, "%s", why)}
}
