package ding

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSchedules answers every job once under every rule, one at a time on each processor, and no later than it
// would be if all came first.
func TestSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time := rapid.Float64Range(1e-4, 1e-2)
		costs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cost {
			pair := func() [2]float64 { return [2]float64{time.Draw(t, "cpu"), time.Draw(t, "gpu")} }
			return cost{pair(), pair()}
		}), 1, 8).Draw(t, "costs")
		n := rapid.IntRange(1, 60).Draw(t, "jobs")
		jobs := arrivals(costs, n, rapid.Float64Range(1, 1e5).Draw(t, "rate"))
		sum := 0.0
		for _, j := range jobs {
			sum += max(j.took[theCPU], j.took[theGPU])
		}
		for name, choose := range map[string]func(*machine, int) int{"CPU": alone(theCPU), "GPU": alone(theGPU), "serialized": serialized, "parallel": parallel} {
			answered := 0
			m := machine{deadline: 1e-2, choose: func(m *machine, p int) int {
				if m.until[p] > m.now {
					t.Fatalf("%s: a busy processor is given a job", name)
				}
				if name == "serialized" && max(m.until[0], m.until[1]) > m.now && choose(m, p) >= 0 {
					t.Fatal("two jobs at a time")
				}
				i := choose(m, p)
				if i >= 0 {
					answered++
				}
				return i
			}}
			delays := m.run(slices.Clone(jobs))
			if len(delays) != n || answered != n || len(m.waiting) > 0 {
				t.Fatalf("%s: %d of %d jobs are answered", name, len(delays), n)
			}
			for _, d := range delays {
				if d < 1e-4-1e-9 || d > sum+1e-9 {
					t.Fatalf("%s: a job takes %g s, all of them %g", name, d, sum)
				}
			}
		}
	})
}

// TestParallel gives idle processors the jobs that section 9 does.
func TestParallel(t *testing.T) {
	c := func(cpu, gpu float64) *cost { return &cost{estimate: [2]float64{cpu, gpu}} }
	forCPU, shorter, forGPU, either := c(1, 10), c(0.5, 10), c(10, 1), c(1, 1.5)
	for _, x := range []struct {
		name    string
		now     float64
		waiting []*cost
		p, want int
	}{
		{"the shortest of its own", 0, []*cost{either, forCPU, forGPU, shorter}, theCPU, 3},
		{"the oldest of neither", 0, []*cost{forGPU, either, either}, theCPU, 1},
		{"its own before neither", 0, []*cost{either, forGPU}, theGPU, 1},
		{"none that the other answers sooner", 0, []*cost{forGPU}, theCPU, -1},
		{"one that the other would answer later", 0, []*cost{forGPU, forGPU, forGPU, forGPU, forGPU, forGPU, forGPU, forGPU, forGPU, forGPU, forGPU}, theCPU, 0},
		{"the oldest near its deadline", 60, []*cost{forGPU, either, forCPU, shorter}, theCPU, 1},
		{"nothing", 0, nil, theGPU, -1},
	} {
		m := machine{now: x.now, deadline: 100}
		for _, c := range x.waiting {
			m.waiting = append(m.waiting, job{cost: c})
		}
		if got := parallel(&m, x.p); got != x.want {
			t.Errorf("%s: job %d, not %d", x.name, got, x.want)
		}
	}
}

// TestEstimates estimates times that follow a law of the features, with some noise:
// from a few queries by the features alone, from more by their products too.
func TestEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{20, 400} {
		var of []features
		var took []float64
		for range n {
			f := features{4 + 10*r.Float64(), 14 + 4*r.Float64(), 18 + 4*r.Float64(), float64(2 + r.IntN(4))}
			v := -20 + 0.5*f[0] + 0.2*f[2]
			if n > 2*wholeFrom {
				v += 0.02 * f[0] * f[1]
			}
			of, took = append(of, f), append(took, math.Exp2(v+0.1*r.NormFloat64()))
		}
		got, err := estimates(of, took)
		if err != nil {
			t.Fatal(err)
		}
		if e := meanError(got, took); e > 20 {
			t.Errorf("of %d queries: an error of %.1f %%", n, e)
		}
		constant := slices.Repeat([]float64{mean(took)}, n)
		if e := meanError(constant, took); e < 50 {
			t.Errorf("the mean of %d queries is as good: an error of %.1f %%", n, e)
		}
	}
}
