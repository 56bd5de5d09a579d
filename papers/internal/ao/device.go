package ao

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// onGPU is a way to intersect on the device.
type onGPU struct {
	name, codec string
	how         gpu.Strategy
}

// plain are the ways whose search the paper runs on uncompressed lists. Here lists are in
// bp128, and the search is in the skip header; no presence words stand before it.
var plain = []onGPU{
	{"BS", "bp128", gpu.ProbeSkip}, {"LR", "bp128", gpu.ProbeRegression}, {"HS256", "bp128", gpu.ProbeHash},
}

// direct is a way that the engine had in runs before 2026-11-26, and none of the paper's figures.
const direct = "direct, lists decoded first"

// compressed are the methods of table 7.
var compressed = []onGPU{
	{"ParaPFD", "parapfor", gpu.ProbeSkip}, {"LRC", "lrc", gpu.Element}, {"LRCSeg", "lrcseg", gpu.Element}, {"SegLRC", "seglrc", gpu.Element},
	{"HS256_LRC", "hslrc", gpu.Element},
}

// batch returns queries whose first lists have at least c docIDs together, over and over
// if the log has too few.
func batch(s *corpus.Set, c int) (out [][]int) {
	for sum, i := 0, 0; sum < c; i++ {
		q := s.Queries[i%len(s.Queries)]
		out, sum = append(out, q), sum+len(s.Lists[q[0]])
	}
	return out
}

// rate is what a batch took.
type rate struct {
	queries int
	seconds float64
}

func (r rate) perSecond() float64 { return float64(r.queries) / r.seconds }

// measure runs batches of queries for each of ways and thresholds on a collection. It makes
// an index for each codec and removes it.
func measure(ctx context.Context, e *paper.Env, set string, ways []onGPU, cs []int) (out []point, err error) {
	s, err := batchSet(e, set)
	if err != nil {
		return nil, err
	}
	var x *paper.Index
	drop := func() error {
		if x == nil {
			return nil
		}
		return e.Drop(x)
	}
	for i, w := range ways {
		if i == 0 || ways[i-1].codec != w.codec {
			if err := drop(); err != nil {
				return nil, err
			}
			if x, err = e.Index(ctx, s, w.codec); err != nil {
				return nil, err
			}
		}
		g, err := e.Executor(x, gpu.Options{NoPresence: true, Memory: 4 << 30, Threshold: 64 << 20})
		if err != nil {
			return nil, err
		}
		for _, c := range cs {
			if e.Small {
				c = min(c, 2000)
			}
			qs := batch(s, c)
			t, err := e.Conjunctions(ctx, x, g, qs, w.how, 9)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", w.name, set, err)
			}
			out = append(out, point{w.name, c, rate{len(qs), t}})
		}
	}
	return out, drop()
}

// large is a threshold beside 1 M: the difference of two batches has no launches and no
// waiting.
const large = 4 << 20

// tablePoint is a batch at c = 1 M, and what a query takes more in a batch at large.
type tablePoint struct {
	point
	more float64 // seconds
}

// tables measures all ways on the collections of tables 3 and 7, once for both.
func tables(ctx context.Context, e *paper.Env) (map[string][]tablePoint, error) {
	return paper.Once(e, "ao tables", func() (map[string][]tablePoint, error) {
		out := map[string][]tablePoint{}
		for _, name := range five {
			points, err := measure(ctx, e, name, append(plain[:3:3], compressed...), []int{1 << 20, large})
			if err != nil {
				return nil, err
			}
			for i := 0; i+1 < len(points); i += 2 {
				a, b := points[i], points[i+1]
				out[name] = append(out[name], tablePoint{a, (b.seconds - a.seconds) / float64(b.queries-a.queries)})
			}
		}
		return out, nil
	})
}

// thresholds are the values of c in figures 5, 6 and 9.
var thresholds = []int{8 << 10, 32 << 10, 128 << 10, 512 << 10, 1 << 20, 2 << 20}

func thresholdName(c int) string {
	if c >= 1<<20 {
		return fmt.Sprintf("%dM", c>>20)
	}
	return fmt.Sprintf("%dK", c>>10)
}

// point is a batch of figures 5, 6 and 9.
type point struct {
	way string
	c   int
	rate
}

// sweep measures the plain ways on GOV at all thresholds, once for the figures that show
// it.
func sweep(ctx context.Context, e *paper.Env) ([]point, error) {
	return paper.Once(e, "ao sweep", func() ([]point, error) {
		return measure(ctx, e, "GOV", append(plain[:len(plain):len(plain)], compressed[4]), thresholds)
	})
}

// skipList returns the queries that one core answers in a second over uncompressed lists
// with skips: the paper's baseline.
func skipList(e *paper.Env, s *corpus.Set) float64 {
	lists := map[int]*skipping{}
	for _, q := range s.Queries {
		for _, i := range q {
			if lists[i] == nil {
				lists[i] = newSkipping(s.Lists[i])
			}
		}
	}
	var have []uint32
	n, start := 0, time.Now()
	for time.Since(start) < 4*e.Time || n == 0 {
		for _, q := range s.Queries {
			have = append(have[:0], s.Lists[q[0]]...)
			for _, i := range q[1:] {
				if have = lists[i].keep(have); len(have) == 0 {
					break
				}
			}
			n++
		}
	}
	return float64(n) / time.Since(start).Seconds()
}
