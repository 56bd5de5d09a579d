package posting

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Asks is how many queries ask for what a Cache keeps of a list before it is made.
const Asks = 4

// Room is the memory that the caches of a segment share.
type Room struct{ bytes atomic.Int64 }

// NewRoom returns room for that many bytes a document: DefaultDenseBytes for 0, none if it is negative.
func NewRoom(bytes int, docs uint32) *Room {
	switch {
	case bytes < 0:
		bytes = 0
	case bytes == 0:
		bytes = DefaultDenseBytes
	}
	r := new(Room)
	r.bytes.Store(int64(bytes) * int64(docs))
	return r
}

// take reports whether there was room for n bytes, which it takes.
func (r *Room) take(n uint64) bool {
	if r.bytes.Add(-int64(n)) >= 0 {
		return true
	}
	r.bytes.Add(int64(n))
	return false
}

// Bytes returns how many bytes are left.
func (r *Room) Bytes() uint64 { return uint64(max(r.bytes.Load(), 0)) }

// Cache keeps a V for each of some lists of one segment. It is safe for concurrent use.
type Cache[V any] struct {
	lists atomic.Pointer[map[int64]*V] // by the offset of the extent; never modified
	full  atomic.Bool
	room  *Room

	mu    sync.Mutex
	asked map[int64]uint8 // guarded by mu
	done  bool            // by Drop; guarded by mu
}

// NewCache returns an empty cache that takes memory from room.
func NewCache[V any](room *Room) *Cache[V] { return &Cache[V]{room: room} }

// Len returns how many lists are cached.
func (c *Cache[V]) Len() int {
	if m := c.lists.Load(); m != nil {
		return len(*m)
	}
	return 0
}

// Get returns what is kept of the list at an offset, or nil.
func (c *Cache[V]) Get(offset int64) *V {
	if m := c.lists.Load(); m != nil {
		return (*m)[offset]
	}
	return nil
}

// Want records that a query asked for what would take so many bytes of a list, and reports whether to make
// and Put it now. It may miss a query under contention.
func (c *Cache[V]) Want(offset int64, bytes uint64) bool {
	if c.full.Load() || !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	if c.done {
		return false
	}
	if c.room.Bytes() < bytes {
		c.full.Store(true)
		return false
	}
	if c.asked == nil {
		c.asked = map[int64]uint8{}
	}
	if c.asked[offset] >= Asks {
		return false // it is cached, or cannot be
	}
	c.asked[offset]++
	return c.asked[offset] == Asks && c.room.take(bytes)
}

// Put keeps v of a list.
func (c *Cache[V]) Put(offset int64, v *V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return
	}
	m := map[int64]*V{offset: v}
	if old := c.lists.Load(); old != nil {
		maps.Copy(m, *old)
	}
	c.lists.Store(&m)
}

// Refuse gives back what Want took for a list of which nothing is kept. Want does not ask for it again.
func (c *Cache[V]) Refuse(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room.bytes.Add(int64(bytes))
	c.full.Store(c.done)
}

// Drop frees what is kept, and keeps nothing from now on.
func (c *Cache[V]) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.asked = true, nil
	c.full.Store(true)
	c.lists.Store(nil)
}
