package ding

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const perElement, uneven = "time an element", "time an element of 200,000"

var figure6 = paper.Experiment{
	Name: "ding-fig6", Number: "Figure 6", Title: "Intersection of two lists of equal length by levels of recursion",
	Data: "two uniform lists", Claims: []int{6, 7},
	OwnAdds: "Parallel Merge Find on uncompressed lists, with up to four levels of recursion",
	Paper:   paper.Values{}.Put(perElement, "2 levels", "least", 4).Put(uneven, "3 levels", "200K", 4).Put(uneven, "3 levels", "12800K", 15),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for _, n := range equal(e) {
			s := pair(n, n)
			a, b := s.Lists[0], s.Lists[1]
			for _, w := range []struct {
				name string
				run  func(a, b []uint32) int
			}{{"CPU, merge", merge}, {"CPU, recursive splitting", func(a, b []uint32) int { return split(a, b, 3) }}, {"CPU, direct", direct}} {
				t, err := codecbench.Fastest(e.Time/8, func() error { w.run(a, b); return nil })
				if err != nil || ctx.Err() != nil {
					return nil, err
				}
				rows = append(rows, paper.Row{Metric: perElement, Series: w.name, At: name(n), X: float64(n), Value: t.Seconds() / float64(n) * 1e9, Unit: "ns"})
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) (out []paper.Verdict) {
		flat, ok := t.Get(perElement, "direct", "least")
		two, _ := t.Get(perElement, "2 levels", "least")
		three, _ := t.Get(perElement, "3 levels", "least")
		best := min(two, three)
		if _, own := t.Get(perElement, "4 levels", "least"); own {
			out = append(out, paper.Judge(6, best < 4 && flat > 1.5*best, best < 4 && flat > best, "on uncompressed lists two or three levels take %s ns an element at best, the direct algorithm %s; the paper's GPU had no cache for the first steps of a search, which all elements share", paper.Num(best), paper.Num(flat)))
		} else if ok {
			out = append(out, paper.Judge(6, best < 4 && flat > 1.5*best, best < 4 && flat > best, "decoding included, two or three levels take %s ns an element at best, the direct algorithm %s", paper.Num(best), paper.Num(flat)))
		}
		if of := t.Of(uneven, "3 levels"); len(of) > 1 {
			first, last := of[0], of[len(of)-1]
			rise := last.Value / first.Value
			out = append(out, paper.Judge(7, rise >= 1+0.7*(15./4-1) && last.Value <= 15, rise > 1 && last.Value <= 15, "from %s to %s docIDs the cost goes from %s to %s ns, %s times, the paper's 3.75", first.At, last.At, paper.Num(first.Value), paper.Num(last.Value), paper.Num(rise)))
		}
		return out
	},
	Plot: paper.Plot{X: chart.Axis{Label: "docIDs of the longer list", Log: true}, LogY: true},
	Notes: []string{"without the paper's own kernels, as in runs before 2026-11-26, the engine decoded the GPU's lists first, the copies of a batch with one query are included, and there are no four levels; with them lists are raw, a level is a launch, and splitters are a factor of 16 apart, which the paper does not say",
		"the engine's ranked queries search the skip headers of the longer lists for blocks"},
}

// equal are the lengths of two equal lists.
func equal(e *paper.Env) (out []int) {
	for _, n := range []int{5_000, 50_000, 500_000, 4_000_000, 16_000_000} {
		if float64(n) <= 64e6*e.Scale {
			out = append(out, n)
		}
	}
	return out
}

func name(n int) string { return fmt.Sprintf("%dK", n/1000) }

// pair makes two uniform lists, the longer one with two thirds of all documents.
func pair(a, b int) *corpus.Set {
	docs := 3 * max(a, b) / 2
	return corpus.Of(fmt.Sprint("pair ", a, " ", b), docs, [][]uint32{synthetic.Uniform(1, a, docs), synthetic.Uniform(2, b, docs)})
}

// merge counts common docIDs by advancing in both lists.
func merge(a, b []uint32) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		if x == y {
			n++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return n
}

// direct searches for each docID of a in all of b.
func direct(a, b []uint32) (n int) {
	for _, x := range a {
		if i := firstFrom(b, x); i < len(b) && b[i] == x {
			n++
		}
	}
	return n
}

// firstFrom returns the index of the first docID at or after x.
func firstFrom(b []uint32, x uint32) int {
	lo, hi := 0, len(b)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); b[m] < x {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// split divides both lists at 32 splitters of a, recursively, before it searches: Parallel
// Merge Find on one core.
func split(a, b []uint32, level int) (n int) {
	if level == 0 || len(a) < 64 {
		return direct(a, b)
	}
	step := (len(a) + 31) / 32
	for len(a) > 0 {
		k := min(step, len(a))
		to := len(b)
		if k < len(a) {
			to = firstFrom(b, a[k])
		}
		n += split(a[:k], b[:to], level-1)
		a, b = a[k:], b[to:]
	}
	return n
}
