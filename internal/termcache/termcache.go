// Package termcache caches what is known of frequent query terms: a lookup in the
// dictionaries takes ten times as long.
package termcache

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// Cache maps terms to values. It begins small and grows when a set is full, up to the number
// of sets it is made for. From then on a full set admits a term only on the second of two
// consecutive misses of that set, so that rare terms neither allocate nor evict. It is safe
// for concurrent use after Init.
type Cache[V any] struct {
	table   atomic.Pointer[table[V]]
	most    int // sets
	growing sync.Mutex
}

// table is the sets of a Cache. Their number is a power of two.
type table[V any] struct {
	sets []set[V]
	seen []atomic.Uint32 // by set: high bits of the hash of the last term that was not admitted
}

func newTable[V any](sets int) *table[V] {
	return &table[V]{make([]set[V], sets), make([]atomic.Uint32, sets)}
}

func (t *table[V]) index(hash uint64) uint64 { return hash & uint64(len(t.sets)-1) }

// free returns a place in set i that holds no term, or nil.
func (t *table[V]) free(i uint64) *place[V] {
	for k := range t.sets[i] {
		if p := &t.sets[i][k]; p.term.Load() == nil {
			return p
		}
	}
	return nil
}

// set is one cache line: the terms whose hashes have the same low bits.
type set[V any] [4]place[V]

type place[V any] struct {
	hash atomic.Uint64
	term atomic.Pointer[entry[V]]
}

func (p *place[V]) put(hash uint64, e *entry[V]) {
	p.term.Store(e)
	p.hash.Store(hash)
}

// entry is immutable. The bytes of a term are usually inline, since one more cache miss
// costs about as much as the rest of a lookup.
type entry[V any] struct {
	value V
	bytes []byte
	short [24]byte
}

// Hash returns the hash of a term, for Get and Put.
func Hash(term []byte) uint64 { return xxhash.Sum64(term) }

// leastSets is how many sets a Cache begins with, and growth how often it has more of them
// when it grows.
const (
	leastSets = 16
	growth    = 2
)

// Init makes an empty Cache of up to 4*sets terms. sets is a power of two.
func (c *Cache[V]) Init(sets int) {
	c.most = sets
	c.table.Store(newTable[V](min(sets, leastSets)))
}

// Get returns the value of a term with that hash, or nil.
func (c *Cache[V]) Get(hash uint64, term []byte) *V {
	t := c.table.Load()
	set := &t.sets[t.index(hash)]
	for i := range set {
		if set[i].hash.Load() == hash {
			if e := set[i].term.Load(); e != nil && bytes.Equal(e.bytes, term) {
				return &e.value
			}
		}
	}
	return nil
}

// Put adds a term with that hash, unless it is not to be admitted. fill sets its value,
// which must not change afterwards.
func (c *Cache[V]) Put(hash uint64, term []byte, fill func(v *V)) {
	t := c.table.Load()
	p := t.free(t.index(hash))
	for p == nil && len(t.sets) < c.most {
		t = c.grow(t)
		p = t.free(t.index(hash))
	}
	if p == nil {
		i := t.index(hash)
		if t.seen[i].Swap(uint32(hash>>32)) != uint32(hash>>32) {
			return
		}
		p = &t.sets[i][hash>>62]
	}
	e := new(entry[V])
	e.bytes = append(e.short[:0], term...)
	fill(&e.value)
	p.put(hash, e)
}

// grow returns a larger table with the terms of old, which may lack some that are put
// meanwhile.
func (c *Cache[V]) grow(old *table[V]) *table[V] {
	c.growing.Lock()
	defer c.growing.Unlock()
	if t := c.table.Load(); t != old {
		return t
	}
	t := newTable[V](min(growth*len(old.sets), c.most))
	for i := range old.sets {
		for k := range old.sets[i] {
			from := &old.sets[i][k]
			if e, hash := from.term.Load(), from.hash.Load(); e != nil && Hash(e.bytes) == hash {
				t.free(t.index(hash)).put(hash, e) // the terms of a set come from one set
			}
		}
	}
	c.table.Store(t)
	return t
}

// Drop removes all terms but those that are put meanwhile, and frees their memory.
func (c *Cache[V]) Drop() {
	c.growing.Lock()
	defer c.growing.Unlock()
	c.table.Store(newTable[V](min(c.most, leastSets)))
}
