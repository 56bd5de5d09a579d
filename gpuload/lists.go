package gpuload

import (
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/segment"
)

// resident is one list on the device.
type resident struct {
	key      Key
	slot     uint32 // in the table of descriptors
	at       kernels.Ptr
	size     int64
	blocks   uint32
	logBlock uint8
	codecs   kernels.CodecSet // of docIDs and frequencies
	elements bool             // docIDs can be found by single elements
	kth      [3]format.KthImpact
	quad     format.Quad
	n        uint32
	marks    kernels.Ptr // its presence words, or 0
	marked   int64       // bytes that they take

	// Guarded by lists.mu.
	uses float64 // priority: the clock when it was loaded or last used, plus uses
	pin  uint64  // the last batch that needs it
	bare bool    // its next use makes presence words
	gone bool    // evicted
}

// lists keeps the table of descriptors and the extents on the device. When the
// arena is full it evicts the lists of least priority. A list's priority is the clock
// at its last use plus the number of its uses; the clock is the highest priority evicted
// so far. So frequent use counts, and use long ago counts less and less.
//
// It is safe for concurrent use.
type lists struct {
	mu    sync.RWMutex
	dev   cuda.Device
	arena *layout.Arena
	base  kernels.Ptr
	table kernels.Ptr // ListDesc[capacity]
	zone  uint32      // first slot that lists itself does not use
	free  []uint32
	next  uint32
	byKey map[Key]*resident
	clock float64
	epoch uint64
	stats Stats

	segments   []*segment.Segment
	registered [][]byte    // mapped files that copies may read, nil where not
	ring       []byte      // staging for the others
	scratch    kernels.Ptr // which[] and status[] of a validation
	pinned     []byte
	damaged    error // the first list that failed validation

	least uint32 // postings from which on a list gets presence words

	// isolate makes every list an allocation of its own, for tests under the
	// address sanitizer.
	isolate bool
}

const (
	ringSize  = 64 << 20
	firstRun  = 1 << 18  // bytes of the first copy from a mapping: while it runs the next lists are opened
	lastRun   = 32 << 20 // each copy is four times as long as the one before, up to this
	checkSize = 4096     // lists validated in one launch
)

// newLists takes arenaBytes of device memory, and a table of slots descriptors of
// which the last reserved are the caller's.
func newLists(dev cuda.Device, segs []*segment.Segment, arenaBytes int64, slots, reserved uint32) (*lists, error) {
	l := &lists{dev: dev, zone: slots - reserved, byKey: map[Key]*resident{}, segments: segs, epoch: 1}
	if err := l.open(arenaBytes, slots); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lists) open(arenaBytes int64, slots uint32) (err error) {
	dev := l.dev
	desc := int64(layout.DescSize)
	// Vector loads at the end of the arena read a little beyond it.
	if l.base, err = dev.Alloc(arenaBytes + 256); err != nil {
		return err
	}
	if l.table, err = dev.Alloc(desc * int64(slots)); err != nil {
		return err
	}
	if l.scratch, err = dev.Alloc(8 * checkSize); err != nil {
		return err
	}
	if l.pinned, err = dev.HostAlloc(8*checkSize + int(desc)*checkSize); err != nil {
		return err
	}
	l.arena = layout.NewArena(l.base, arenaBytes)
	l.registered = make([][]byte, len(l.segments))
	for i, s := range l.segments {
		if m, ok := s.Data().(interface{ Mapped() []byte }); ok {
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
	for _, p := range []kernels.Ptr{l.base, l.table, l.scratch} {
		if p != 0 {
			_ = l.dev.Free(p)
		}
	}
	for _, b := range [][]byte{l.pinned, l.ring} {
		if b != nil {
			_ = l.dev.HostFree(b)
		}
	}
}

// firstDamage returns the error of the first list that failed validation, or nil.
func (l *lists) firstDamage() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.damaged
}

// counters returns Stats but for Busy.
func (l *lists) counters() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Lists = int64(len(l.byKey))
	return s
}

// want is a list that a batch needs; list is where it was found last, or nil.
type want struct {
	key   Key
	entry segment.Entry
	list  *resident
}

// look finds the lists of postings ahead of find, which holds the lock alone and is short
// then. Several goroutines can look at the same time; look does nothing if it had to wait.
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

// find looks wants up and marks what it finds as used by batch epoch. It also returns the
// lists found of which the caller must make the presence words.
func (l *lists) find(wants []*want, epoch uint64) (missing []*want, bare []*resident) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range wants {
		if w.list == nil || w.list.gone {
			w.list = l.byKey[w.key]
		}
		if w.list == nil {
			missing = append(missing, w)
			l.stats.Misses++
			continue
		}
		w.list.pin = max(w.list.pin, epoch)
		w.list.uses = max(w.list.uses, l.clock) + 1
		if w.list.bare {
			w.list.bare = false
			bare = append(bare, w.list)
		}
		l.stats.Hits++
		l.stats.HitBytes += w.list.size
	}
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
