package residency

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

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

	segments map[int]*held // by number
	joiners  Joiners
	fields   int                       // of the index
	Refused  map[ListKey]error         // lists that failed a check
	Coming   map[ListKey]chan struct{} // lists that are being loaded; closed when that load is done
	Loaders  chan *loader              // those that are idle
	marker   *marker

	Least    uint32 // minimum number of postings for presence words
	AsStored bool   // lists are not recoded

	// isolate makes each list a separate allocation, for tests with the address
	// sanitizer.
	Isolate bool
}

// Counters count what lists have been through. Package gpu's Stats has the same fields.
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

// SetLengths sets the lengths of the documents of the segment with a number in a field, which are on the device until Close:
// width bytes each or as kernels.WidthUnit and WidthCoded say. Frequencies may exceed them if foreign.
func (l *Lists) SetLengths(segment, field int, at kernels.Ptr, width int, foreign bool) {
	n := &l.segments[segment].lengths[field]
	*n = lengths{at: at, width: uint8(width)}
	if foreign {
		n.foreign = 1
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

// Full reports whether memory has been too small for the lists that were wanted.
func (l *Lists) Full() bool {
	l.Mu.RLock()
	defer l.Mu.RUnlock()
	return l.stats.Evicted > 0
}
