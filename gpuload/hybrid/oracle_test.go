package hybrid

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestOracle compares the bound with the best of all divisions of few queries, of which one
// may be divided.
func TestOracle(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		const fixed, batch = 80 * time.Microsecond, 16
		workers := 1 + rng.IntN(16)
		records := make([]Record, 1+rng.IntN(7))
		gpu := math.Exp2(6*rng.Float64() - 4)
		for i := range records {
			cost := func(scale float64) time.Duration { return time.Duration(1e5 * scale * rng.Float64()) }
			records[i] = Record{Cost: Cost{CPU: cost(1), GPU: cost(gpu), Host: cost(0.5)}, Pinned: rng.IntN(6) == 0}
		}
		all, best := 0.0, math.Inf(1)
		for _, r := range records {
			all += float64(r.Cost.CPU) / float64(workers)
		}
		for set := range 1 << len(records) {
			core, device, ok := 0.0, 0.0, true
			for i, r := range records {
				if set>>i&1 != 0 {
					ok = ok && !r.Pinned
					core += float64(r.Cost.Host) / float64(workers)
					device += float64(r.Cost.GPU) + float64(fixed)/batch
				} else {
					core += float64(r.Cost.CPU) / float64(workers)
				}
			}
			if !ok {
				continue
			}
			best = min(best, max(core, device))
			for i, r := range records { // a share of query i on the CPU instead
				if set>>i&1 != 0 {
					more, less := float64(r.Cost.CPU-r.Cost.Host)/float64(workers), float64(r.Cost.GPU)+float64(fixed)/batch
					share := min(max((device-core)/(more+less), 0), 1)
					best = min(best, max(core+share*more, device-share*less))
				}
			}
		}
		best = min(best, all)
		got := Oracle(records, workers, batch, fixed)
		if math.Abs(float64(got.Oracle)-best) > 2 || math.Abs(float64(got.CPU)-all) > 2 {
			t.Fatalf("seed %d: %+v, want %v, all on the CPU %v", seed, got, time.Duration(best), time.Duration(all))
		}
	}
}
