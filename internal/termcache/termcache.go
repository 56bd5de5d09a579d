// Package termcache caches what is known of frequent query terms: a lookup in the
// dictionaries takes ten times as long.
package termcache

import (
	"bytes"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// Cache maps terms to values. When a set is full, it admits a term only on the second of
// two consecutive misses of that set, so that rare terms neither allocate nor evict. It is
// safe for concurrent use after Init.
type Cache[V any] struct {
	sets []set[V]
	seen []atomic.Uint32 // by set: high bits of the hash of the last term that was not admitted
}

// set is one cache line: the terms whose hashes have the same low bits.
type set[V any] [4]struct {
	hash atomic.Uint64
	term atomic.Pointer[entry[V]]
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

// Init makes an empty Cache of 4*sets terms. sets is a power of two.
func (c *Cache[V]) Init(sets int) {
	c.sets, c.seen = make([]set[V], sets), make([]atomic.Uint32, sets)
}

// Get returns the value of a term with that hash, or nil.
func (c *Cache[V]) Get(hash uint64, term []byte) *V {
	set := &c.sets[hash&uint64(len(c.sets)-1)]
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
	i := hash & uint64(len(c.sets)-1)
	way := &c.sets[i][hash>>62]
	for k := range c.sets[i] {
		if w := &c.sets[i][k]; w.term.Load() == nil {
			way = w
			break
		}
	}
	if way.term.Load() != nil && c.seen[i].Swap(uint32(hash>>32)) != uint32(hash>>32) {
		return
	}
	e := new(entry[V])
	e.bytes = append(e.short[:0], term...)
	fill(&e.value)
	way.term.Store(e)
	way.hash.Store(hash)
}
