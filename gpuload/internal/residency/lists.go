package residency

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// List is one list on the device.
type List struct {
	Key      ListKey
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

// Lists manages the table of descriptors and the extents on the device. When the arena is
// full it evicts the lists with the lowest priority. Each use raises a list's priority to
// the clock, if it is lower, and adds 1; the clock is the highest priority evicted so
// far. So frequent use counts, and old use counts less and less.
//
// It is safe for concurrent use. Loads hold mu for writing only to find room and to publish what
// they have loaded, and batches that find their lists hold it for reading.
type Lists struct {
	Mu    sync.RWMutex
	dev   cuda.Device
	Arena *layout.Arena
	base  kernels.Ptr
	Table kernels.Ptr // ListDesc[capacity]
	Zone  uint32      // first slot reserved for the caller
	free  []uint32
	next  uint32
	ByKey map[ListKey]*List
	clock uint64
	epoch uint64
	stats Counters // without Hits, HitBytes and Misses
	found struct{ hits, bytes, misses atomic.Int64 }

	segments   []Segment
	views      []View
	joiners    Joiners
	registered [][]byte  // mapped files that the device can copy from; nil for others
	lengths    []lengths // of the documents, by segment
	Proven     proven
	Refused    map[ListKey]error         // lists that failed a check
	Coming     map[ListKey]chan struct{} // lists that are being loaded; closed when that load is done
	Loaders    chan *loader              // those that are idle
	marker     *marker

	Least    uint32 // minimum number of postings for presence words
	AsStored bool   // lists are not recoded

	// isolate makes each list a separate allocation, for tests with the address
	// sanitizer.
	Isolate bool
}

// Counters count what lists have been through. Package gpuload's Stats has the same fields.
type Counters struct {
	Lists, Bytes    int64 // resident now
	Stored          int64
	Hits, Misses    int64
	HitBytes        int64
	Loaded, Evicted int64
	BytesLoaded     int64
	Refused         int64
	Marked          int64
}

const (
	ringSize  = 4 << 20 // a longer one is not faster: it is filled, and then copied
	FirstRing = 256 << 10
	firstRun  = 1 << 18  // bytes of the first copy from a mapping; the next lists are opened while it runs
	lastRun   = 32 << 20 // each copy is four times as long as the previous one, up to this
	mostGap   = 32 << 10 // bytes between lists that are copied with them: copying these takes less time than another copy
	CheckSize = 4096     // maximum number of lists loaded at a time
)

// SetLengths sets the lengths of a segment's documents, which are on the device and which lists frees:
// width bytes each, which frequencies may exceed if foreign.
func (l *Lists) SetLengths(segment int, at kernels.Ptr, width int, foreign bool) {
	l.lengths[segment] = lengths{at: at, width: uint8(width)}
	if foreign {
		l.lengths[segment].foreign = 1
	}
}

// New allocates arenaBytes of device memory and a table of slots descriptors, the
// last reserved of which belong to the caller.
func New(dev cuda.Device, segs []Segment, views []View, arenaBytes int64, slots, reserved uint32) (*Lists, error) {
	l := &Lists{dev: dev, Zone: slots - reserved, ByKey: map[ListKey]*List{}, segments: segs, views: views, joiners: Joiners{Views: views}, epoch: 1,
		lengths: make([]lengths, len(segs)), Proven: newProven(segs), Refused: map[ListKey]error{},
		Coming: map[ListKey]chan struct{}{}, Loaders: make(chan *loader, Loaders)}
	if err := l.open(arenaBytes, slots); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Lists) open(arenaBytes int64, slots uint32) (err error) {
	dev := l.dev
	desc := int64(layout.DescSize)
	// Vector loads at the end of the arena may read past it.
	if l.base, err = dev.Alloc(arenaBytes + 256); err != nil {
		return err
	}
	if l.Table, err = dev.Alloc(desc * int64(slots)); err != nil {
		return err
	}
	for i := range Loaders {
		d, err := newLoader(dev, i)
		l.Loaders <- d
		if err != nil {
			return err
		}
	}
	if l.marker, err = newMarker(dev); err != nil {
		return err
	}
	l.Arena = layout.NewArena(l.base, arenaBytes)
	l.registered = make([][]byte, len(l.segments))
	for i, s := range l.segments {
		if len(l.views) < len(l.segments) {
			break // the processor reads what is joined
		}
		if m, ok := s.Seg.Data().(interface{ Mapped() []byte }); ok {
			b := m.Mapped()
			if len(b) > 0 && dev.Register(b) == nil {
				l.registered[i] = b
			}
		}
	}
	return nil
}

func (l *Lists) Close() {
	if l.Isolate {
		for _, r := range l.ByKey {
			l.Release(r.At, r.Size)
			l.unmark(r)
		}
	}
	for _, b := range l.registered {
		if b != nil {
			_ = l.dev.Unregister(b)
		}
	}
	for len(l.Loaders) > 0 {
		(<-l.Loaders).close()
	}
	l.marker.close()
	for _, p := range []kernels.Ptr{l.base, l.Table} {
		if p != 0 {
			_ = l.dev.Free(p)
		}
	}
	for _, n := range l.lengths {
		if n.at != 0 {
			_ = l.dev.Free(n.at)
		}
	}
}

// Refusal returns what is wrong with a list that failed a check, or nil.
func (l *Lists) Refusal(key ListKey) error {
	l.Mu.RLock()
	defer l.Mu.RUnlock()
	return l.Refused[key]
}

// Counters returns the counters.
func (l *Lists) Counters() Counters {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	s := l.stats
	s.Lists = int64(len(l.ByKey))
	s.Hits, s.HitBytes, s.Misses = l.found.hits.Load(), l.found.bytes.Load(), l.found.misses.Load()
	return s
}

// Key is where a list is: the index of its segment and the offset of its entry.
type Key struct {
	Segment int
	Offset  int64
}

// ListKey identifies a list on the device. fileKey alone would not if a dictionary is damaged:
// several of its entries may have one place, and each is checked as if it were the only one.
type ListKey struct {
	Key
	N     uint32 // postings
	parts uint32 // digest of the parts of a joined list
}

// Want is a list that a batch needs. List is nil if it was not resident when last looked
// up.
type Want struct {
	Key    ListKey
	Entry  segment.Entry // if not joined
	Joined *joined
	List   *List
}

// Look sets the lists of wants that are resident. It may run in several goroutines at
// once, and does nothing rather than wait for the lock.
func (l *Lists) Look(wants iter.Seq[*Want]) {
	if !l.Mu.TryRLock() {
		return
	}
	defer l.Mu.RUnlock()
	for w := range wants {
		w.List = l.ByKey[w.Key]
	}
}

// Peek returns a list that is resident, or nil, also rather than wait for the lock.
func (l *Lists) Peek(key ListKey) *List {
	if !l.Mu.TryRLock() {
		return nil
	}
	defer l.Mu.RUnlock()
	return l.ByKey[key]
}

// UnusedBytes returns how much memory is free.
func (l *Lists) UnusedBytes() int64 { return l.Arena.Free() }

// Find looks up wants and marks the lists it finds as used by batch epoch. It returns the
// wants that are missing and the lists whose presence words the caller must make. Several goroutines
// do so at once: a batch has thousands of wants.
func (l *Lists) Find(wants []*Want, epoch uint64) (missing []*Want, bare []*List) {
	l.Mu.RLock()
	defer l.Mu.RUnlock()
	bytes := int64(0)
	for _, w := range wants {
		if w.List == nil || w.List.Gone.Load() {
			w.List = l.ByKey[w.Key]
		}
		r := w.List
		if r == nil {
			missing = append(missing, w)
			continue
		}
		r.hold(epoch)
		r.Uses.Store(max(r.Uses.Load(), l.clock) + 1) // one of two uses at the same time may be lost
		if r.Bare.Load() > 0 && r.Bare.Add(-1) == 0 {
			bare = append(bare, r)
		}
		bytes += r.Size
	}
	l.found.hits.Add(int64(len(wants) - len(missing)))
	l.found.bytes.Add(bytes)
	l.found.misses.Add(int64(len(missing)))
	return missing, bare
}

// slot returns a free slot of the table.
func (l *Lists) slot() uint32 {
	if n := len(l.free); n > 0 {
		s := l.free[n-1]
		l.free = l.free[:n-1]
		return s
	}
	l.next++
	return l.next - 1
}
