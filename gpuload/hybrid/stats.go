package hybrid

import "time"

// Stats says what an Executor has done since New, and what waits.
type Stats struct {
	CPU, GPU Share
	Batches  int64 // on the GPU
	Again    int64 // queries that the GPU took and the CPU answered after all: both have counted them
	Missed   int64 // queries answered after their deadline
	Shed     int64 // queries refused with ErrOverload
	Alone    int64 // queries that found the Executor idle and were answered step by step on both processors
	Grouped  int64 // queries that were divided as groups, without the queues
	Waiting  Waiting
	// Threshold divides the queries: log2 of the core time that the GPU saves over its own
	// time, both spread over all cores. After groups it is that of the last one.
	Threshold float64
	// Retired is why the GPU is not used: it is missing, has failed or hangs. nil means that
	// it is in use or, with Opening, may be later.
	Retired error
	// Costs is why Open did not take the Model that idxbench calibrate has kept, such as that it is
	// stale: the built-in one serves. nil if it did, if there is none, or while Opening.
	Costs   error
	Opening bool // the GPU is being opened; the CPU answers
}

// Share is what one processor has done.
type Share struct {
	Queries int64 // taken
	Either  int64 // of these from the queue for both
	Stolen  int64 // of these from the queue of the other processor
	Missed  int64 // answered after their deadline
	// Pace is the time that the processor takes over the time that the Model predicts, both
	// averaged over its last milliseconds of work; after groups, over its parts of them.
	Pace float64
}

// Waiting are the lengths of the queues.
type Waiting struct {
	CPU, GPU, Either int           // queries
	Grouped          int           // queries in groups, for both
	Most             int           // greatest number in the queues or in groups
	Oldest           time.Duration // how long the oldest has waited
}

// snapshot returns the policy's part of Stats.
func (p *policy) snapshot(now time.Duration) Stats {
	s := p.stats
	s.Waiting.CPU = p.queues[pinnedGroup].n + p.queues[cpuGroup].n
	s.Waiting.GPU, s.Waiting.Either = p.queues[gpuGroup].n, p.queues[eitherGroup].n
	for i := range p.queues {
		if e := p.queues[i].oldest(); e != nil {
			s.Waiting.Oldest = max(s.Waiting.Oldest, now-e.arrived)
		}
	}
	s.CPU.Pace, s.GPU.Pace = p.cpu.pace.factor, p.gpu.pace.factor
	s.Threshold = p.threshold
	return s
}
