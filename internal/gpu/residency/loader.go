package residency

import (
	"sync"
	"unsafe"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// loader is what one load at a time uses: two streams, an event, and memory for jobs,
// results, and lists that the device cannot copy from their mapping.
type loader struct {
	dev                     cuda.Device
	copyStream, checkStream int
	copied                  int         // event
	scratch                 kernels.Ptr // CheckJob[], CheckStatus[], ListDesc[], RecodeJob[] and their sizes
	pinned                  []byte      // the same
	Ring                    []byte      // nil until needed
}

// With two loaders, one load prepares its copies while another waits for its checks.
const (
	Loaders     = 2
	LoadStreams = 2*Loaders + 1 // the last streams of a device: two for each loader, one for presence words
	MarkStream  = cuda.Streams - 1
)

// Timers is the first of the events around a batch's kernels, two per stream. Those before it are the loaders'.
const Timers = cuda.Events - 2*cuda.Streams

// Sizes and offsets in the pinned memory and on the device.
var (
	jobSize    = len(kernels.Bytes(&kernels.CheckJob{}))
	statusSize = len(kernels.Bytes(&kernels.CheckStatus{}))
	statusAt   = jobSize * CheckSize
	descsAt    = statusAt + statusSize*CheckSize
	recodeAt   = descsAt + layout.DescSize*CheckSize
	sizesAt    = recodeAt + recodeSize*CheckSize
	PinnedSize = sizesAt + sizeSize*CheckSize
)

// newLoader returns loader i. It may return an error and a loader to close.
func newLoader(dev cuda.Device, i int) (d *loader, err error) {
	d = &loader{dev: dev, copyStream: cuda.Streams - LoadStreams + 2*i, checkStream: cuda.Streams - LoadStreams + 2*i + 1, copied: Timers - 1 - i}
	if d.scratch, err = dev.Alloc(int64(PinnedSize)); err == nil {
		d.pinned, err = dev.HostAlloc(PinnedSize)
	}
	return d, err
}

func (d *loader) close() {
	if d.scratch != 0 {
		_ = d.dev.Free(d.scratch)
	}
	for _, b := range [][]byte{d.pinned, d.Ring} {
		if b != nil {
			_ = d.dev.HostFree(b)
		}
	}
}

func (d *loader) jobs() []kernels.CheckJob {
	return unsafe.Slice((*kernels.CheckJob)(unsafe.Pointer(unsafe.SliceData(d.pinned))), CheckSize)
}

func (d *loader) status() []kernels.CheckStatus {
	return unsafe.Slice((*kernels.CheckStatus)(unsafe.Pointer(unsafe.SliceData(d.pinned[statusAt:]))), CheckSize)
}

func (d *loader) recoding() recoding {
	return recoding{jobs: unsafe.Slice((*kernels.RecodeJob)(unsafe.Pointer(unsafe.SliceData(d.pinned[recodeAt:]))), CheckSize),
		sizes: unsafe.Slice((*[2]uint32)(unsafe.Pointer(unsafe.SliceData(d.pinned[sizesAt:]))), CheckSize)}
}

// Flush runs a batch and waits for it.
func Flush(dev cuda.Device, b *cuda.Batch) error {
	if err := dev.Submit(b); err != nil {
		return err
	}
	b.Reset()
	return dev.Wait(b.Stream)
}

const (
	ringSize  = 4 << 20 // a longer one is not faster: it is filled, and then copied
	FirstRing = 256 << 10
	firstRun  = 1 << 18  // bytes of the first copy from a mapping; the next lists are opened while it runs
	lastRun   = 32 << 20 // each copy is four times as long as the previous one, up to this
	mostGap   = 32 << 10 // bytes between lists that are copied with them: copying these takes less time than another copy
	CheckSize = 4096     // maximum number of lists loaded at a time
)

const (
	openGroup = 32
	openers   = 2 // besides the caller; starting more costs more than it saves
)

// span is a range of device memory.
type span struct {
	at   kernels.Ptr
	size int64
}

// recoding is the recoding of the lists of one load.
type recoding struct {
	jobs  []kernels.RecodeJob // in pinned memory, in use up to n
	sizes [][2]uint32         // in pinned memory: words of docIDs and of frequencies
	lists []int               // of each job
	n     int
	ends  []span           // room for block endpoints
	from  kernels.CodecSet // the codecs of the lists
}

var (
	recodeSize = int(unsafe.Sizeof(kernels.RecodeJob{}))
	sizeSize   = int(unsafe.Sizeof([2]uint32{}))
)

// marker is what one call of mark at a time uses.
type marker struct {
	mu      sync.Mutex
	dev     cuda.Device
	scratch kernels.Ptr // PresenceJob[markSize]
	pinned  []byte      // the same
}

func newMarker(dev cuda.Device) (m *marker, err error) {
	const size = markSize * int(unsafe.Sizeof(kernels.PresenceJob{}))
	m = &marker{dev: dev}
	if m.scratch, err = dev.Alloc(int64(size)); err == nil {
		m.pinned, err = dev.HostAlloc(size)
	}
	return m, err
}

func (m *marker) close() {
	if m == nil {
		return
	}
	if m.scratch != 0 {
		_ = m.dev.Free(m.scratch)
	}
	if m.pinned != nil {
		_ = m.dev.HostFree(m.pinned)
	}
}

const (
	markSize  = 2048 // lists per launch
	markParts = 16   // thread blocks per list at least
	mostParts = 128  // and at most
	// markBlocks is how many thread blocks a launch has at least, as far as mostParts allows: enough
	// for any device.
	markBlocks = 1024
	// A list gets presence words on this use after the one that loads it; Scarce is for lists loaded
	// after evictions.
	MarkUses, MarkUsesScarce = 1, 8
)
