package pool

import "sync/atomic"

// ring is Vyukov's bounded lock-free queue for any number of producers and consumers. The turn
// of a cell determines which push or pop may use it.
//
// Workers that take small tasks contend for head. A goroutine that loses a round pauses, since
// each attempt takes the cache line away from the goroutine that succeeds next. Neighbors in
// the queue are apart in memory.
type ring[T any] struct {
	cells []cell[T]
	mask  uint64
	_     [48]byte // head and tail in cache lines of their own
	head  atomic.Uint64
	_     [56]byte
	tail  atomic.Uint64
	_     [56]byte
}

type cell[T any] struct {
	turn  atomic.Uint64
	value T
}

// apart is the distance between neighbors in the queue, in cells. It is odd, so that all cells
// are used.
const apart = 13

func (r *ring[T]) cell(at uint64) *cell[T] { return &r.cells[at*apart&r.mask] }

// newRing returns a ring of n cells, a power of two.
func newRing[T any](n int) *ring[T] {
	r := &ring[T]{cells: make([]cell[T], n), mask: uint64(n - 1)}
	for i := range r.cells {
		r.cell(uint64(i)).turn.Store(uint64(i))
	}
	return r
}

// push adds v and reports whether there was room.
func (r *ring[T]) push(v T) bool {
	for {
		at := r.tail.Load()
		c := r.cell(at)
		switch turn := c.turn.Load(); {
		case turn == at:
			if r.tail.CompareAndSwap(at, at+1) {
				c.value = v
				c.turn.Store(at + 1)
				return true
			}
			relax(1)
		case turn < at:
			return false
		}
	}
}

// pop removes the oldest value; ok is false if there is none.
func (r *ring[T]) pop() (v T, ok bool) {
	for {
		at := r.head.Load()
		c := r.cell(at)
		switch turn := c.turn.Load(); {
		case turn == at+1:
			if r.head.CompareAndSwap(at, at+1) {
				v = c.value
				var zero T
				c.value = zero
				c.turn.Store(at + r.mask + 1)
				return v, true
			}
			relax(pauses)
		case turn < at+1:
			return v, false
		}
	}
}

// len returns the number of values. It is approximate while others push or pop.
func (r *ring[T]) len() int { return int(int64(r.tail.Load() - r.head.Load())) }
