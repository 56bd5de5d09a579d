package hybrid

import (
	"math"
	"time"
)

// observe records how many goroutines work for the GPU.
func (s *stock) observe(host int, now time.Duration) {
	s.hosted += float64(now-s.demand.seen) * float64(max(min(host, s.workers-s.active), 0))
	s.demand.observe(min(host, s.workers), now)
	s.usage.answer(s.active, now)
}

// usage is what the process takes of the cores beside the goroutines that answer on the CPU:
// callers, all that serves the GPU, the collector. Cores that answer while these want them
// slow the GPU down by more than they add.
type usage struct {
	cores  int           // of the process
	others float64       // of these
	cpu    time.Duration // of the process, when it was read
	read   time.Duration // 0: never
	seen   time.Duration
	core   float64 // core time of answering since
}

const (
	// usageEach is how often the CPU time of the process is read, usageTime over what time
	// the cores that others take are averaged. A time over usageGap tells nothing.
	usageEach, usageTime, usageGap = 2 * time.Millisecond, 6 * time.Millisecond, 20 * time.Millisecond
	// One of spareShare cores is left to them beside what they take, 1 at least, or they could
	// not take more; but no more than they take.
	spareShare = 8
)

// answer notes that so many goroutines have answered on the CPU since the last time.
func (u *usage) answer(active int, now time.Duration) {
	u.core += float64(now-u.seen) * float64(active)
	u.seen = now
}

// due reports whether the CPU time should be read.
func (u *usage) due(now time.Duration) bool { return now-u.read >= usageEach }

// observe takes the CPU time of the process, 0 if that is unknown, and its cores.
func (u *usage) observe(cpu time.Duration, cores int, now time.Duration) {
	passed := now - u.read
	switch {
	case cpu == 0:
		u.others = 0
	case u.read > 0 && passed < usageGap:
		others := max(float64(cpu-u.cpu)-u.core, 0) / float64(passed)
		u.others += min(float64(passed)/float64(usageTime), 1) * (others - u.others)
	}
	u.cpu, u.cores, u.read, u.core = cpu, cores, now, 0
}

// left returns how many cores can answer; below 1 if others take all.
func (u *usage) left() int {
	if u.others == 0 {
		return math.MaxInt
	}
	spare := float64(max(u.cores/spareShare, 1)) + 0.5
	return u.cores - int(u.others+min(u.others, spare)+0.5)
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

// addsBatches is the number of batches over which the CPU's possible share is averaged.
const addsBatches = 16

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

// A batch that ends less than 1/abreast of its time after another does not tell what a query costs: the device worked
// on both.
const abreast = 16

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
	alone := float64(now - max(s.ended, b.begun))
	if s.each == 0 {
		if s.small[1] > 0 && s.small[1] != n {
			s.slope = max((alone-s.small[0])/(n-s.small[1]), 0)
		}
		s.small = [2]float64{alone, n}
	}
	least := smallBatch
	if s.single == 1 { // with less the rate may be that of arrivals
		least = s.batch
	}
	if s.mode == Parallel && !b.trial && len(s.flying) > 0 && s.open() >= least {
		s.contest[s.single].batch(float64(now-s.ended), n+s.since, s.since, s.hurries(now))
	} else {
		s.contest[s.single].interrupt()
	}
	s.since = 0
	if s.proven > unproven && b.n >= s.telling() && abreast*alone >= took {
		if b.trial { // what made the GPU seem slow tells nothing about this one
			s.recent = [3]float64{}
		}
		for i, v := range [...]float64{alone, n, s.hosted} {
			s.recent[i] += v - s.recent[i]/4
		}
		s.each = s.recent[0] / s.recent[1]
		s.host = s.recent[2] / s.recent[1]
		if s.off {
			s.mean = s.core
		}
		s.off = s.mode != OnlyGPU && s.mean > 0 && s.host > s.mean*(1-worth) && (s.off || s.host > s.mean)
	}
	if s.adds == 0 {
		s.adds = s.mayAdd()
	}
	s.adds += (s.mayAdd() - s.adds) / addsBatches
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
	s.since += n
	s.known = min(s.known+n, 256)
	weight := n / s.known
	s.core += weight * (float64(took)/n - s.core)
	if e.predicted > 0 {
		s.pace *= math.Exp2(min(weight, 0.5) * math.Log2(max(float64(took), 1)/e.predicted/s.pace))
	}
}
