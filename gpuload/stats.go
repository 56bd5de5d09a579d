package gpuload

import (
	"time"

	"github.com/pinion-index/pinion/internal/hybrid"
)

// Stats say what an Executor has done since it opened devices for the snapshot that is searched.
type Stats struct {
	// Device names the processors that answer, for messages: "NVIDIA H200 and the CPU", say.
	Device   string
	CPU, GPU Share
	Batches  int64 // of searches, on the devices
	Again    int64 // searches that a device took and the CPU answered after all: both have counted them
	Alone    int64 // searches that found no other and were answered step by step on both processors; neither has counted them
	Waiting  int   // searches that no processor has taken yet
}

// Share is what one processor has done.
type Share struct {
	Searches int64 // taken
	Missed   int64 // answered after their deadline
	// Time is the learned average time: of a core for a search, or of the devices from its arrival to its answer.
	Time time.Duration
}

func shareOf(s hybrid.Share) Share { return Share{Searches: s.Queries, Missed: s.Missed, Time: s.Time} }

// Stats returns what the devices and the CPU have done over the snapshot that is searched. It is zero while none is open.
func (x *Executor) Stats() Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cur == nil {
		return Stats{}
	}
	s := x.cur.x.Stats()
	return Stats{Device: x.cur.x.Device(), CPU: shareOf(s.CPU), GPU: shareOf(s.GPU), Batches: s.Batches, Again: s.Again, Alone: s.Alone,
		Waiting: s.Waiting.CPU + s.Waiting.GPU + s.Waiting.Either}
}
