package reader

import (
	"container/list"
	"sync"

	"github.com/pinion-index/pinion/format"
)

// readUnit is the size of the smallest read, to which small ranges are rounded.
// It is a multiple of every alignment that ranges need.
const readUnit = 64 << 10

// cache keeps the most recently used byte ranges, up to a total size: units, and longer
// ranges that begin with a page. Its lock also guards the reads under way of all files.
type cache struct {
	mu      sync.Mutex
	size    int64
	left    int64
	entries map[cacheKey]*list.Element
	order   list.List     // of cacheEntry, most recently used first
	slots   chan struct{} // has an element for each read under way
}

// maxReads is how many reads of an index are under way at most, stuck ones included.
const maxReads = 64

// cacheKey is where a range begins.
type cacheKey struct {
	file *remote
	off  int64
}

type cacheEntry struct {
	key cacheKey
	b   []byte
}

func newCache(size int64) *cache {
	return &cache{size: size, left: size, entries: make(map[cacheKey]*list.Element), slots: make(chan struct{}, maxReads)}
}

// takes reports whether a range of n bytes is cached. A large one would evict too
// much.
func (c *cache) takes(n int64) bool { return n <= c.size/4 }

// get returns the cached range that begins at off of f if it has at least n bytes, or nil. Its
// caller holds mu, as those of all methods below.
func (c *cache) get(f *remote, off, n int64) []byte {
	e := c.entries[cacheKey{f, off}]
	if e == nil || int64(len(e.Value.(cacheEntry).b)) < n {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(cacheEntry).b
}

// put adds a range in place of the units that it holds.
func (c *cache) put(f *remote, off int64, b []byte) {
	end := off + int64(len(b))
	if !c.takes(int64(len(b))) || c.get(f, off, int64(len(b))) != nil {
		return
	}
	for at := off; at+readUnit <= end || at == off; at = at/readUnit*readUnit + readUnit {
		if e := c.entries[cacheKey{f, at}]; e != nil {
			c.remove(e)
		}
	}
	c.entries[cacheKey{f, off}] = c.order.PushFront(cacheEntry{cacheKey{f, off}, b})
	c.left -= int64(cap(b))
	for c.left < 0 {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	x := c.order.Remove(e).(cacheEntry)
	delete(c.entries, x.key)
	c.left += int64(cap(x.b))
}

// drop drops the ranges with some of the n bytes at off of f.
func (c *cache) drop(f *remote, off, n int64) {
	for e := c.order.Front(); e != nil; {
		next := e.Next()
		if x := e.Value.(cacheEntry); x.key.file == f && x.key.off < off+n && off < x.key.off+int64(len(x.b)) {
			c.remove(e)
		}
		e = next
	}
}

// span is a range of a file.
type span struct{ off, end int64 }

// contains reports whether s contains the n bytes at off.
func (s span) contains(off, n int64) bool { return s.off <= off && off+n <= s.end }

// pagesOf returns the pages of n bytes at off of a file of size bytes.
func pagesOf(off, n, size int64) span {
	const page = format.PageSize
	return span{off / page * page, min((off+n+page-1)/page*page, size)}
}

// readable returns what is read for n bytes at off that nobody has asked for before: the unit that holds them all, if units are
// cached, or their pages. Of what is on its way, or was read by pages, it is the pages.
func (f *remote) readable(off, n int64) span {
	pages := pagesOf(off, n, f.size)
	at := off / readUnit * readUnit
	if off+n > at+readUnit || !f.cache.takes(readUnit) {
		return pages
	}
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	if f.bringing(pages) != nil || f.cache.get(f, pages.off, pages.end-pages.off) != nil {
		return pages
	}
	return span{at, min(at+readUnit, f.size)}
}
