package gpuload

import (
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// resident is one list on the device.
type resident struct {
	key      listKey
	slot     uint32 // in the table of descriptors
	at       kernels.Ptr
	size     int64
	stored   int64 // its size on disk
	blocks   uint32
	logBlock uint8
	codecs   kernels.CodecSet // of docIDs and frequencies
	elements bool             // docIDs can be searched without decoding blocks
	kth      [3]format.KthImpact
	quad     format.Quad
	n        uint32
	docs     uint32      // of the view
	marks    kernels.Ptr // presence words, or 0
	marked   int64       // their size in bytes

	// Batches raise these under the read lock of lists.mu; under its write lock they do not change.
	uses atomic.Uint64 // priority, see lists
	pin  atomic.Uint64 // epoch of the last batch that needs it
	bare atomic.Int32  // uses until it gets presence words; 0 or below: it has them, or gets none

	marking bool        // these are being made: it is not evicted; guarded by lists.mu
	gone    atomic.Bool // evicted; may be read without the lock
}

// hold keeps the list from being evicted while a batch of epoch is in flight.
func (r *resident) hold(epoch uint64) {
	for pin := r.pin.Load(); pin < epoch && !r.pin.CompareAndSwap(pin, epoch); pin = r.pin.Load() {
	}
}

// lists manages the table of descriptors and the extents on the device. When the arena is
// full it evicts the lists with the lowest priority. Each use raises a list's priority to
// the clock, if it is lower, and adds 1; the clock is the highest priority evicted so
// far. So frequent use counts, and old use counts less and less.
//
// It is safe for concurrent use. Loads hold mu for writing only to find room and to publish what
// they have loaded, and batches that find their lists hold it for reading.
type lists struct {
	mu    sync.RWMutex
	dev   cuda.Device
	arena *layout.Arena
	base  kernels.Ptr
	table kernels.Ptr // ListDesc[capacity]
	zone  uint32      // first slot reserved for the caller
	free  []uint32
	next  uint32
	byKey map[listKey]*resident
	clock uint64
	epoch uint64
	stats Stats // without Hits, HitBytes and Misses
	found struct{ hits, bytes, misses atomic.Int64 }

	segments   []segmentView
	views      []view
	joiners    joiners
	registered [][]byte  // mapped files that the device can copy from; nil for others
	lengths    []lengths // of the documents, by segment
	proven     proven
	refused    map[listKey]error         // lists that failed a check
	coming     map[listKey]chan struct{} // lists that are being loaded; closed when that load is done
	loaders    chan *loader              // those that are idle
	marker     *marker

	least    uint32 // minimum number of postings for presence words
	asStored bool   // lists are not recoded

	// isolate makes each list a separate allocation, for tests with the address
	// sanitizer.
	isolate bool
}

const (
	ringSize  = 4 << 20 // a longer one is not faster: it is filled, and then copied
	firstRing = 256 << 10
	firstRun  = 1 << 18  // bytes of the first copy from a mapping; the next lists are opened while it runs
	lastRun   = 32 << 20 // each copy is four times as long as the previous one, up to this
	mostGap   = 32 << 10 // bytes between lists that are copied with them: copying these takes less time than another copy
	checkSize = 4096     // maximum number of lists loaded at a time
)

// newLists allocates arenaBytes of device memory and a table of slots descriptors, the
// last reserved of which belong to the caller.
func newLists(dev cuda.Device, segs []segmentView, views []view, arenaBytes int64, slots, reserved uint32) (*lists, error) {
	l := &lists{dev: dev, zone: slots - reserved, byKey: map[listKey]*resident{}, segments: segs, views: views, joiners: joiners{views: views}, epoch: 1,
		lengths: make([]lengths, len(segs)), proven: newProven(segs), refused: map[listKey]error{},
		coming: map[listKey]chan struct{}{}, loaders: make(chan *loader, loaders)}
	if err := l.open(arenaBytes, slots); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lists) open(arenaBytes int64, slots uint32) (err error) {
	dev := l.dev
	desc := int64(layout.DescSize)
	// Vector loads at the end of the arena may read past it.
	if l.base, err = dev.Alloc(arenaBytes + 256); err != nil {
		return err
	}
	if l.table, err = dev.Alloc(desc * int64(slots)); err != nil {
		return err
	}
	for i := range loaders {
		d, err := newLoader(dev, i)
		l.loaders <- d
		if err != nil {
			return err
		}
	}
	if l.marker, err = newMarker(dev); err != nil {
		return err
	}
	l.arena = layout.NewArena(l.base, arenaBytes)
	l.registered = make([][]byte, len(l.segments))
	for i, s := range l.segments {
		if len(l.views) < len(l.segments) {
			break // the processor reads what is joined
		}
		if m, ok := s.seg.Data().(interface{ Mapped() []byte }); ok {
			b := m.Mapped()
			if len(b) > 0 && dev.Register(b) == nil {
				l.registered[i] = b
			}
		}
	}
	return nil
}

func (l *lists) close() {
	if l.isolate {
		for _, r := range l.byKey {
			l.release(r.at, r.size)
			l.unmark(r)
		}
	}
	for _, b := range l.registered {
		if b != nil {
			_ = l.dev.Unregister(b)
		}
	}
	for len(l.loaders) > 0 {
		(<-l.loaders).close()
	}
	l.marker.close()
	for _, p := range []kernels.Ptr{l.base, l.table} {
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

// why returns the reason why the device cannot answer a query: what is wrong with one of
// its lists, or ErrUnsupported.
func (l *lists) why(p *plan) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := range p.lists {
		if err := l.refused[p.lists[i].want.key]; err != nil && p.lists[i].small == nil && p.lists[i].n > 0 {
			return err
		}
	}
	return ErrUnsupported
}

// counters returns Stats without Busy.
func (l *lists) counters() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Lists = int64(len(l.byKey))
	s.Hits, s.HitBytes, s.Misses = l.found.hits.Load(), l.found.bytes.Load(), l.found.misses.Load()
	return s
}

// listKey identifies a list on the device. Key alone would not if a dictionary is damaged:
// several of its entries may have one place, and each is checked as if it were the only one.
type listKey struct {
	Key
	n     uint32 // postings
	parts uint32 // digest of the parts of a joined list
}

// want is a list that a batch needs. list is nil if it was not resident when last looked
// up.
type want struct {
	key    listKey
	entry  segment.Entry // if not joined
	joined *joined
	list   *resident
}

// look sets the lists of postings that are resident. It may run in several goroutines at
// once, and does nothing rather than wait for the lock.
func (l *lists) look(postings []posting) {
	if !l.mu.TryRLock() {
		return
	}
	defer l.mu.RUnlock()
	for i := range postings {
		if p := &postings[i]; p.n > 0 && p.small == nil {
			p.want.list = l.byKey[p.want.key]
		}
	}
}

// find looks up wants and marks the lists it finds as used by batch epoch. It returns the
// wants that are missing and the lists whose presence words the caller must make. Several goroutines
// do so at once: a batch has thousands of wants.
func (l *lists) find(wants []*want, epoch uint64) (missing []*want, bare []*resident) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	bytes := int64(0)
	for _, w := range wants {
		if w.list == nil || w.list.gone.Load() {
			w.list = l.byKey[w.key]
		}
		r := w.list
		if r == nil {
			missing = append(missing, w)
			continue
		}
		r.hold(epoch)
		r.uses.Store(max(r.uses.Load(), l.clock) + 1) // one of two uses at the same time may be lost
		if r.bare.Load() > 0 && r.bare.Add(-1) == 0 {
			bare = append(bare, r)
		}
		bytes += r.size
	}
	l.found.hits.Add(int64(len(wants) - len(missing)))
	l.found.bytes.Add(bytes)
	l.found.misses.Add(int64(len(missing)))
	return missing, bare
}

// slot returns a free slot of the table.
func (l *lists) slot() uint32 {
	if n := len(l.free); n > 0 {
		s := l.free[n-1]
		l.free = l.free[:n-1]
		return s
	}
	l.next++
	return l.next - 1
}
