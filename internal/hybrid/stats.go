package hybrid

import (
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
)

// Stats says what an Executor has done since New, and what waits.
type Stats struct {
	CPU, GPU Share
	Batches  int64 // on the GPU
	Again    int64 // queries that the GPU took and the CPU answered after all: both have counted them
	Missed   int64 // queries answered after their deadline
	Shed     int64 // queries refused with ErrOverload
	Alone    int64 // queries that found the Executor idle and were answered step by step on both processors
	Grouped  int64 // queries of calls of Execute with many, which wait in no backlog
	Waiting  Waiting
	// Retired is why the GPU is not used: it is missing, has failed or hangs. nil means that
	// it is in use or, with Opening, may be later.
	Retired error
	Opening bool // the GPU is being opened; the CPU answers
}

// Share is what one processor has done.
type Share struct {
	Queries int64 // taken
	Missed  int64 // answered after their deadline
	// Time is the learned average time of a core for a query, or of the GPU from Submit to the answer.
	Time time.Duration
}

// Waiting are the numbers of queries in the backlogs.
type Waiting struct {
	CPU, GPU, Either int // for the cores alone, for the GPU, which is sooner, and for whoever takes them
	Most             int // greatest number for either
}

// Answered are numbers of queries by who has answered them.
type Answered struct {
	CPU, GPU, Both int64        // both: those that found no other, step by step
	OnCPU          gpu.Reasoned // of CPU, those that no device could answer, or none was to; the others came to a core first
	Resident       int64        // bytes of lists and tables in device memory now
}

// Add adds other numbers.
func (a *Answered) Add(o Answered) {
	a.CPU, a.GPU, a.Both, a.Resident = a.CPU+o.CPU, a.GPU+o.GPU, a.Both+o.Both, a.Resident+o.Resident
	for why, n := range o.OnCPU {
		a.OnCPU[why] += n
	}
}

// Answered returns who has answered how many queries since New.
func (x *Executor) Answered() (a Answered) {
	if x.cpu == nil {
		return a
	}
	if last := x.last.Load(); last != nil {
		return *last
	}
	var onDevice, stepped int64 // queries that the CPU has answered for a device
	if d := x.gpu.Load(); d != nil {
		if g, ok := d.Executor.(interface{ Stats() gpu.Stats }); ok {
			s := g.Stats()
			a.OnCPU, a.Resident = s.OnCPU, s.Bytes+s.Marked+s.TableBytes
			for why, n := range x.before {
				a.OnCPU[why] -= n
			}
			onDevice = a.OnCPU.Sum() - x.handed.Load()
		}
		if d.stepper != nil {
			left := d.stepper.OnCPUs()
			a.Add(Answered{OnCPU: left})
			stepped = left.Sum()
		}
	}
	for why := range x.gate.refused {
		a.OnCPU[why] += x.gate.refused[why].Load()
	}
	a.CPU = x.gate.taken(0) + onDevice + stepped
	a.GPU = max(x.gate.taken(1)-x.again.Load()-onDevice, 0)
	a.Both = max(x.alone.Load()-stepped, 0)
	return a
}
