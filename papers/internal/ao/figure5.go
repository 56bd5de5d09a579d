package ao

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const throughput, reads, memory = "throughput", "reads of a search", "memory beside the lists"

// searchOnly is the throughput of the search kernel alone.
const searchOnly = "throughput of the kernel"

// inTurn says how batches with own kernels are measured.
const inTurn = "the ways of the own kernels take turns, and each one's time is the median of 51 batches"

var figure5 = paper.Experiment{
	Name: "ao-fig5", Number: "Figure 5", Title: "Throughput on GOV against the computational threshold",
	Data: "the GOV stand-in and queries like T06", Claims: []int{4, 5, 12},
	OwnAdds: "uncompressed lists on the GPU, with BS, IS, LR by one line and by 32, HS16 to HS256, and HS_LRC",
	Paper:   paper.Values{}.Put(throughput, "HS16", "1M", 91382).Put("HS16 over BS", "throughput", "1M", 1.6).Put(memory, "HS16", "all lists", 9),
	CPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		rows, err := countReads(ctx, e)
		if err != nil {
			return nil, err
		}
		warps, err := countWarps(ctx, e)
		return append(rows, warps...), err
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		points, err := sweep(ctx, e)
		for _, p := range points {
			rows = append(rows, paper.Row{Metric: throughput, Series: p.way, At: thresholdName(p.c), X: float64(p.c), Value: p.perSecond(), Unit: "queries/s"})
		}
		return rows, err
	},
	Judge: func(t paper.Table) (out []paper.Verdict) {
		bs, _ := t.Get(reads, "BS", "a docID and list")
		hs, _ := t.Get(reads, "HS16", "a docID and list")
		lr, _ := t.Get(reads, "LR", "a docID and list")
		room, _ := t.Get(memory, "HS16", "all lists")
		gpuBS, ok := t.Get(throughput, "BS", "1M")
		gpuHS, raw := t.Get(throughput, "HS16", "1M")
		if !raw {
			gpuHS, _ = t.Get(throughput, "HS256", "1M")
		}
		gpuLR, _ := t.Get(throughput, "LR", "1M")
		counted := ""
		if v, there := t.Get("BS over HS16", issued, "all lists"); there {
			touched, _ := t.Get("BS over HS16", sectors, "all lists")
			apart, _ := t.Get("BS over HS16", distinct, "all lists")
			counted = fmt.Sprintf("; by count a warp with BS issues %s times the instructions of HS16, its loads touch %s times the sectors, and %s times as many distinct ones", paper.Num(v), paper.Num(touched), paper.Num(apart))
		}
		if bs > 0 {
			if kernel, _ := t.Get("HS16 over BS", searchOnly, "1M"); ok && raw {
				out = append(out, paper.Judge(4, gpuHS >= 1.42*gpuBS, gpuHS > gpuBS && lr < bs, "a search reads %s words with BS, %s with LR, %s with HS16 for %s %% more memory; on uncompressed lists HS16 has %s times the throughput of BS, LR %s times; the kernel alone %s times with HS16, but it is %s %% of a batch with BS and %s %% with HS16, the rest being the gathering of the results, launches, copies and waiting%s",
					paper.Num(bs), paper.Num(lr), paper.Num(hs), paper.Num(room), paper.Num(gpuHS/gpuBS), paper.Num(gpuLR/gpuBS), paper.Num(kernel), ofBatch(t, "BS"), ofBatch(t, "HS16"), counted))
			} else if ok {
				out = append(out, paper.Judge(4, gpuHS >= 1.42*gpuBS, gpuHS > gpuBS && lr < bs, "a search reads %s words with BS, %s with LR, %s with HS16 for %s %% more memory; on the GPU HS256 has %s times the throughput of BS, LR %s times: batches take as long at most c (Figure 6), so that compares waiting%s",
					paper.Num(bs), paper.Num(lr), paper.Num(hs), paper.Num(room), paper.Num(gpuHS/gpuBS), paper.Num(gpuLR/gpuBS), counted))
			} else {
				out = append(out, paper.Judge(4, hs < bs/1.6, hs < bs, "a search reads %s words with BS, %s with LR and %s with HS16, for %s %% more memory; throughput is not measured%s", paper.Num(bs), paper.Num(lr), paper.Num(hs), paper.Num(room), counted))
			}
		}
		if is, own := t.Get(searchOnly, "IS", "1M"); own {
			half, _ := t.Get(searchOnly, "BS", "1M")
			whole, _ := t.Get(throughput, "IS", "1M")
			out = append(out, paper.Judge(12, is < 0.7*half, is < half, "by the search kernel alone interpolation search has %s of the throughput of binary search, with launches and copies %s (0.596 so in the paper's Table 3)", paper.Num(is/half), paper.Num(whole/gpuBS)))
		}
		if ok {
			few, _ := t.Get(throughput, "BS", thresholdName(thresholds[0]))
			most, _ := t.Get(throughput, "BS", "2M")
			grow, ends, ways := growing(t)
			out = append(out, paper.Judge(5, grow == ways, ends == ways, "BS answers %s k queries/s at c = 8K, %s k at 1M, %s k at 2M; %d of %d ways answer the more, the larger c", paper.Num(few/1e3), paper.Num(gpuBS/1e3), paper.Num(most/1e3), grow, ways))
		}
		return out
	},
	Plot: paper.Plot{X: chart.Axis{Label: "c", Log: true}, LogY: true},
	Notes: []string{"without the paper's own kernels lists on the GPU are compressed, presence words are off, and BS, LR and HS256 find the block; with them lists are uncompressed",
		"reads count the elements that are compared and the two offsets of a bucket",
		"without the paper's own kernels LR is a line through the ends of blocks, of positions on docIDs, and lists whose safe range exceeds a quarter of them have none: they are searched as by BS",
		"the direct algorithm on lists decoded first, which the engine had in runs before 2026-11-26, compares the first list with each other list, not the shrinking result",
		firstLists, inTurn,
	},
}

// growing returns how many ways' throughput grows from each threshold to the next, how many ways' from the first to the
// last, and how many ways there are.
func growing(t paper.Table) (grow, ends, ways int) {
	for _, way := range t.Series(throughput) {
		of := t.Of(throughput, way)
		if len(of) < 2 {
			continue
		}
		ways++
		if slices.IsSortedFunc(of, func(a, b paper.Entry) int { return cmp.Compare(a.Value, b.Value) }) {
			grow++
		}
		if of[len(of)-1].Value > of[0].Value {
			ends++
		}
	}
	return grow, ends, ways
}

// ofBatch is the search kernel's share of a batch's time at c = 1 M, in percent.
func ofBatch(t paper.Table, way string) string {
	all, _ := t.Get(throughput, way, "1M")
	search, _ := t.Get(searchOnly, way, "1M")
	return paper.Num(100 * all / search)
}

// countReads counts what each search reads in the queries of the log.
func countReads(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
	s, err := e.Set("GOV")
	if err != nil {
		return nil, err
	}
	for _, w := range ways() {
		lists, searches, n, extra, size := map[int]searcher{}, 0.0, 0.0, 0.0, 0.0
		for k, q := range s.Queries {
			if k%4 > 0 { // a quarter of the log tells
				continue
			}
			for i, list := range q[1:] {
				if lists[list] == nil {
					lists[list] = w.make(s.Lists[list])
					extra, size = extra+float64(lists[list].extra()), size+4*float64(len(s.Lists[list]))
				}
				if i > 0 {
					continue
				}
				for _, x := range s.Lists[q[0]] {
					_, r := lists[list].has(x)
					searches, n = searches+1, n+float64(r)
				}
			}
		}
		rows = append(rows, paper.Row{Metric: reads, Series: w.name, At: "a docID and list", X: 1 << 20, Value: n / max(searches, 1), Unit: "words"},
			paper.Row{Metric: memory, Series: w.name, At: "all lists", X: 1 << 20, Value: 100 * extra / max(size, 1), Unit: "%"})
	}
	return rows, nil
}
