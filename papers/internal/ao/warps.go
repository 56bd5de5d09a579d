package ao

import (
	"context"

	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// The work of the search kernels of papers/kernels/search.cu is counted here, for a warp of 32
// neighboring docIDs of a first list: instructions, from the code for sm_90, and sectors of 32
// bytes that its loads touch. A warp takes as many steps of a search as the slowest of its
// docIDs that are not yet ruled out.
const (
	issued, sectors, distinct = "instructions of a warp", "sectors that a warp's loads touch", "distinct sectors of a warp"

	perTile = 87 // prologue and epilogue
	perStep = 9  // of a search by halves, with one load
)

// warpWay counts one way of searching. lookup returns the range that is searched by halves and
// the words that are read before.
type warpWay struct {
	name   string
	fixed  int // instructions for a list beside the steps
	lookup func(h *hash, n int, x uint32) (lo, hi int, beside []int)
	mean   int // of a bucket, 0: no buckets
}

// warpWays are counted in figure 5. Words beside the list have negative positions.
var warpWays = []warpWay{
	{"BS", 26, func(_ *hash, n int, _ uint32) (int, int, []int) { return 0, n, nil }, 0},
	{"HS16", 33, bucketOf, 16}, {"HS32", 33, bucketOf, 32}, {"HS256", 33, bucketOf, 256},
}

func bucketOf(h *hash, _ int, x uint32) (lo, hi int, beside []int) {
	b := int(x >> h.shift)
	if b+1 >= len(h.offsets) {
		return 0, 0, nil
	}
	return int(h.offsets[b]), int(h.offsets[b+1]), []int{-1 - b, -2 - b}
}

// warpWork is what the warps of some queries do.
type warpWork struct{ warps, instructions, sectors, distinct float64 }

// countWarps counts the work of each way in the queries of the log.
func countWarps(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	s, err := e.Set("GOV")
	if err != nil {
		return nil, err
	}
	of := map[string]warpWork{}
	for _, w := range warpWays {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := w.count(s, 16)
		of[w.name] = t
		row := func(metric string, v float64) {
			rows = append(rows, paper.Row{Metric: metric, Series: w.name, At: "all lists", X: 1 << 20, Value: v / t.warps})
		}
		row(issued, t.instructions)
		row(sectors, t.sectors)
		row(distinct, t.distinct)
	}
	bs, hs := of["BS"], of["HS16"]
	for i, v := range []float64{bs.instructions / hs.instructions, bs.sectors / hs.sectors, bs.distinct / hs.distinct} {
		rows = append(rows, paper.Row{Metric: "BS over HS16", Series: []string{issued, sectors, distinct}[i], At: "all lists", X: 1 << 20, Value: v, Unit: "times"})
	}
	return rows, nil
}

// count counts every step-th query.
func (w warpWay) count(s *corpus.Set, step int) (t warpWork) {
	hashes := map[int]*hash{}
	for i := 0; i < len(s.Queries); i += step {
		q := s.Queries[i]
		first := s.Lists[q[0]]
		for at := 0; at < len(first); at += 32 {
			alive := append([]uint32(nil), first[at:min(at+32, len(first))]...)
			t.warps++
			t.instructions += perTile
			for _, l := range q[1:] {
				if w.mean > 0 && hashes[l] == nil {
					hashes[l] = newHash(s.Lists[l], w.mean)
				}
				if alive = w.list(&t, s.Lists[l], hashes[l], alive); len(alive) == 0 {
					break
				}
			}
		}
	}
	return t
}

// list counts the search of a warp's docIDs in a list and returns those that it has.
func (w warpWay) list(t *warpWork, docs []uint32, h *hash, alive []uint32) (found []uint32) {
	seen := map[int]bool{} // sectors, of all loads
	load := func(words []int) {
		now := map[int]bool{}
		for _, x := range words {
			now[x>>3], seen[x>>3] = true, true
		}
		t.sectors += float64(len(now))
	}
	lo, hi, beside := make([]int, len(alive)), make([]int, len(alive)), [2][]int{}
	for i, x := range alive {
		var words []int
		lo[i], hi[i], words = w.lookup(h, len(docs), x)
		for j, v := range words {
			beside[j] = append(beside[j], v)
		}
	}
	load(beside[0])
	load(beside[1])
	end := append([]int(nil), hi...)
	steps := 0
	for {
		var words []int
		for i, x := range alive {
			if lo[i] >= hi[i] {
				continue
			}
			m := (lo[i] + hi[i]) >> 1
			words = append(words, m)
			if docs[m] < x {
				lo[i] = m + 1
			} else {
				hi[i] = m
			}
		}
		if len(words) == 0 {
			break
		}
		load(words)
		steps++
	}
	var last []int
	for i, x := range alive {
		if lo[i] < end[i] {
			last = append(last, lo[i])
			if docs[lo[i]] == x {
				found = append(found, x)
			}
		}
	}
	load(last)
	t.instructions += float64(w.fixed + perStep*steps)
	t.distinct += float64(len(seen))
	return found
}
