package engine

import "sync/atomic"

// cachedTerm is what a Searcher keeps of a frequent query term: its entries in the
// dictionaries, and what follows from them. A single entry is inline, to save a cache miss.
type cachedTerm struct {
	df      uint64
	weight  float32
	entries []entry
	one     [1]entry
	info    atomic.Pointer[TermInfo] // nil until it is asked for
}

// set makes c the copy of t.
func (c *cachedTerm) set(t *term) {
	c.df, c.weight = t.df, t.weight
	c.entries = append(c.one[:0], t.entries...)
}

// maxCachedEntries bounds a Searcher's cache: terms times segments.
const maxCachedEntries = 1 << 15

// cacheSets returns the number of sets, of four terms, for that many segments.
func cacheSets(parts int) int {
	n := 1 << 12
	for n > 16 && 4*n*parts > maxCachedEntries {
		n /= 2
	}
	return n
}
