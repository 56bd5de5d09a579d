package reader

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
)

// readUnit is the size of the smallest read, to which small ranges are rounded.
// It is a multiple of every alignment that ranges need.
const readUnit = 64 << 10

// remote is a file that is read on demand. It implements store.Data.
type remote struct {
	name   string
	r      io.ReaderAt
	size   int64
	cache  *cache
	closed atomic.Bool
}

func (f *remote) Size() int64 { return f.size }

// Range returns part of a cached unit for a range within one unit, and a buffer
// of its own for any other. The bytes stay valid after the cache has dropped
// them.
func (f *remote) Range(off, n int64) ([]byte, error) {
	if f.closed.Load() {
		return nil, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrClosed}
	}
	if off < 0 || n < 0 || off > f.size-n {
		e := format.Corrupt("%d bytes wanted, the file ends at %d", n, f.size)
		e.File, e.Offset = f.name, off
		return nil, e
	}
	if n == 0 {
		return nil, nil
	}
	at, length := off, n
	if start := off &^ (readUnit - 1); off+n <= start+readUnit && f.cache.takes(readUnit) {
		at, length = start, min(readUnit, f.size-start)
	}
	key := cacheKey{f, at, length}
	b := f.cache.get(key)
	if b == nil {
		b = format.AlignedBytes(int(length))
		if got, err := f.r.ReadAt(b, at); int64(got) < length {
			if err == nil || errors.Is(err, io.EOF) {
				e := format.Corrupt("the file ends at %d, not at %d", at+int64(got), f.size)
				e.File, e.Offset, e.Err = f.name, at, err
				return nil, e
			}
			return nil, fmt.Errorf("read %s at %d: %w", f.name, at, err)
		}
		f.cache.put(key, b)
	}
	return b[off-at : off-at+n], nil
}

// Forget drops the cached ranges with some of n bytes at off.
func (f *remote) Forget(off, n int64) {
	f.cache.drop(func(k cacheKey) bool { return k.file == f && k.off < off+n && off < k.off+k.length })
}

func (f *remote) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	f.cache.forget(f)
	if c, ok := f.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// cache keeps the most recently used byte ranges, up to a total size.
type cache struct {
	mu      sync.Mutex
	size    int64
	left    int64
	entries map[cacheKey]*list.Element
	order   list.List // of cacheEntry, most recently used first
}

type cacheKey struct {
	file        *remote
	off, length int64
}

type cacheEntry struct {
	key cacheKey
	b   []byte
}

func newCache(size int64) *cache {
	return &cache{size: size, left: size, entries: make(map[cacheKey]*list.Element)}
}

// takes reports whether a range of n bytes is cached. A large one would evict too
// much.
func (c *cache) takes(n int64) bool { return n <= c.size/4 }

func (c *cache) get(key cacheKey) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(cacheEntry).b
}

func (c *cache) put(key cacheKey, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] != nil || !c.takes(key.length) {
		return // two goroutines read it, or it is too large
	}
	c.entries[key] = c.order.PushFront(cacheEntry{key, b})
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

// forget drops the ranges of a file.
func (c *cache) forget(f *remote) { c.drop(func(k cacheKey) bool { return k.file == f }) }

// drop drops the ranges that are selected.
func (c *cache) drop(selected func(cacheKey) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Front(); e != nil; {
		next := e.Next()
		if selected(e.Value.(cacheEntry).key) {
			c.remove(e)
		}
		e = next
	}
}
