package gpuload

import (
	"fmt"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/query"
)

// Options tune an Executor. The zero value is good.
type Options struct {
	// CPU answers what the device cannot. Without one the error for such a query
	// matches ErrUnsupported.
	CPU query.Executor
	// Scorer scores. Nil means CPU's where CPU has a method Scorer, as *query.Searcher
	// has, otherwise BM25 with query.DefaultParams.
	Scorer *query.Scorer
	// Memory bounds the device memory for lists in bytes. 0 means two thirds of what
	// is free.
	Memory int64
	// Threshold is PARA's: how many postings the first lists of a batch have together
	// at most, plus the keys that its disjunctions may collect. Each takes 8 bytes of
	// device memory in each of 8 batches. 0 means a 1,024th of the bytes that are
	// free, from 8 Mi to 128 Mi.
	Threshold int64
	// Accumulate is how disjunctions are answered.
	Accumulate Accumulation
	// Scratch bounds the device memory for GlobalAccumulators in bytes, for each batch
	// under way. A query that alone needs more gets it. 0 means 1 GiB.
	Scratch int64
	// Presence is the number of postings from which on a list gets presence words, a
	// byte a posting, when a second batch uses it and memory is free. 0 means 4,096,
	// less than 0 never.
	Presence int64

	// What only tests choose.
	width    int       // accumulators that a thread block keeps in shared memory; 0: as many as fit
	overflow int64     // keys beyond the first list's that a query may collect; 0: overflowKeys
	selected selection // how the best keys are found
	locate   uint32    // kernels.LocateAuto to LocateHash
}

// selection is a way to find the k best of a query's keys (kernels/topk.cu). All find
// the same.
type selection uint8

const (
	selectQueue    selection = iota // a queue in shared memory, a thread block a query
	selectWarp                      // likewise, a warp a query
	selectMaxima                    // group-wise maxima, Ding 2009 section 8
	selectRadix                     // radix select, Griffin 2018 section 3.1.3
	selectionCount                  // how many there are
)

var selections = [selectionCount]kernels.Kernel{
	selectQueue:  kernels.SelectBest,
	selectWarp:   kernels.SelectWarp,
	selectMaxima: kernels.SelectMaxima,
	selectRadix:  kernels.SelectRadix,
}

// check refuses options out of range.
func (o *Options) check() error {
	if o.Accumulate >= accumulationCount {
		return fmt.Errorf("gpuload: no %v", o.Accumulate)
	}
	for _, v := range []struct {
		name string
		n    int64
	}{{"Memory", o.Memory}, {"Threshold", o.Threshold}, {"Scratch", o.Scratch}} {
		if v.n < 0 {
			return fmt.Errorf("gpuload: Options.%s is %d, less than 0", v.name, v.n)
		}
	}
	return nil
}

// setDefaults replaces zeros by what they mean on a device.
func (o *Options) setDefaults(info cuda.Info) {
	if o.Scratch == 0 {
		o.Scratch = scratchBytes
	}
	if o.overflow == 0 {
		o.overflow = overflowKeys
	}
	if o.Threshold == 0 {
		o.Threshold = min(max(info.Memory>>10, 8<<20), 128<<20)
	}
	if o.Memory == 0 {
		o.Memory = info.Memory / 3 * 2
	}
	width := (info.Shared - 2048 - 8*queueSize) / 4
	if info.Shared > 100<<10 { // two thread blocks a multiprocessor
		width = (info.Shared/2 - 2048 - 8*queueSize) / 4
	}
	width &^= 1023
	if o.width > 0 {
		width = min(width, o.width)
	}
	o.width = width
}

// PresenceBytes returns the device memory that presence words take of a list of that many
// postings in a segment of docs documents, with default Options: beside the list's extent,
// where that is free.
func PresenceBytes(postings, docs uint32) int64 {
	if postings < layout.LeastPresent(0) {
		return 0
	}
	return layout.PresenceBytes(postings, docs)
}
