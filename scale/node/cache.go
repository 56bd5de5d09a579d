package node

import (
	"container/list"
	"sync"

	"github.com/pinion-index/pinion/httpapi"
)

// cache remembers answers of one view, those used last.
type cache struct {
	most int

	mu    sync.Mutex
	view  uint64    // its number
	order list.List // of *cached, the last used first
	by    map[string]*list.Element
}

type cached struct {
	request string
	answer  *httpapi.Response
}

// get returns an answer, which must not be changed, or nil.
func (c *cache) get(view uint64, request []byte) *httpapi.Response {
	if c.most == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[string(request)]
	if e == nil || c.view != view {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).answer
}

// put remembers an answer, unless it is of a view before that of others.
func (c *cache) put(view uint64, request []byte, a *httpapi.Response) {
	if c.most == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if view < c.view {
		return
	}
	if view > c.view {
		c.view, c.by = view, map[string]*list.Element{}
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
