package gpu

import (
	"fmt"
	"math/bits"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Options configure an Executor. The zero value selects the defaults.
type Options struct {
	// CPU answers the queries that the device does not support, and those whose lists are not
	// there and not loaded (Memory). If it is nil, a query that is not supported fails with an error
	// that matches ErrUnsupported. If it is a *search.Searcher with Options.Collection, or a *pool.Pool over one, the
	// device scores with the numbers of that collection too, and queries bring their Frequencies.
	CPU search.Executor
	// Scorer computes scores. If it is nil, the Executor uses CPU's scorer if CPU has a
	// Scorer method, as *search.Searcher has, or is a *pool.Pool, and otherwise BM25 with query.DefaultParams().
	// It must be nil if the index has a schema: the scorers of fields are those of CPU if that is a
	// *search.Searcher or *pool.Pool, and otherwise those of the schema.
	Scorer *search.Scorer
	// Memory is the most device memory for lists, in bytes. No more is taken than all lists
	// can need. 0 means two thirds of the memory that is free when the device is opened or, if
	// other processes have taken some since, of a half, a quarter and so on of that, but at
	// least 32 MiB. Once it has been too small and there is a CPU, lists are loaded
	// only where that takes less time than the CPU needs for the queries, by what the last ones took.
	Memory int64
	// Threshold is the computational threshold of PARA: the maximum number of postings in
	// the first lists of a batch's queries, plus the keys that its disjunctions may
	// collect. Each takes 8 bytes of device memory in each of 8 batches. 0 means 1/1024
	// of the free bytes, but at least 8 Mi or, if that is less, 1/192 of them, and at most 128 Mi.
	Threshold int64
	// Presence is the minimum number of postings of a list that gets presence words (one
	// byte per posting) when a second batch uses it and memory is free. 0 means 4,096.
	Presence int64
	// NoPresence gives no list presence words.
	NoPresence bool

	// FilterBytes is the most device memory, in bytes for each document, for what queries ask for beside lists: a bitmap
	// of the documents that pass a filter takes an eighth of a byte, and static scores take four. Those that were used
	// least go first. It is not part of Memory, of which it is at most a quarter. 0 means search.DefaultFilterBytes.
	FilterBytes int
	// NoFilters leaves such queries to the CPU.
	NoFilters bool

	// AsStored keeps lists on the device as they are on disk. Otherwise the CPU joins the
	// lists of a term in several segments when they are loaded, which makes queries as fast
	// as on one segment. Other lists with blocks of 128 postings are written in bp128, which
	// takes more memory in most codecs (Stats.Bytes, Stats.Stored) and less time for each
	// query. Answers are the same.
	AsStored bool

	fields []docs.Field // of the snapshot, with their scorers

	tileBlocks int // thread blocks of a multiprocessor that add impacts

	// Set by tests only.
	apart     bool   // lists of segments are not joined
	ranges    int    // disjunctions by ranges of documents: 1 all, -1 none at first; 0: where it is faster
	width     int    // documents of a range; 0: as many as fit
	overflow  int64  // keys that a query may collect in addition to its first list's; 0: overflowKeys
	tiles     int    // of a pass that the host cuts; 0: hostTiles
	tileKeys  int64  // keys that a Dot may collect at first; 0: keysOfK times its k
	tileDocs  int    // documents of a tile of impacts; 0: as many as fit into shared memory
	nearFirst int64  // vectors that are compared first; 0: firstVectors
	nearCoded bool   // floats of vectors are left out
	nearFound int64  // candidates of a Nearest; 0: nearFound
	locate    uint32 // kernels.LocateAuto to LocateHash
}

// check returns an error if an option is out of range.
func (o *Options) check() error {
	for _, v := range []struct {
		name string
		n    int64
	}{{"Memory", o.Memory}, {"Threshold", o.Threshold}, {"Presence", o.Presence}, {"FilterBytes", int64(o.FilterBytes)}} {
		if v.n < 0 {
			return fmt.Errorf("%w: gpuload: Options.%s is %d, less than 0", query.ErrInvalid, v.name, v.n)
		}
	}
	return nil
}

// defaultMemory returns the default of Options.Memory with so many bytes free. The third that it
// leaves is for 8 batches.
func defaultMemory(free int64) int64 { return free / 3 * 2 }

// setDefaults replaces zeros by the defaults for a device.
func (o *Options) setDefaults(info cuda.Info) {
	if o.overflow == 0 {
		o.overflow = overflowKeys
	}
	if o.tiles == 0 {
		o.tiles = hostTiles
	}
	if o.Threshold == 0 {
		o.Threshold = min(max(info.Memory>>10, min(8<<20, info.Memory/192), 1), 128<<20)
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory(info.Memory)
	}
	width := min((info.Shared-2048)/(4*(blockWarps+1)), kernels.MaxWidth) &^ 127
	if o.width > 0 {
		width = min(width, o.width)
	}
	o.width = width
	o.setTiles(info.Shared)
}

// PresenceBytes returns the device memory in bytes that the presence words of a list
// take, in addition to its extent: a list with that many postings in a segment of docs
// documents, with default Options. It returns 0 for a list that gets none.
func PresenceBytes(postings, docs uint32) int64 {
	if postings < layout.LeastPresent(0) {
		return 0
	}
	return layout.PresenceBytes(postings, docs)
}

// overflowKeys is the number of keys that a query may collect in addition to the postings
// of its first list, or to four times its k where it is answered by ranges of documents (disjoin).
const overflowKeys = 1 << 14

// hostTiles is the number of tiles of a pass that the host cuts: a launch would take longer.
// The device cuts more of them: those of 1,024 disjunctions, 200,000 and more, would take the
// host as long as the device takes for the pass. partTiles is the maximum number of tiles that a warp cuts.
const hostTiles, partTiles = 1 << 12, 1 << 10

// tileStep is what the documents of a tile are a multiple of, so that all threads have as many.
const tileStep = 3072

// holds reports whether thread blocks have enough shared memory for what clauses keep of the documents of a window.
func (x *Executor) holds(c *clauses) bool {
	return 4*128*blockWarps*(1+int(c.test.Sums)) <= x.dev.Info().Shared-2048
}

// setTiles sets how many documents a tile has, by the shared memory of a thread block: half that of a multiprocessor if
// that is 160 KiB or more.
func (o *Options) setTiles(shared int) {
	const reserved = 2048 // of each thread block: 1,024 bytes are the driver's
	o.tileBlocks, shared = 1, shared-reserved
	if shared >= 159<<10 {
		shared, o.tileBlocks = shared/2, 2
	}
	most := (shared - kernels.ImpactShared) / 4
	if o.tileDocs > 0 {
		most = min(most, o.tileDocs)
	}
	o.tileDocs = most
	if most >= 2*tileStep {
		o.tileDocs = most - most%tileStep
	}
}

// blockWarps is the number of warps of a thread block of Disjunct.
var blockWarps = kernels.Disjunct.Threads() / 32

// maxK is the greatest k that a device supports, if its thread blocks have enough shared memory for a selection.
const maxK = 10000

// selectThreads is the number of threads of SelectBest: keys that its queue must hold beside the best.
const selectThreads = 256

// selectable returns the greatest k for which the queue of SelectBest, a power of two of keys, fits in shared memory.
func selectable(shared int) int {
	return 1<<(bits.Len(uint(max(shared-2048, 8*512)/8))-1) - selectThreads
}
