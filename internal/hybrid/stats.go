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
	Stolen  int64 // of these by cores while the GPU answers all, or by the GPU while the cores do
	Missed  int64 // answered after their deadline
	// Time is the learned average time of a core for a query, or of the GPU from Submit to the answer.
	Time time.Duration
}

// Waiting are the numbers of queries in the backlogs.
type Waiting struct {
	CPU, GPU, Either int // for the cores alone, for the GPU, which is sooner, and for whoever takes them
	Most             int // greatest number for either
}
