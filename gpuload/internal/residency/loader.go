package residency

import (
	"unsafe"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
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
