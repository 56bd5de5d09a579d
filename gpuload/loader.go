package gpuload

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
	ring                    []byte      // nil until needed
}

// With two loaders, one load prepares its copies while another waits for its checks.
const (
	loaders     = 2
	loadStreams = 2*loaders + 1 // the last streams of a device: two for each loader, one for presence words
	markStream  = cuda.Streams - 1
)

// Sizes and offsets in the pinned memory and on the device.
var (
	jobSize    = len(kernels.Bytes(&kernels.CheckJob{}))
	statusSize = len(kernels.Bytes(&kernels.CheckStatus{}))
	statusAt   = jobSize * checkSize
	descsAt    = statusAt + statusSize*checkSize
	recodeAt   = descsAt + layout.DescSize*checkSize
	sizesAt    = recodeAt + recodeSize*checkSize
	pinnedSize = sizesAt + sizeSize*checkSize
)

// newLoader returns loader i. It may return an error and a loader to close.
func newLoader(dev cuda.Device, i int) (d *loader, err error) {
	d = &loader{dev: dev, copyStream: cuda.Streams - loadStreams + 2*i, checkStream: cuda.Streams - loadStreams + 2*i + 1, copied: timers - 1 - i}
	if d.scratch, err = dev.Alloc(int64(pinnedSize)); err == nil {
		d.pinned, err = dev.HostAlloc(pinnedSize)
	}
	return d, err
}

func (d *loader) close() {
	if d.scratch != 0 {
		_ = d.dev.Free(d.scratch)
	}
	for _, b := range [][]byte{d.pinned, d.ring} {
		if b != nil {
			_ = d.dev.HostFree(b)
		}
	}
}

func (d *loader) jobs() []kernels.CheckJob {
	return unsafe.Slice((*kernels.CheckJob)(unsafe.Pointer(unsafe.SliceData(d.pinned))), checkSize)
}

func (d *loader) status() []kernels.CheckStatus {
	return unsafe.Slice((*kernels.CheckStatus)(unsafe.Pointer(unsafe.SliceData(d.pinned[statusAt:]))), checkSize)
}

func (d *loader) recoding() recoding {
	return recoding{jobs: unsafe.Slice((*kernels.RecodeJob)(unsafe.Pointer(unsafe.SliceData(d.pinned[recodeAt:]))), checkSize),
		sizes: unsafe.Slice((*[2]uint32)(unsafe.Pointer(unsafe.SliceData(d.pinned[sizesAt:]))), checkSize)}
}

// flush runs a batch and waits for it.
func flush(dev cuda.Device, b *cuda.Batch) error {
	if err := dev.Submit(b); err != nil {
		return err
	}
	b.Reset()
	return dev.Wait(b.Stream)
}
