package node

import (
	"container/list"
	"sync"

	"github.com/pinion-index/pinion/httpapi"
)

// cache remembers answers of one state of the map, those used last.
type cache struct {
	most int

	mu       sync.Mutex
	revision uint64
	order    list.List // of *cached, the last used first
	by       map[string]*list.Element
}

type cached struct {
	request string
	answer  *httpapi.Response
}

// get returns an answer, which must not be changed, or nil.
func (c *cache) get(revision uint64, request []byte) *httpapi.Response {
	if c.most == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[string(request)]
	if e == nil || c.revision != revision {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).answer
}

// put remembers an answer, unless it is of a state before that of others.
func (c *cache) put(revision uint64, request []byte, a *httpapi.Response) {
	if c.most == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if revision < c.revision {
		return
	}
	if revision > c.revision {
		c.revision, c.by = revision, map[string]*list.Element{}
		c.order.Init()
	}
	if c.by[string(request)] != nil {
		return
	}
	c.by[string(request)] = c.order.PushFront(&cached{string(request), a})
	if c.order.Len() > c.most {
		last := c.order.Back()
		delete(c.by, last.Value.(*cached).request)
		c.order.Remove(last)
	}
}
