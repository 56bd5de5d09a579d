package writer

import (
	"fmt"
	"runtime"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/format/codec/choose"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
)

// DefaultMemory is the memory budget unless Options name another: 512 MiB.
const DefaultMemory = 512 << 20

// MinMemory is the least memory budget: 8 MiB.
const MinMemory = 8 << 20

// Options say how a Writer works. The zero value is good.
type Options struct {
	// Analyzer cuts documents into terms. Nil means the one that the index was made
	// with, and simple for a new index. An index has one analyzer: opening it with
	// another fails with ErrAnalyzer.
	Analyzer analysis.Analyzer
	// Memory is the memory budget in bytes: what the Writer holds, counted, stays
	// within it. 0 means DefaultMemory. Where segments end depends on it.
	Memory int64
	// Threads is how many goroutines work at once; 0 means runtime.GOMAXPROCS. What
	// is written does not depend on it.
	Threads int
	// Stored says that the contents of documents are stored as well.
	Stored bool
	// DocsCodec and FreqsCodec encode the posting lists of new segments. Their block
	// lengths must be equal. nil means that the codec of each list is chosen by its
	// size and decode time (choose.Auto), or bp128 beside a codec of whole lists;
	// blocks that a merge copies keep their codecs, except where one is named here.
	DocsCodec, FreqsCodec codec.Codec
	// Choose, if not nil, chooses other codecs of the same block length for each
	// list instead. It is called from several goroutines.
	Choose choose.Policy
	// Progress, if not nil, is called from time to time with how far the current
	// operation is, by one goroutine at a time. It must not call the Writer.
	Progress func(Progress)

	batchSize int   // of tests: size of a batch
	accum     int64 // of tests: size of a full accumulator
	tail      int64 // of tests: bytes of a list that are held in memory
}

// Progress tells how far an operation is.
type Progress struct {
	Stage       string // "flush", "merge", "order" or "reorder"
	Done, Total uint64 // postings; of "order" documents, once for each level
}

// withDefaults checks o and fills in what is not set, except Analyzer.
func (o Options) withDefaults() (Options, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Memory < MinMemory {
		return o, fmt.Errorf("writer: memory budget of %d bytes, at least %d are needed", o.Memory, MinMemory)
	}
	if o.Threads < 0 {
		return o, fmt.Errorf("writer: %d threads", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if auto, ok := choose.Auto(o.DocsCodec, o.FreqsCodec); ok && o.Choose == nil {
		o.Choose = auto
	}
	if o.DocsCodec == nil {
		o.DocsCodec = bp128.Codec{}
	}
	if o.FreqsCodec == nil {
		o.FreqsCodec = bp128.Codec{}
	}
	if d, f := o.DocsCodec, o.FreqsCodec; d.BlockLen() != f.BlockLen() {
		return o, fmt.Errorf("writer: codec %s has blocks of %d, codec %s of %d: they cannot be combined", d.ID(), d.BlockLen(), f.ID(), f.BlockLen())
	}
	return o, nil
}

// Shares of the memory budget. A quarter is for batches in flight, half for the
// accumulator, the rest for writing it.
const (
	flightShare = 4
	accumShare  = 2
	minBatch    = 64 << 10
	maxBatch    = 1 << 20
	// batchCost is what a batch in flight and its inverter take for a byte of text.
	batchCost = 8
)

// tailBytes is how much of a list's payload each goroutine that encodes lists holds
// in memory.
func (o *Options) tailBytes() int64 {
	if o.tail > 0 {
		return o.tail
	}
	return min(max(o.Memory/128, 256<<10), 4<<20)
}

// spoolBytes is how much is held in memory of each stream that a segment's later
// sections come from: dictionary and ids are the only large ones.
func (o *Options) spoolBytes() int64 {
	return min(max(o.Memory/64, build.DefaultSpoolMemory), 16<<20)
}

// mergeJobBytes is what a job of ordinary lists takes.
const mergeJobBytes = 1 << 20

// mergeJobs is how many jobs of a merge may be in progress: enough for the encoders
// to have work while the documents are being copied.
func (o *Options) mergeJobs() int {
	return int(max(int64(o.Threads)+1, min(8*int64(o.Threads), o.Memory/8/mergeJobBytes)))
}

// batchBytes is the size at which a batch is full.
func (o *Options) batchBytes() int {
	if o.batchSize > 0 {
		return o.batchSize
	}
	return int(min(max(o.Memory/512, minBatch), maxBatch))
}

// accumBytes is the size at which the accumulator is written.
func (o *Options) accumBytes() int64 {
	if o.accum > 0 {
		return o.accum
	}
	return o.Memory / accumShare
}

// batches is how many batches may be in flight.
func (o *Options) batches() int {
	most := o.Memory / flightShare / int64(batchCost*o.batchBytes())
	return int(max(2, min(most, int64(o.Threads)+2)))
}

// maxText is the size of the largest document: if it is alone in flight, it may take
// all of that share.
func (o *Options) maxText() int {
	return int(min(o.Memory/flightShare/batchCost, analysis.MaxTextBytes, segment.MaxText))
}
