package query

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// The longest lists, those of the commonest words, are only ever probed: a hit
// needs rarer words. For a list that is probed again and again denseCache keeps
// the frequencies in a plain array by docID, a byte each, where a probe is one load
// instead of a search in the skip header and two decoded blocks.

// DefaultDenseBytes is what a Searcher keeps of the longest lists, in bytes for
// each document, unless Options say otherwise.
const DefaultDenseBytes = 48

const (
	// Lists with at least a denseShare-th of a segment's documents are kept, once
	// denseAsks queries have probed them.
	denseShare = 16
	denseAsks  = 4

	// manyFreq stands for that frequency and all above. More than a manyShare-th of
	// a segment's documents have no such frequency in a list that is kept.
	manyFreq  = 255
	manyShare = 64
)

// denseCache keeps lists of one segment. It is safe for concurrent use.
type denseCache struct {
	lists atomic.Pointer[map[int64]*denseList] // by the offset of the extent; never modified
	full  atomic.Bool

	mu    sync.Mutex
	room  uint64          // bytes; guarded by mu
	asked map[int64]uint8 // guarded by mu
}

// denseList is a list's frequency in every document, at most manyFreq.
type denseList struct {
	freqs []uint8
	docs  []uint32 // those with more, ascending
	many  []uint32 // and their frequencies
}

// freq returns the frequency in a document of which freqs has manyFreq.
func (d *denseList) freq(doc uint32) uint32 {
	if i := lowerBound(d.docs, doc); i < len(d.docs) && d.docs[i] == doc {
		return d.many[i]
	}
	return manyFreq
}

func newDenseCache(bytes int, docs uint32) *denseCache {
	switch {
	case bytes < 0:
		bytes = 0
	case bytes == 0:
		bytes = DefaultDenseBytes
	}
	return &denseCache{room: uint64(bytes) * uint64(docs)}
}

// get returns the list at an offset, nil if it is not kept.
func (c *denseCache) get(offset int64) *denseList {
	if m := c.lists.Load(); m != nil {
		return (*m)[offset]
	}
	return nil
}

// want notes that a list of a segment of that many documents was probed, and
// reports whether it is time to keep it.
func (c *denseCache) want(offset int64, docs uint32) bool {
	if c.full.Load() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.room < uint64(docs) {
		c.full.Store(true)
		return false
	}
	if c.asked == nil {
		c.asked = map[int64]uint8{}
	}
	c.asked[offset]++
	if c.asked[offset] != denseAsks {
		return false
	}
	c.room -= uint64(docs)
	return true
}

// put keeps a list.
func (c *denseCache) put(offset int64, l *denseList) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := map[int64]*denseList{offset: l}
	if old := c.lists.Load(); old != nil {
		maps.Copy(m, *old)
	}
	c.lists.Store(&m)
}

// dense returns the array of list l of the segment at hand, or nil, and makes it
// when it is time to.
func (r *run) dense(l *list) *denseList {
	if d := r.kept(l); d != nil || !r.mayKeep(l) {
		return d
	}
	c := r.part.dense
	if !c.want(l.entry.Offset, r.part.seg.Docs()) {
		return nil
	}
	d, err := newDenseList(r.part.seg, l)
	if err != nil {
		r.fail(err)
		return nil
	}
	if len(d.docs)*manyShare > len(d.freqs) {
		return nil
	}
	c.put(l.entry.Offset, d)
	return d
}

// kept returns the array of list l of the segment at hand, nil if there is none.
func (r *run) kept(l *list) *denseList {
	if !r.mayKeep(l) {
		return nil
	}
	return r.part.dense.get(l.entry.Offset)
}

// mayKeep reports whether list l of the segment at hand is long enough for an array.
func (r *run) mayKeep(l *list) bool {
	return uint64(l.entry.DF)*denseShare >= uint64(r.part.seg.Docs()) && l.entry.Kind == segment.KindExtent
}

// newDenseList reads the list of l.
func newDenseList(s *reader.Segment, l *list) (*denseList, error) {
	d := &denseList{freqs: make([]uint8, s.Docs())}
	c := reader.NewCursor()
	defer c.Close()
	if err := c.Init(s, l.entry); err != nil {
		return nil, err
	}
	for ; c.Doc() != end; c.NextBlock() {
		freqs := c.Freqs()
		for i, doc := range c.Docs()[:len(freqs)] {
			if int(doc) >= len(d.freqs) {
				continue // damage
			}
			d.freqs[doc] = uint8(min(freqs[i], manyFreq))
			if freqs[i] > manyFreq {
				d.docs, d.many = append(d.docs, doc), append(d.many, freqs[i])
			}
		}
	}
	return d, c.Err()
}

// addDense adds the scores of l's postings to the candidates, whose norms are
// known. They may be in any order.
func (r *run) addDense(l *list, d *denseList) {
	c := &r.cand
	r.freqs = r.freqs[:0]
	most := uint8(0)
	for _, doc := range c.docs {
		f := uint8(0)
		if int(doc) < len(d.freqs) { // always, but for damage
			f = d.freqs[doc]
		}
		most = max(most, f)
		r.freqs = append(r.freqs, uint32(f))
	}
	if most == manyFreq {
		for i, f := range r.freqs {
			if f == manyFreq {
				r.freqs[i] = d.freq(c.docs[i])
			}
		}
	}
	r.scores = grow(r.scores, len(c.docs))
	copy(r.scores, c.norms)
	scoreNorms(r.scores, r.freqs, l.weight, l.huge)
	for i, s := range r.scores {
		c.sums[i] += s // 0 where the document is not in the list
	}
	l.Found += uint64(len(c.docs))
}
