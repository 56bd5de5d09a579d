package residency

import (
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// Key is where a list is: the number of its segment and the offset of its entry.
type Key struct {
	Segment int
	Offset  int64
}

// ListKey identifies a list on the device. Key alone would not if a dictionary is damaged:
// several of its entries may have one place, and each is checked as if it were the only one.
type ListKey struct {
	Key
	N     uint32 // postings
	Field uint32 // whose lengths the list has been checked by
	parts uint32 // digest of the parts of a joined list
}

// List is one list on the device.
type List struct {
	Key      ListKey
	view     int    // its number
	Slot     uint32 // in the table of descriptors
	At       kernels.Ptr
	Size     int64
	Stored   int64 // its size on disk
	Blocks   uint32
	LogBlock uint8
	Codecs   kernels.CodecSet // of docIDs and frequencies
	Elements bool             // docIDs can be searched without decoding blocks
	Kth      [3]format.KthImpact
	Quad     format.Quad
	N        uint32
	docs     uint32      // of the view
	Marks    kernels.Ptr // presence words, or 0
	Marked   int64       // their size in bytes

	// Batches raise these under the read lock of Lists.mu; under its write lock they do not change.
	Uses atomic.Uint64 // priority, see lists
	Pin  atomic.Uint64 // epoch of the last batch that needs it
	Bare atomic.Int32  // uses until it gets presence words; 0 or below: it has them, or gets none

	Marking bool        // these are being made: it is not evicted; guarded by Lists.mu
	Gone    atomic.Bool // evicted; may be read without the lock
}

// hold keeps the list from being evicted while a batch of epoch is in flight.
func (r *List) hold(epoch uint64) {
	for pin := r.Pin.Load(); pin < epoch && !r.Pin.CompareAndSwap(pin, epoch); pin = r.Pin.Load() {
	}
}

// Want is a list that a batch needs. List is nil if it was not resident when last looked
// up.
type Want struct {
	Key    ListKey
	View   int           // its number
	Entry  segment.Entry // if not joined
	Joined *joined
	List   *List
}

// joined are the parts of a list that is joined when it is loaded.
type joined struct {
	view  int // its index
	field uint32
	parts []ListPart
	Ahead atomic.Pointer[Opened] // made before it is loaded, for all devices; nil if it was not
}

// ListPart is a term's list in a segment.
type ListPart struct {
	Seg   int // index of the segment
	Entry segment.Entry
}

// Opened is a list ready to be loaded.
type Opened struct {
	extent []byte           // joined, or of the file; nil if the list cannot be opened or no kernel decodes it
	err    error            // why it cannot be opened
	desc   kernels.ListDesc // addresses are offsets in the extent
	kth    [3]format.KthImpact
	quad   format.Quad
	first  uint32
	stored int64 // bytes on disk
}

// set makes o a list of a view of docs documents with stored bytes on disk.
func (o *Opened) set(v *segment.List, docs uint32, stored int64) {
	o.desc, o.kth, o.quad, o.first = layout.Describe(v, docs), v.Kth, v.Quad, v.First
	o.extent, o.stored = v.Extent(), stored
}
