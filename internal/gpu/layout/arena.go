package layout

import (
	"math/bits"
	"sync"

	"github.com/pinion-index/pinion/internal/kernels"
)

// grain is the unit of an Arena, the alignment of list extents.
const grain = 64

// Arena allocates ranges of a block of device memory. Free ranges are kept in bins by
// size class, four per power of two, and adjacent ones are joined. A part of a range can
// be freed, so extents loaded as one range can be freed list by list.
//
// It is safe for concurrent use.
type Arena struct {
	mu     sync.Mutex
	base   kernels.Ptr
	size   int64
	free   int64
	bins   [256]map[int64]int64 // start to length, in bytes from base
	starts map[int64]int64      // length of each free range by its start
	ends   map[int64]int64      // start of each free range by its end
}

// NewArena returns an Arena for the size bytes of device memory at base.
func NewArena(base kernels.Ptr, size int64) *Arena {
	a := &Arena{base: base, size: size &^ (grain - 1), starts: map[int64]int64{}, ends: map[int64]int64{}}
	a.put(0, a.size)
	a.free = a.size
	return a
}

// class returns the bin of a length: four per power of two.
func class(n int64) int {
	u := uint64(n / grain)
	if u < 4 {
		return int(u)
	}
	l := bits.Len64(u) - 1
	return 4*l + int(u>>(l-2)&3)
}

func (a *Arena) put(at, n int64) {
	if n == 0 {
		return
	}
	c := class(n)
	if a.bins[c] == nil {
		a.bins[c] = map[int64]int64{}
	}
	a.bins[c][at] = n
	a.starts[at], a.ends[at+n] = n, at
}

func (a *Arena) take(at, n int64) {
	delete(a.bins[class(n)], at)
	delete(a.starts, at)
	delete(a.ends, at+n)
}

// Alloc allocates a range of n bytes, rounded up to a multiple of 64. It reports false if
// no free range is long enough or n is not positive.
func (a *Arena) Alloc(n int64) (kernels.Ptr, bool) {
	n = (n + grain - 1) &^ (grain - 1)
	if n <= 0 {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := class(n); c < len(a.bins); c++ {
		best, length := int64(-1), int64(0)
		for at, l := range a.bins[c] {
			if l >= n && (best < 0 || l < length || l == length && at < best) {
				best, length = at, l
			}
			if c > class(n) && best >= 0 {
				break // any range of a higher class is long enough
			}
		}
		if best < 0 {
			continue
		}
		a.take(best, length)
		a.put(best+n, length-n)
		a.free -= n
		return a.base + kernels.Ptr(best), true
	}
	return 0, false
}

// Release frees the n bytes at p, which are all or part of a range that Alloc returned.
func (a *Arena) Release(p kernels.Ptr, n int64) {
	n = (n + grain - 1) &^ (grain - 1)
	at := int64(p - a.base)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free += n
	if l, ok := a.starts[at+n]; ok {
		a.take(at+n, l)
		n += l
	}
	if s, ok := a.ends[at]; ok {
		l := a.starts[s]
		a.take(s, l)
		at, n = s, n+l
	}
	a.put(at, n)
}

// Size returns the total number of bytes.
func (a *Arena) Size() int64 { return a.size }

// Free returns the number of free bytes.
func (a *Arena) Free() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.free
}

// Largest returns the length of the longest free range.
func (a *Arena) Largest() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	var m int64
	for _, n := range a.starts {
		m = max(m, n)
	}
	return m
}
