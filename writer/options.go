package writer

import (
	"fmt"
	"io/fs"
	"runtime"
	"sync"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
)

// DefaultMemory is the default of Options.Memory: 512 MiB.
const DefaultMemory = 512 << 20

// MinMemory is the minimum of Options.Memory: 8 MiB.
const MinMemory = 8 << 20

// Options configure a Writer. The zero value means the defaults.
type Options struct {
	// Schema describes the documents. Nil means the schema of the index, or the implicit one for a new
	// index: documents of one text. Of an index with documents it must agree on the fields that both have, and those that it lacks
	// stay behind its own, or it was made of the index's by Add, Rename and Drop; the error for what contradicts the index names the
	// field and matches schema.ErrInvalid. K1, B and Boost may be others than those of the
	// index. The next commit records it.
	//
	// schema.Implicit says which analyzer cuts documents of one text, and whether that is stored. An empty analyzer is that of the
	// index, and one without options has those that it has there; another one fails with ErrAnalyzer. An index with documents keeps to
	// what it stores: one that does not store texts cannot be opened with a schema that does (ErrStored). An index that began with the
	// implicit schema takes one with fields, as Evolve has it, and for an index with fields the implicit one means that called "text".
	//
	// Analyzers are known by name and options. A program registers its own before it opens an index (analysis.Register).
	Schema *schema.Schema
	// Order, if it is not "", is the OrderField by which the documents of each segment are sorted,
	// when they are written and by merges. An index records it, and "" means what it records. One
	// with documents takes another only by Merge. Hits with equal scores are in this order. Sorting
	// takes 32 bytes of memory a document in addition to the budget.
	Order Order
	// Memory is the memory budget in bytes. The memory that the Writer counts stays
	// within it, but for a document that is larger than a 32nd of it, a 48th with positions:
	// while it is added, that takes up to four times its size besides. 0 means DefaultMemory;
	// less than MinMemory is an error. It determines where segments end, and how large a
	// document may be (MaxDocument).
	Memory int64
	// Threads is the number of worker goroutines; 0 means runtime.GOMAXPROCS. The
	// files written do not depend on it.
	Threads int
	// DocsCodec and FreqsCodec are the names of the codecs that encode the posting lists of new segments, such as bp128;
	// format/CODECS.md has them all. Their block lengths must be equal. "" means that the codec of each list is chosen by size
	// and decode time, or bp128 if the other codec encodes whole lists.
	// Blocks that a merge copies keep their codecs, unless one is set here.
	DocsCodec, FreqsCodec string
	// KeepCommits is how many commits are kept with all their files, the newest
	// included, for reader.Options.Generation and for going back (idxinspect repair). The next commit
	// records it, and 0 means what the index records: 1 for a new one.
	KeepCommits int
	// Perm is the permissions of the files of a new index in a local directory, as far as the
	// umask leaves them. 0 means 0o666; MergeInto then takes what the directories and files
	// of all sources grant. A new file of an index that is there has the permissions that all its files have.
	Perm fs.FileMode
	// MergePolicy says which segments are merged in the background after each Commit and
	// Publish. Nil means Tiered{}.Runs; NoMerges leaves all as they are.
	MergePolicy MergePolicy
	// MergeRate bounds the bytes a second of the segments that merges in the background
	// write; 0 means no bound.
	MergeRate int64
	// MergeThreads is the number of goroutines of such a merge; 0 means half of Threads,
	// rounded up. In addition to the memory budget, two merges use a sixteenth of it each.
	MergeThreads int
	// Merged, if not nil, is called after a merge in the background, when the next refresh
	// sees its result. It must not call the Writer.
	Merged func(MergeStats)
	// MergeFailed, if not nil, is called with the error of a merge in the background. It
	// must not call the Writer. WaitMerges or Close returns the error too.
	MergeFailed func(error)
	// Refused, if not nil, is called with each document whose content turns out to be bad only
	// after Add has returned: its positions go beyond segment.MaxPosition, which takes an
	// analyzer that leaves large gaps. Nothing of it is added, and all others are. The error matches
	// ErrDocument. Refused must not call the Writer. If it is nil, the next call of Flush, Publish or
	// Commit returns the error and does nothing else; the Writer remains usable.
	Refused func(id []byte, err error)
	// Progress, if not nil, is called from time to time with the progress of the
	// current operation or of a merge in the background, by one goroutine at a time. It
	// must not call the Writer.
	Progress func(Progress)

	docs, freqs codec.Codec   // of DocsCodec and FreqsCodec
	choose      choose.Policy // chooses other codecs of the same block length for each list; called by several goroutines
	batchSize   int           // for tests: size of a batch
	large       int           // for tests: size of the largest document that goes into a batch
	piece       int           // for tests: bytes of a piece of a larger one
	accum       int64         // for tests: size of a full accumulator
	tail        int64         // for tests: bytes of a list that are held in memory
}

// Progress is the progress of an operation.
type Progress struct {
	Stage       string // "flush", "merge", "order" or "reorder"
	Done, Total uint64 // postings; for "order", documents, counted once for each level
}

// withDefaults checks o and sets the defaults, except for Schema, which it brings in the form in which an index records it.
func (o Options) withDefaults() (_ Options, err error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Memory < MinMemory {
		return o, fmt.Errorf("writer: memory budget of %d bytes, at least %d are needed", o.Memory, MinMemory)
	}
	if o.KeepCommits < 0 || o.KeepCommits > indexdir.MaxKeepCommits {
		return o, fmt.Errorf("writer: %d commits to keep", o.KeepCommits)
	}
	if o.Schema != nil {
		if o.Schema, err = canonical(o.Schema); err != nil {
			return o, err
		}
	}
	if o.Threads < 0 {
		return o, fmt.Errorf("writer: %d threads", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.MergeThreads < 0 || o.MergeRate < 0 {
		return o, fmt.Errorf("writer: %d threads and %d bytes a second for merges", o.MergeThreads, o.MergeRate)
	}
	if o.MergeThreads == 0 {
		o.MergeThreads = (o.Threads + 1) / 2
	}
	if o.MergePolicy == nil {
		o.MergePolicy = Tiered{}.Runs
	}
	if f := o.Progress; f != nil {
		var one sync.Mutex
		o.Progress = func(p Progress) {
			one.Lock()
			defer one.Unlock()
			f(p)
		}
	}
	return o, o.setCodecs()
}

// setCodecs finds the codecs that o names.
func (o *Options) setCodecs() error {
	for _, c := range []struct {
		name string
		to   *codec.Codec
	}{{o.DocsCodec, &o.docs}, {o.FreqsCodec, &o.freqs}} {
		if c.name == "" {
			continue
		}
		var ok bool
		if *c.to, ok = registry.ByName(c.name); !ok {
			return fmt.Errorf("%w: there is no codec %q", ErrInvalid, c.name)
		}
	}
	if auto, ok := choose.Auto(o.docs, o.freqs); ok && o.choose == nil {
		o.choose = auto
	}
	if o.docs == nil {
		o.docs = bp128.Codec{}
	}
	if o.freqs == nil {
		o.freqs = bp128.Codec{}
	}
	if d, f := o.docs, o.freqs; d.BlockLen() != f.BlockLen() {
		return fmt.Errorf("%w: codec %s has blocks of %d, codec %s of %d: they cannot be combined", ErrInvalid, d.ID(), d.BlockLen(), f.ID(), f.BlockLen())
	}
	return nil
}

// Shares of the memory budget: a quarter for batches in flight, half for the
// accumulator, the rest for writing it.
const (
	flightShare = 4
	accumShare  = 2
	minBatch    = 64 << 10
	maxBatch    = 1 << 20
)

// batchCost returns the memory of a batch in flight and its inverter for a byte of text. Positions
// take 24 bytes a token, and each field with the values of another as much again as that.
func (o *Options) batchCost() int {
	cost, most := 8, 0
	copies := map[string]int{}
	for _, f := range o.schema().Fields {
		if f.Positions {
			cost = 12
		}
		if f.Of != "" {
			copies[f.Of]++
			most = max(most, copies[f.Of])
		}
	}
	return cost * (1 + most)
}

// tailBytes returns how many bytes of a list's payload each goroutine that encodes
// lists holds in memory.
func (o *Options) tailBytes() int64 {
	if o.tail > 0 {
		return o.tail
	}
	return min(max(o.Memory/128, 256<<10), 4<<20)
}

// spoolBytes returns how many bytes are held in memory of each stream for a later
// section of a segment. Only dictionary and ids are large.
func (o *Options) spoolBytes() int64 {
	return min(max(o.Memory/64, build.DefaultSpoolMemory), 16<<20)
}

// mergeJobBytes is the memory of a job of ordinary lists.
const mergeJobBytes = 1 << 20

// mergeJobs returns how many jobs of a merge may be in progress: enough to keep the
// encoders busy while the documents are copied.
func (o *Options) mergeJobs() int {
	return int(max(int64(o.Threads)+1, min(8*int64(o.Threads), o.Memory/8/mergeJobBytes)))
}

// batchBytes returns the size at which a batch is full.
func (o *Options) batchBytes() int {
	if o.batchSize > 0 {
		return o.batchSize
	}
	return int(min(max(o.Memory/512, minBatch), maxBatch))
}

// accumBytes returns the size at which the accumulator is written.
func (o *Options) accumBytes() int64 {
	if o.accum > 0 {
		return o.accum
	}
	return o.Memory / accumShare
}

// batches returns how many batches may be in flight.
func (o *Options) batches() int {
	most := o.Memory / flightShare / int64(o.batchCost()*o.batchBytes())
	return int(max(2, min(most, int64(o.Threads)+2)))
}
