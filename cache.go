package pinion

import (
	"container/list"
	"encoding/binary"
	"math"
	"sync"
	"unsafe"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// cache holds pages of one state, within a number of bytes: a result cache as in section 5 of
// Ding et al., Using Graphics Processors for High Performance IR Query Processing. Pages that
// were asked for again have four fifths of it, so that pages that are asked for once do not drive
// them out (Karedla et al., Caching Strategies to Improve Disk System Performance). A nil *cache
// holds none.
type cache struct {
	room int // in bytes

	mu    sync.Mutex
	state uint64 // the number of the state
	taken int
	pages map[string]*list.Element
	// Of *cached, the one asked for last in front.
	once  list.List // since they came, or since they left again
	again list.List
	often int // bytes of again
}

type cached struct {
	key   string
	page  Page
	size  int
	again bool // it is in that list
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
	x := e.Value.(*cached)
	if x.again {
		c.again.MoveToFront(e)
		return x.page, true
	}
	c.move(e)
	for c.often > c.room/5*4 && c.again.Len() > 1 {
		c.move(c.again.Back())
	}
	return x.page, true
}

// move moves a page to the front of the other list.
func (c *cache) move(e *list.Element) {
	x := e.Value.(*cached)
	if x.again {
		c.again.Remove(e)
		c.often -= x.size
		c.pages[x.key] = c.once.PushFront(x)
	} else {
		c.once.Remove(e)
		c.often += x.size
		c.pages[x.key] = c.again.PushFront(x)
	}
	x.again = !x.again
}

func appendNumber(dst []byte, kind byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, kind), math.Float64bits(x))
}

// flag returns 1 for true.
func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// key returns what tells r from all other requests.
func key(r *Request) string {
	var dst []byte
	if r.Fuse != nil {
		dst = appendFuse(dst, r.Fuse)
	}
	if r.Fuse == nil || r.Query != nil {
		dst = query.AppendKey(dst, r.Query)
	}
	if r.Filter == nil {
		dst = append(dst, 0) // a Limit would begin as a filter does
	} else {
		dst = query.AppendKey(append(dst, 'F'), r.Filter)
	}
	dst = binary.AppendVarint(binary.AppendVarint(dst, int64(r.Limit)), int64(r.Offset))
	if r.K1 != 0 || r.B != 0 {
		dst = binary.LittleEndian.AppendUint64(append(dst, 'k'), math.Float64bits(r.K1))
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.B))
	}
	if r.Scorer != "" {
		dst = appendText(append(dst, 'm'), r.Scorer)
	}
	if x := r.Rescore; x != nil {
		dst = appendRanking(append(dst, 'r'), x.Query, x.N, x.Weight)
	}
	if r.Total {
		dst = append(dst, 't')
	}
	if r.Nearest {
		dst = append(dst, 'n')
	}
	if r.After != nil {
		dst = binary.LittleEndian.AppendUint32(append(dst, 'p'), math.Float32bits(r.After.Score))
		dst = appendText(dst, r.After.ID)
		for _, v := range r.After.Sort {
			dst = appendValue(dst, v)
		}
		for _, v := range r.After.Order {
			dst = appendValue(append(dst, 'o'), v)
		}
	}
	dst = appendColumns(dst, r)
	if r.Snippet != nil {
		dst = appendSnippet(dst, r.Snippet)
	}
	for _, f := range r.Fields {
		dst = appendText(append(dst, 'f'), f)
	}
	return string(dst)
}

// appendFuse begins with a byte that no key of a node begins with.
func appendFuse(dst []byte, f *Fuse) []byte {
	dst = appendNumber(append(dst, 0xfe, byte(f.By)), 'c', f.RankConstant)
	dst = binary.AppendUvarint(dst, uint64(len(f.Lists)))
	for _, l := range f.Lists {
		dst = appendRanking(dst, l.Query, l.K, l.Weight)
	}
	return dst
}

// appendRanking appends what a FuseList and a Rescore have.
func appendRanking(dst []byte, q query.Node, n int, weight float64) []byte {
	return appendNumber(binary.AppendVarint(query.AppendKey(dst, q), int64(n)), 'w', weight)
}

func appendSnippet(dst []byte, s *Snippet) []byte {
	dst = binary.AppendVarint(appendText(append(dst, 's'), s.Field), int64(s.Length))
	dst = appendText(binary.AppendVarint(dst, int64(s.Count)), s.Tag)
	dst = binary.AppendUvarint(dst, uint64(len(s.Fields)))
	for _, name := range s.Fields {
		dst = appendText(dst, name)
	}
	return dst
}

// appendColumns appends what r asks of columns.
func appendColumns(dst []byte, r *Request) []byte {
	dst = appendSort(dst, r.Sort)
	if g := r.Group; g != nil {
		dst = append(appendSort(binary.AppendVarint(append(dst, '{'), int64(g.Limit)), g.Sort), '}')
	}
	if r.Collapse != "" {
		dst = appendText(append(dst, 'g'), r.Collapse)
	}
	if r.Static != nil {
		x := r.Static
		dst = appendNumber(appendText(append(dst, '+', flag(x.Multiply)), x.Field), 'b', x.Boost)
		dst = appendNumber(appendNumber(appendNumber(dst, 's', x.Saturation), 'l', x.Logarithm), 'd', x.Decay)
		dst = query.AppendKey(binary.AppendVarint(dst, int64(x.DecayOver)), query.Range{Min: x.From})
	}
	return appendFacets(dst, r.Facets)
}

func appendSort(dst []byte, by []Sort) []byte {
	for _, s := range by {
		dst = append(appendText(append(dst, 'o'), s.Field), flag(s.Desc), flag(s.Score))
	}
	return dst
}

func appendFacets(dst []byte, facets []Facet) []byte {
	for _, f := range facets {
		dst = binary.AppendVarint(binary.AppendVarint(appendText(append(dst, 'c'), f.Field), int64(f.Limit)), int64(f.Every))
		dst = appendNumber(dst, 'w', f.Width)
		dst = binary.AppendUvarint(dst, uint64(len(f.Ranges)))
		for _, x := range f.Ranges {
			dst = append(query.AppendKey(dst, query.Range{Min: x.Min, Max: x.Max, AboveMin: x.AboveMin}), flag(x.WithMax))
		}
		dst = binary.AppendUvarint(dst, uint64(len(f.Stats)))
		for _, s := range f.Stats {
			dst = append(appendText(append(dst, 's'), s.Field), flag(s.Distinct))
			dst = binary.AppendUvarint(dst, uint64(len(s.Percentiles)))
			for _, p := range s.Percentiles {
				dst = appendNumber(dst, 'p', p)
			}
		}
		if f.IgnoreOwn {
			dst = append(dst, 'i')
		}
		if len(f.Facets) > 0 {
			dst = append(appendFacets(append(dst, '('), f.Facets), ')')
		}
	}
	return dst
}

func appendValue(dst []byte, v schema.Value) []byte {
	dst = binary.LittleEndian.AppendUint64(append(dst, byte(v.Kind)), math.Float64bits(v.Float()))
	return appendText(binary.AppendVarint(dst, v.Int()), string(v.Bytes()))
}

// size returns about what a page takes.
func size(p *Page) int { return sizeOfHits(p.Hits) + sizeOfCounts(p.Facets) }

func sizeOfHits(all []Hit) int {
	n := 0
	for i := range all {
		h := &all[i]
		n += int(unsafe.Sizeof(*h)) + len(h.ID) + len(h.Nearest)*int(unsafe.Sizeof(NearestVector{})) + len(h.Lists)*int(unsafe.Sizeof(ListHit{}))
		for k := range h.Passages {
			n += int(unsafe.Sizeof(h.Passages[k])) + len(h.Passages[k].Text) + len(h.Passages[k].Spans)*int(unsafe.Sizeof(Span{}))
		}
		for _, values := range [][]schema.Value{h.Values, h.Sort} {
			n += len(values) * int(unsafe.Sizeof(schema.Value{}))
			for _, v := range values {
				n += len(v.Bytes())
			}
		}
		if g := h.Group; g != nil {
			n += int(unsafe.Sizeof(*g)) + sizeOf(g.Value) + sizeOfHits(g.Hits)
		}
	}
	return n
}

func sizeOfCounts(all []FacetCounts) int {
	n := 0
	for i := range all {
		f := &all[i]
		n += int(unsafe.Sizeof(*f)) + len(f.Counts)*int(unsafe.Sizeof(FacetCount{}))
		for k := range f.Stats {
			n += f.Stats[k].bytes()
		}
		for j := range f.Counts {
			c := &f.Counts[j]
			n += sizeOf(c.Value) + sizeOfCounts(c.Facets)
			for k := range c.Stats {
				n += c.Stats[k].bytes()
			}
		}
	}
	return n
}

// sizeOf returns about what the value of a count takes beside it.
func sizeOf(x any) int {
	switch x := x.(type) {
	case string:
		return 16 + len(x)
	case Range:
		return int(unsafe.Sizeof(x)) // its bounds are those of the request
	}
	return 24
}

// put keeps the page of a key in a state, if that is the newest, in place of those that were not
// asked for for longest, first of those asked for once.
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
		if c.once.Len() == 0 {
			c.move(c.again.Back())
		}
		x := c.once.Remove(c.once.Back()).(*cached)
		delete(c.pages, x.key)
		c.taken -= x.size
	}
	c.taken += n
	c.pages[key] = c.once.PushFront(&cached{key: key, page: p, size: n})
}

// forget drops all pages: from now on they are those of a state.
func (c *cache) forget(state uint64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.taken, c.often = state, 0, 0
	clear(c.pages)
	c.once.Init()
	c.again.Init()
}
