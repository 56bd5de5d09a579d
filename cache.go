package pinion

import (
	"container/list"
	"sync"
)

// cache holds the pages of one state that were asked for last, within a number of bytes. A nil
// *cache holds none.
type cache struct {
	room int // in bytes

	mu     sync.Mutex
	state  uint64 // the number of the state
	taken  int
	pages  map[string]*list.Element
	recent list.List // of *cached, the one asked for last in front
}

type cached struct {
	key  string
	page Page
	size int
}

// overhead is about what a cached page takes beside its content and key.
const overhead = 256

func newCache(room int) *cache {
	if room <= 0 {
		return nil
	}
	return &cache{room: room, pages: make(map[string]*list.Element)}
}

// get returns the page of a key in a state.
func (c *cache) get(state uint64, key string) (Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e == nil || state != c.state {
		return Page{}, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).page, true
}

// put keeps the page of a key in a state, if that is the newest, in place of those that were not
// asked for for longest.
func (c *cache) put(state uint64, key string, p Page) {
	n := size(&p) + 2*len(key) + overhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != c.state || n > c.room || c.pages[key] != nil {
		return
	}
	for c.taken+n > c.room {
		c.drop(c.recent.Back())
	}
	c.taken += n
	c.pages[key] = c.recent.PushFront(&cached{key, p, n})
}

func (c *cache) drop(e *list.Element) {
	x := c.recent.Remove(e).(*cached)
	delete(c.pages, x.key)
	c.taken -= x.size
}

// forget drops all pages: from now on they are those of a state.
func (c *cache) forget(state uint64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.taken = state, 0
	clear(c.pages)
	c.recent.Init()
}
