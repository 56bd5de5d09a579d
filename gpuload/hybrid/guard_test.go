package hybrid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// answeredBy simulates a saturated machine and returns when half and when most of the
// queries were answered: 97 in 100, as the last ones are on one processor while the other
// has nothing to do.
func answeredBy(t interface{ Fatal(...any) }, records []Record, s Simulation, mode Mode) (half, most time.Duration, o *Outcome) {
	s.Options.Mode = mode
	if err := s.Options.check(); err != nil {
		t.Fatal(err)
	}
	s.Options.setDefaults()
	w := newWorld(records, s)
	w.run()
	ends := make([]time.Duration, len(w.took))
	for i := range ends {
		ends[i] = w.arrivals[i] + w.took[i]
	}
	slices.Sort(ends)
	return ends[len(ends)/2], ends[len(ends)*97/100], w.outcome()
}

// uneven is a machine on which one query takes the cores 20 us / workers, the GPU ratio
// times that, each query within a factor of spread of it, and what the model predicts is
// wrong by factors of its own.
type uneven struct {
	ratio, spread  float64
	host           float64 // of the cores' time for a query, if the GPU answers it
	crowd          float64
	wrong          [3]float64
	workers, batch int
	seed           uint64
}

func newUneven(seed uint64) uneven {
	rng := rand.New(rand.NewPCG(seed, 2))
	log := func(lo, hi float64) float64 {
		return math.Exp(math.Log(lo) + rng.Float64()*(math.Log(hi)-math.Log(lo)))
	}
	u := uneven{ratio: log(1e-3, 1e3), spread: log(1, 16), host: log(1e-3, 10), crowd: 1 + 1.5*rng.Float64(),
		workers: 1 + rng.IntN(8), batch: 64 + rng.IntN(4033), seed: seed}
	if rng.IntN(2) == 0 { // the device runs on the cores
		u.host = max(u.host, u.ratio)
	}
	for i := range u.wrong {
		u.wrong[i] = log(1.0/8, 8)
	}
	return u
}

// records scales the costs so that the better processor alone needs about a second.
func (u uneven) records(n int) []Record {
	rng := rand.New(rand.NewPCG(u.seed, 1))
	records := make([]Record, n)
	gpu := max(u.ratio, u.host)
	scale := float64(time.Second) / float64(n) / min(1, gpu)
	vary := func(mean, spread float64) float64 { return mean * math.Exp((rng.Float64()*2-1)*math.Log(spread)) }
	const own = 1.7 // so far a query's times lie from what its size says
	for i := range records {
		size := vary(1, u.spread)
		c := Cost{CPU: time.Duration(size * vary(scale*float64(u.workers), own)), GPU: time.Duration(size * vary(scale*u.ratio, own)), Host: time.Duration(size * vary(scale*u.host*float64(u.workers), own))}
		p := Cost{CPU: time.Duration(float64(c.CPU) * u.wrong[0]), GPU: time.Duration(float64(c.GPU) * u.wrong[1]), Host: time.Duration(float64(c.Host) * u.wrong[2])}
		records[i] = Record{Cost: c, Predicted: p}
	}
	return records
}

// TestNeverBelow simulates machines of all kinds under saturation. Once the guard has
// learned, both processors answer at least 0.95 of what the better one does alone, and
// learning takes a bounded time.
func TestNeverBelow(t *testing.T) {
	machines := uint64(24)
	if testing.Short() {
		machines = 6
	}
	for seed := range machines {
		neverBelow(t, newUneven(seed))
	}
}

func neverBelow(t *testing.T, u uneven) {
	const n = 100000
	s := Simulation{Options: Options{Model: crowded(u.crowd), Batch: u.batch}, Workers: u.workers, Queries: n, Backlog: 1024}
	records := u.records(n)
	cpuHalf, cpuMost, _ := answeredBy(t, records, s, OnlyCPU)
	gpuHalf, gpuMost, _ := answeredBy(t, records, s, OnlyGPU)
	half, most, o := answeredBy(t, records, s, Parallel)
	better := min(cpuMost, gpuMost)
	if share := float64(min(cpuMost-cpuHalf, gpuMost-gpuHalf)) / float64(most-half); share < 0.95 {
		t.Errorf("%.3f of the better processor: %+v; %v to %v, cpu %v to %v, gpu %v to %v, %+v", share, u, half, most, cpuHalf, cpuMost, gpuHalf, gpuMost, o.Stats)
	} else {
		t.Logf("%.3f", share)
	}
	if lost := most - better; float64(lost) > 0.05*float64(better)+float64(400*time.Millisecond) {
		t.Errorf("learning lost %v of %v: %+v, %+v", lost, better, u, o.Stats)
	}
}

// crowded returns a model of a machine whose cores take each other's time.
func crowded(by float64) *Model {
	m := *DefaultModel()
	m.Crowd = by
	return &m
}
