package writer

import (
	"cmp"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/format/codec/choose"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/store"
)

// DefaultMemory is the default of Options.Memory: 512 MiB.
const DefaultMemory = 512 << 20

// MinMemory is the minimum of Options.Memory: 8 MiB.
const MinMemory = 8 << 20

// Options configure a Writer. The zero value means the defaults.
type Options struct {
	// Analyzer cuts documents into terms. Nil means the analyzer of the index, or
	// simple for a new index. An index has one analyzer: opening it with another one
	// fails with ErrAnalyzer. One with the default options of its name stands for the
	// options that the index has.
	Analyzer analysis.Analyzer
	// Schema describes the documents. Nil means the schema of the index, or none for a new
	// index: documents of one text. A schema goes without Analyzer and Stored. That of an
	// index with documents must be extended by it (schema.Schema.Extends), or it was made
	// of it by Add, Rename and Drop; the error for what contradicts the index names the
	// field and matches schema.ErrInvalid. The next commit records it.
	Schema *schema.Schema
	// Order, if it is not "", is the OrderField by which the documents of each segment are sorted,
	// when they are written and by merges. An index records it, and "" means what it records. One
	// with documents takes another only by Reorder. Sorting takes 32 bytes of memory a document in
	// addition to the budget.
	Order Order
	// Memory is the memory budget in bytes. The memory that the Writer counts stays
	// within it. 0 means DefaultMemory; less than MinMemory is an error. It determines
	// where segments end.
	Memory int64
	// Threads is the number of worker goroutines; 0 means runtime.GOMAXPROCS. The
	// files written do not depend on it.
	Threads int
	// Stored is whether a new index stores the contents of documents as well. One with
	// documents keeps to what it does: without Stored, contents are stored if it stores
	// them; with it, opening an index that does not fails with ErrStored.
	Stored bool
	// DocsCodec and FreqsCodec encode the posting lists of new segments. Their block
	// lengths must be equal. nil means that the codec of each list is chosen by size
	// and decode time (choose.Auto), or bp128 if the other codec encodes whole lists.
	// Blocks that a merge copies keep their codecs, unless one is set here.
	DocsCodec, FreqsCodec codec.Codec
	// KeepCommits is how many commits are kept with all their files, the newest
	// included, for reader.OpenCommit and for going back (idxinspect repair). The next commit
	// records it, and 0 means what the index records (store.LockOptions): 1 for a new one.
	KeepCommits int
	// Perm is the permissions of the files of a new index in a local directory, as far as the
	// umask leaves them (store.LockOptions). 0 means 0o666; MergeInto then takes what the
	// directories and files of all sources grant.
	Perm fs.FileMode
	// Choose, if not nil, chooses other codecs of the same block length for each
	// list instead. It is called by several goroutines concurrently.
	Choose choose.Policy
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
	// Progress, if not nil, is called from time to time with the progress of the
	// current operation or of a merge in the background, by one goroutine at a time. It
	// must not call the Writer.
	Progress func(Progress)

	batchSize int   // for tests: size of a batch
	accum     int64 // for tests: size of a full accumulator
	tail      int64 // for tests: bytes of a list that are held in memory
	mixStored bool  // for tests: Stored holds for new segments, whatever the others do
}

// Progress is the progress of an operation.
type Progress struct {
	Stage       string // "flush", "merge", "order" or "reorder"
	Done, Total uint64 // postings; for "order", documents, counted once for each level
}

// withDefaults checks o and sets the defaults, except for Analyzer.
func (o Options) withDefaults() (Options, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Memory < MinMemory {
		return o, fmt.Errorf("writer: memory budget of %d bytes, at least %d are needed", o.Memory, MinMemory)
	}
	if o.KeepCommits < 0 || o.KeepCommits > store.MaxKeepCommits {
		return o, fmt.Errorf("writer: %d commits to keep", o.KeepCommits)
	}
	if err := o.checkSchema(); err != nil {
		return o, err
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

// Shares of the memory budget: a quarter for batches in flight, half for the
// accumulator, the rest for writing it.
const (
	flightShare = 4
	accumShare  = 2
	minBatch    = 64 << 10
	maxBatch    = 1 << 20
)

// batchCost returns the memory of a batch in flight and its inverter for a byte of text. Positions
// take 24 bytes a token.
func (o *Options) batchCost() int {
	if o.Schema != nil && slices.ContainsFunc(o.Schema.Fields, func(f schema.Field) bool { return f.HasPositions() }) {
		return 12
	}
	return 8
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

// maxText returns the size of the largest document: if it is alone in flight, it
// may use the whole share of batches.
func (o *Options) maxText() int {
	return int(min(cmp.Or(o.Memory, DefaultMemory)/flightShare/int64(o.batchCost()), analysis.MaxTextBytes, segment.MaxText))
}

// CheckDocument returns the error, which matches ErrDocument, with which a Writer of these
// options refuses a document, and nil if it takes it.
func (o *Options) CheckDocument(d Document) error {
	if o.Schema != nil {
		return fmt.Errorf("%w %s: the index has a schema, and this document no fields", ErrDocument, quote(d.ID))
	}
	if err := checkID(d.ID); err != nil {
		return err
	}
	if n, most := len(d.Contents), o.maxText(); n > most {
		return fmt.Errorf("%w %s: %d bytes of text, at most %d fit the memory budget", ErrDocument, quote(d.ID), n, most)
	}
	return nil
}
