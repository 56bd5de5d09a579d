package query

import (
	"bytes"
	"sync/atomic"

	"github.com/pinion-index/pinion/segment"
)

// termCache caches the dictionary entries of frequent query terms: a lookup in the dictionaries
// takes ten times as long. When a set is full, it admits a term only on the second of two
// consecutive misses of that set, so that rare terms neither allocate nor evict. It is safe for
// concurrent use.
type termCache struct {
	sets []termSet
	seen []atomic.Uint32 // by set: high bits of the hash of the last term that was not admitted
}

// termSet is one cache line: the terms whose hashes have the same low bits.
type termSet [4]struct {
	hash atomic.Uint64
	term atomic.Pointer[cachedTerm]
}

// cachedTerm is immutable. Its term and entry are usually inline, since one more cache miss costs
// about as much as the rest of a lookup.
type cachedTerm struct {
	df      uint64
	weight  float32
	bytes   []byte
	entries []segment.Entry
	short   [24]byte
	one     [1]segment.Entry
}

func newCachedTerm(t *term) *cachedTerm {
	c := &cachedTerm{df: t.df, weight: t.weight}
	c.bytes = append(c.short[:0], t.bytes...)
	c.entries = append(c.one[:0], t.entries...)
	return c
}

// maxCachedEntries bounds a termCache: terms times segments.
const maxCachedEntries = 1 << 15

func (c *termCache) init(parts int) {
	n := 1 << 12
	for n > 16 && 4*n*parts > maxCachedEntries {
		n /= 2
	}
	c.sets, c.seen = make([]termSet, n), make([]atomic.Uint32, n)
}

func (c *termCache) get(hash uint64, term []byte) *cachedTerm {
	set := &c.sets[hash&uint64(len(c.sets)-1)]
	for i := range set {
		if set[i].hash.Load() == hash {
			if t := set[i].term.Load(); t != nil && bytes.Equal(t.bytes, term) {
				return t
			}
		}
	}
	return nil
}

func (c *termCache) put(hash uint64, t *term) {
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
	way.term.Store(newCachedTerm(t))
	way.hash.Store(hash)
}
