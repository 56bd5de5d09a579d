package hybrid

import (
	"math"
	"time"
)

// observe records how many goroutines work for the GPU.
func (s *stock) observe(host int, now time.Duration) {
	s.hosts = host
	s.hosted += float64(now-s.demand.seen) * float64(max(min(host, s.workers-s.active), 0))
	s.demand.observe(min(host, s.workers), now)
}

// demand is how many cores work for the GPU. That comes in bursts, so the average over
// demandTime counts. Goroutines that wait for a core count too: the more the CPU's queries
// are in their way, the fewer cores these get.
type demand struct {
	cores float64
	seen  time.Duration
}

// demandTime is the time over which a demand is averaged.
const demandTime = 2 * time.Millisecond

func (d *demand) observe(host int, now time.Duration) {
	passed := float64(now - d.seen)
	d.seen = now
	d.cores += passed / (passed + float64(demandTime)) * (float64(host) - d.cores)
}

// mayFly returns how many batches the GPU may work on: few until it is known what they take, or
// while few queries wait, of which one batch is soon made.
func (s *stock) mayFly() int {
	switch {
	case s.proven <= unproven:
		return 1
	case s.each == 0 && s.proven <= 16*wholeBatch && s.mode != OnlyGPU || s.fresh+s.weighed < worthQueries:
		return min(2, s.lanes)
	}
	return s.lanes
}

// telling is the least size of a batch that tells what a query costs: what a smaller one takes,
// it takes whatever is in it, and the first ones load lists.
func (s *stock) telling() int { return min(smallBatch, s.batch) }

// finishGPU records the end of a batch.
func (s *stock) finishGPU(b *bulkBatch, answered bool, now time.Duration) {
	for i, f := range s.flying {
		if f == b {
			s.flying = append(s.flying[:i], s.flying[i+1:]...)
			break
		}
	}
	took, n := float64(now-b.begun), float64(b.n)
	if s.proven > 0 { // the first loads kernels
		s.base = min(took, s.base+(took-s.base)/8)
	}
	if alone := float64(now - max(s.ended, b.begun)); s.each == 0 {
		if s.small[1] > 0 && s.small[1] != n {
			s.slope = max((alone-s.small[0])/(n-s.small[1]), 0)
		}
		s.small = [2]float64{alone, n}
	}
	if s.proven > unproven && b.n >= s.telling() {
		if b.trial { // what made the GPU seem slow tells nothing about this one
			s.recent = [3]float64{}
		}
		for i, v := range [...]float64{float64(now - max(s.ended, b.begun)), n, s.hosted} {
			s.recent[i] += v - s.recent[i]/4
		}
		s.each = s.recent[0] / s.recent[1]
		s.host = s.recent[2] / s.recent[1]
		if s.off {
			s.mean = s.core
		}
		s.off = s.mode != OnlyGPU && s.mean > 0 && s.host > s.mean*(1-worth) && (s.off || s.host > s.mean)
	}
	s.hosted = 0
	s.count(1, n)
	if b.trial {
		s.trials++
	} else if !s.off {
		s.trials = 0
	}
	s.ended, s.rested = now, now+(now-b.begun)<<min(s.trials, mostTrials)
	if answered {
		s.proven = min(max(provenGrowth*s.proven, unproven), 1<<20)
	}
}

// spend adds core time for weighing or answering. The older counts for less.
func (s *stock) spend(what int, took time.Duration) {
	s.spent[what] += float64(took)
	if s.spent[0]+s.spent[1] > float64(s.workers)*float64(10*time.Millisecond) {
		s.spent[0] /= 2
		s.spent[1] /= 2
	}
}

// count adds queries that a processor has answered.
func (s *stock) count(by int, n float64) {
	if s.taken[by] += n; s.taken[0]+s.taken[1] > 1<<14 {
		s.taken[0] /= 2
		s.taken[1] /= 2
	}
}

// finishCPU records that a core has answered the queries of an errand.
func (s *stock) finishCPU(e *errand, took time.Duration) {
	n := float64(len(e.at))
	s.spend(1, took)
	s.count(0, n)
	s.known = min(s.known+n, 256)
	weight := n / s.known
	s.core += weight * (float64(took)/n - s.core)
	if e.predicted > 0 {
		s.pace *= math.Exp2(min(weight, 0.5) * math.Log2(max(float64(took), 1)/e.predicted/s.pace))
	}
}
