package griffin

import (
	"cmp"
	"container/heap"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/gpubench"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const selectTime = "time to select 10"

var selectFrom = []int{100, 1_000, 10_000, 100_000, 1_000_000}

var figure7 = paper.Experiment{
	Name: "griffin-fig7", Number: "Figure 7", Title: "Selection of the best results",
	Data: "random scores, as many as there are results", Claims: []int{1},
	OwnAdds: "bucketSelect and radixSort by themselves",
	CPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		rng := rand.New(rand.NewPCG(7, 7))
		for _, n := range selectFrom {
			scores := make([]float32, n)
			for i := range scores {
				scores[i] = rng.Float32()
			}
			for _, w := range []struct {
				name string
				run  func([]float32)
			}{{"CPU partial sort", partial}, {"CPU sort", sorted}} {
				t, err := codecbench.Fastest(e.Time/4, func() error { w.run(scores); return nil })
				if err != nil {
					return nil, err
				}
				rows = append(rows, paper.Row{Metric: selectTime, Series: w.name, At: lengthOf(n), X: float64(n), Value: t.Seconds() * 1e6, Unit: "us"})
			}
		}
		return rows, nil
	},
	GPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		x, err := codecbench.Encode(bp128.Codec{}, codecbench.Docs, []format.Postings{{Docs: synthetic.Uniform(1, 128, 1000)}})
		if err != nil {
			return nil, err
		}
		b := &gpubench.Bench{Device: e.Device, Log: e.Log, Small: e.Small}
		t, err := b.DecodeTime(bp128.Codec{}, x.Seqs, false)
		for _, n := range selectFrom {
			rows = append(rows, paper.Row{Metric: selectTime, Series: "a launch and its wait", At: lengthOf(n), X: float64(n), Value: t.Call * 1e6, Unit: "us"})
		}
		return rows, err
	},
	Judge: func(t paper.Table) []paper.Verdict {
		launch, ok := t.Get(selectTime, "a launch and its wait", "1K")
		cpu, okCPU := t.Get(selectTime, "CPU partial sort", "1K")
		more, _ := t.Get(selectTime, "CPU partial sort", "100K")
		radix, own := t.Get(selectTime, "GPU radixSort", "1K")
		if bucket, _ := t.Get(selectTime, "GPU bucketSelect", "1K"); own && okCPU {
			far, _ := t.Get(selectTime, "GPU bucketSelect", "100K")
			wide, _ := t.Get(selectTime, "GPU bucketSelect", "1M")
			core, _ := t.Get(selectTime, "CPU partial sort", "1M")
			return []paper.Verdict{paper.Judge(1, cpu < min(radix, bucket) && more < far, cpu < min(radix, bucket), "of 1,000 results the CPU selects in %s us, bucketSelect in %s, radixSort in %s; of 100,000 the CPU in %s us, bucketSelect in %s; of a million the GPU is ahead, %s to %s",
				paper.Num(cpu), paper.Num(bucket), paper.Num(radix), paper.Num(more), paper.Num(far), paper.Num(wide), paper.Num(core))}
		}
		if !ok || !okCPU {
			return nil
		}
		return []paper.Verdict{paper.Judge(1, cpu < launch, more < 2*launch, "1,000 results take %s us on the CPU, 100,000 take %s, one launch and its wait %s", paper.Num(cpu), paper.Num(more), paper.Num(launch))}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "results", Log: true}, LogY: true},
	Notes: []string{"a launch and its wait is the least that a selection on the GPU takes; the times of selections there end with the result in host memory",
		"the engine selects on the device, by radix as bucketSelect does; a query that goes step by step is ranked on the CPU, by a partial sort as in the paper, up to 65,536 candidates"},
}

func lengthOf(n int) string {
	if n < 1000 {
		return "100"
	}
	return lengthName(n)
}

// best is a heap whose root is the worst of the best scores.
type best []float32

func (b best) Len() int           { return len(b) }
func (b best) Less(i, j int) bool { return b[i] < b[j] }
func (b best) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *best) Push(x any)        { *b = append(*b, x.(float32)) }
func (b *best) Pop() any          { old := *b; x := old[len(old)-1]; *b = old[:len(old)-1]; return x }

// partial is std::partial_sort: a heap of the ten best, sorted in the end.
func partial(scores []float32) {
	b := best(slices.Clone(scores[:10]))
	heap.Init(&b)
	for _, s := range scores[10:] {
		if s > b[0] {
			b[0] = s
			heap.Fix(&b, 0)
		}
	}
	slices.Sort(b)
}

func sorted(scores []float32) {
	all := slices.Clone(scores)
	slices.SortFunc(all, func(a, b float32) int { return cmp.Compare(b, a) })
}
