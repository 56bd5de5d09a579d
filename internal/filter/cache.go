package filter

import (
	"container/list"
	"sync"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/segment"
)

// cache keeps the sets of one segment, in order of use. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	sets  map[string]*list.Element // of *kept
	order list.List                // the one used last is in front
	bytes uint64
}

// kept is a set with the key of its filter.
type kept struct {
	key   string
	set   *docset.Set
	bytes uint64
}

// cacheOf is the key of the cache of a segment.
type cacheOf struct{}

// Cached is Eval that keeps sets with the open segment, for all who have it open: up to so many bytes, the ones used
// last.
func (c *Compiled) Cached(seg *segment.Segment, bytes uint64) (*docset.Set, error) {
	if c.All() || c.None() {
		return c.Eval(seg)
	}
	k := seg.Attached(cacheOf{}, func() any { return &cache{sets: map[string]*list.Element{}} }).(*cache)
	if s := k.get(c.key); s != nil {
		return s, nil
	}
	s, err := c.Eval(seg)
	if err == nil {
		k.put(c.key, s, bytes)
	}
	return s, err
}

// get returns a set, or nil if it is not kept.
func (k *cache) get(key string) *docset.Set {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.sets[key]
	if e == nil {
		return nil
	}
	k.order.MoveToFront(e)
	return e.Value.(*kept).set
}

// put keeps a set, and drops others until all take so many bytes at most.
func (k *cache) put(key string, s *docset.Set, bytes uint64) {
	x := &kept{key, s, s.Bytes() + uint64(2*len(key)) + 128}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sets[key] != nil || x.bytes > bytes {
		return
	}
	k.sets[key] = k.order.PushFront(x)
	for k.bytes += x.bytes; k.bytes > bytes; {
		last := k.order.Remove(k.order.Back()).(*kept)
		delete(k.sets, last.key)
		k.bytes -= last.bytes
	}
}
