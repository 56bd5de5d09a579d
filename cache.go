package pinion

import (
	"container/list"
	"encoding/binary"
	"math"
	"sync"
	"unsafe"

	"github.com/pinion-index/pinion/query"
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
	if c == nil {
		return Page{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e == nil || state != c.state {
		return Page{}, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).page, true
}

// appendNode appends what tells a node from all others.
func appendNode(dst []byte, n query.Node) []byte {
	text := func(kind byte, field, text string, mode query.Mode, boost float64) {
		dst = append(dst, kind)
		dst = appendText(appendText(dst, field), text)
		dst = binary.LittleEndian.AppendUint64(append(dst, byte(mode)), math.Float64bits(boost))
	}
	list := func(kind byte, nodes []query.Node) {
		dst = binary.AppendUvarint(append(dst, kind), uint64(len(nodes)))
		for _, x := range nodes {
			dst = appendNode(dst, x)
		}
	}
	switch n := n.(type) {
	case query.Match:
		text('m', n.Field, n.Text, n.Mode, n.Boost)
	case query.Term:
		text('t', n.Field, string(n.Term), 0, n.Boost)
	case query.All:
		list('a', n.Nodes)
	case query.Any:
		list('o', n.Nodes)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// key returns what tells r from all other requests.
func key(r *Request) string {
	dst := appendNode(nil, r.Query)
	dst = binary.AppendVarint(dst, int64(r.K))
	if r.After != nil {
		dst = binary.LittleEndian.AppendUint32(append(dst, 'p'), math.Float32bits(r.After.Score))
		dst = appendText(dst, string(r.After.ID))
	}
	if r.Snippet != nil {
		dst = binary.AppendVarint(appendText(append(dst, 's'), r.Snippet.Field), int64(r.Snippet.Length))
	}
	for _, f := range r.Fields {
		dst = appendText(append(dst, 'f'), f)
	}
	return string(dst)
}

// size returns about what a page takes.
func size(p *Page) int {
	n := 0
	for i := range p.Hits {
		h := &p.Hits[i]
		n += int(unsafe.Sizeof(*h)) + len(h.ID) + len(h.Text) + len(h.Spans)*int(unsafe.Sizeof(Span{})) + len(h.Values)*int(unsafe.Sizeof(Value{}))
		for _, v := range h.Values {
			n += len(v.Bytes())
		}
	}
	return n
}

// put keeps the page of a key in a state, if that is the newest, in place of those that were not
// asked for for longest.
func (c *cache) put(state uint64, key string, p Page) {
	if c == nil {
		return
	}
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
