package residency

import (
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// loading is the state of one load. Lists are copied on one stream and checked on another,
// so that the check of some overlaps with the copies of the next.
type loading struct {
	*loader
	l              *Lists
	copies, checks cuda.Batch
	sums           sums
	jobs           []kernels.CheckJob    // in pinned memory
	status         []kernels.CheckStatus // in pinned memory
	lists          []loaded
	unused         []span // to be released at the end: gaps between lists, and where recoded lists were
	launched       int    // of lists: their checks are submitted
	waiting        int64  // bytes of the others
	staged         int    // bytes of the ring in use
	bytes          int64  // of the lists
	recoding       recoding
}

// loaded is a list that has been or is being copied.
type loaded struct {
	*List
	sum     *error // of its checksum; nil if the list has passed all checks before
	recodes bool   // it is to be written in bp128
	head    uint32 // bytes before the payloads
}

const checkBytes = 16 << 20 // lists are checked together until they have this size
