package hybrid

import (
	"math"
	"sync"
	"time"
)

// balance divides groups of queries between the processors so that both finish at the same
// time. It needs no trials: what a part of the last groups took over what it was predicted
// to take says how to divide the next.
type balance struct {
	mu     sync.Mutex
	sides  [2]side // CPU, GPU
	proven int     // queries that the GPU may be given in a group; 0: unproven
	last   float64 // threshold of the last group, log2 of the ratio
}

// side is what is known of a processor.
type side struct {
	known bool
	pace  float64 // log2 of the time that its part of a group takes over the predicted time
	took  time.Duration
	ended time.Duration // the last part, or when one was given as a probe
}

const (
	// Queries are sorted into bins by log2 of their ratio, four to an octave from -16 on.
	bins, perOctave, lowest = 128, 4, -16
	// A processor without a part gets one query, a probe, after probeRest times the time
	// of its last part.
	probeRest = 32
	// unproven is the size of the first part of the GPU; each one that it answers allows
	// provenGrowth times as many. The first groups are small too, since the cores
	// answer the rest: firstGroup, later twice what the GPU may be given.
	unproven, provenGrowth = 32, 4
	firstGroup             = 256
)

// weights are the predicted costs of a group by bin, in nanoseconds.
type weights struct {
	cpu, gpu [bins]float64
	n        [bins]int
	pinned   float64 // of the CPU, for queries that the GPU cannot answer
}

func (w *weights) add(o *weights) {
	for i := range w.n {
		w.cpu[i] += o.cpu[i]
		w.gpu[i] += o.gpu[i]
		w.n[i] += o.n[i]
	}
	w.pinned += o.pinned
}

// binOf returns the bin of a query on a machine with the given number of cores.
func binOf(c Cost, workers float64) uint8 {
	saved := float64(max(c.CPU-c.Host, c.CPU/64, 1)) / workers
	return uint8(min(max((log2(saved/float64(max(c.GPU, 1)))-lowest)*perOctave, 0), bins-1))
}

// cut says which queries of a group the GPU gets: those above a bin, and of the bin as many
// as part says.
type cut struct {
	bin     int
	part    float64 // 0 to 1, of the queries in the bin
	surplus float64 // rounds part: of the queries of a bin the slower processor gets no more than that
}

// size returns how many queries to divide at a time.
func (b *balance) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(firstGroup, 2*b.proven)
}

// divide returns the cut of a group at a time when so many groups are answered by so many
// cores.
func (b *balance) divide(w *weights, now time.Duration, calls, workers int) cut {
	b.mu.Lock()
	defer b.mu.Unlock()
	perCPU, perGPU := math.Exp2(b.sides[0].pace), math.Exp2(b.sides[1].pace)
	if !b.sides[0].known {
		perCPU = min(float64(calls)/float64(workers), 1)
	}
	if !b.sides[1].known {
		perGPU = float64(calls) // each waits for the others
	}
	cpu, gpu, taken, count := w.pinned, 0.0, 0, 0
	for i := range w.n {
		cpu += w.cpu[i]
		count += w.n[i]
	}
	most := count
	if limit := max(b.proven, unproven); limit < most {
		most = limit
	}
	c := cut{bin: -1}
	for i := bins - 1; i >= 0; i-- {
		if w.n[i] == 0 {
			continue
		}
		more, less := perGPU*w.gpu[i], perCPU*w.cpu[i]
		part := min(max((perCPU*cpu-perGPU*gpu)/(more+less), 0), 1)
		part = min(part, float64(most-taken)/float64(w.n[i]))
		if part < 1 {
			c = cut{bin: i, part: part}
			if more < less && taken+int(part*float64(w.n[i])) < most {
				c.surplus = 0.999
			}
			break
		}
		taken += w.n[i]
		cpu -= w.cpu[i]
		gpu += w.gpu[i]
	}
	b.probe(&c, w, taken, count, now)
	b.last = (float64(c.bin)+1-c.part)/perOctave + lowest
	return c
}

// probe gives a processor that would get nothing one query, if it is time.
func (b *balance) probe(c *cut, w *weights, taken, count int, now time.Duration) {
	if c.bin >= 0 {
		taken += c.of(w.n[c.bin])
	}
	due := func(s *side) bool {
		if now-s.ended < probeRest*s.took {
			return false
		}
		s.ended = now
		return true
	}
	switch {
	case count == 0:
	case taken == 0 && due(&b.sides[1]):
		*c = cut{bin: c.bin, part: 1.0001 / float64(w.n[c.bin])} // the highest bin in use
	case taken == count && w.pinned == 0 && due(&b.sides[0]):
		low := 0
		for w.n[low] == 0 {
			low++
		}
		*c = cut{bin: low, part: 1 - 0.9999/float64(w.n[low])}
	}
}

// of returns how many of n queries of the bin the GPU gets.
func (c *cut) of(n int) int { return int(float64(n)*c.part + c.surplus) }

// learn records what the parts of a group took: predicted and measured, CPU and GPU; 0 is no
// part. calls is how many groups are answered at a time, each of which learns.
func (b *balance) learn(predicted [2]float64, took [2]time.Duration, queries, calls int, now time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	weight := 0.5 / max(1, float64(calls)/4)
	for i := range b.sides {
		s := &b.sides[i]
		if took[i] <= 0 || predicted[i] <= 0 {
			continue
		}
		pace := math.Log2(float64(took[i]) / predicted[i])
		if !s.known {
			s.known, s.pace = true, pace
		}
		s.pace += weight * (pace - s.pace)
		s.took, s.ended = took[i], now
	}
	if queries > 0 {
		b.proven = min(provenGrowth*max(b.proven, unproven), 1<<20)
	}
}

// report sets what Stats says of groups.
func (b *balance) report(s *Stats) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Threshold, s.CPU.Pace, s.GPU.Pace = b.last, math.Exp2(b.sides[0].pace), math.Exp2(b.sides[1].pace)
}
