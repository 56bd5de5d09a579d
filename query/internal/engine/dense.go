package engine

import (
	"maps"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Long lists, which are those of common words, are mostly probed: hits need rarer words. denseCache
// caches repeatedly probed long lists as bitmaps with frequencies. A probe is then one to three
// loads instead of a search in the skip header and two decoded blocks.

// DefaultDenseBytes is the default of Options.DenseBytes, in bytes for each document.
const DefaultDenseBytes = 32

const (
	// A list with at least 1/denseShare of a segment's documents is cached once DenseAsks
	// queries have probed it.
	denseShare = 64
	DenseAsks  = 4

	// manyFreq represents that frequency and all above it. A list with such frequencies in more
	// than 1/manyShare of a segment's documents is not cached.
	manyFreq  = 255
	manyShare = 64
)

// denseCache caches lists of one segment. It is safe for concurrent use.
type denseCache struct {
	lists atomic.Pointer[map[int64]*denseList] // by the offset of the extent; never modified
	full  atomic.Bool

	mu    sync.Mutex
	room  uint64          // bytes; guarded by mu
	asked map[int64]uint8 // guarded by mu
	done  bool            // by drop; guarded by mu
}

// denseList is a list's documents and frequencies.
type denseList struct {
	words []uint64 // bitmap of the documents
	ranks []uint32 // by word: postings before it
	freqs []uint8  // by posting, at most manyFreq; one more at the end
	docs  []uint32 // those with frequencies of at least manyFreq, ascending
	many  []uint32 // the frequencies of docs
	huge  bool     // some are 2^31 or more
}

// holds returns 1 if the list holds a document, and 0 otherwise.
func (d *denseList) holds(doc uint32) int {
	w := int(doc / 64)
	if w >= len(d.words) {
		return 0 // damage
	}
	return int(d.words[w] >> (doc % 64) & 1)
}

// freq returns the frequency in a document, or manyFreq if it is greater, or 0 if the list does not
// hold the document. It does not branch on that, since it is hard to predict.
func (d *denseList) freq(doc uint32) uint8 {
	w := int(doc / 64)
	if w >= len(d.words) || w >= len(d.ranks) {
		return 0 // damage
	}
	word, bit := d.words[w], doc%64
	at := int(d.ranks[w]) + bits.OnesCount64(word&(1<<bit-1))
	if at >= len(d.freqs) {
		return 0
	}
	return d.freqs[at] & -uint8(word>>bit&1)
}

// manyFreq returns the frequency in a document for which freq returns manyFreq.
func (d *denseList) manyFreq(doc uint32) uint32 {
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

// get returns the list at an offset, or nil if it is not cached.
func (c *denseCache) get(offset int64) *denseList {
	if m := c.lists.Load(); m != nil {
		return (*m)[offset]
	}
	return nil
}

// want records that a query probed a list that takes so many bytes and reports whether to cache it
// now. It may miss a probe under contention.
func (c *denseCache) want(offset int64, bytes uint64) bool {
	if c.full.Load() || !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	if c.room < bytes || c.done {
		c.full.Store(true)
		return false
	}
	if c.asked == nil {
		c.asked = map[int64]uint8{}
	}
	if c.asked[offset] >= DenseAsks {
		return false // it is cached, or cannot be
	}
	c.asked[offset]++
	if c.asked[offset] < DenseAsks {
		return false
	}
	c.room -= bytes
	return true
}

// put caches a list.
func (c *denseCache) put(offset int64, l *denseList) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return
	}
	m := map[int64]*denseList{offset: l}
	if old := c.lists.Load(); old != nil {
		maps.Copy(m, *old)
	}
	c.lists.Store(&m)
}

// refuse gives back what want set aside for a list that is not cached. want does not ask for the
// list again.
func (c *denseCache) refuse(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room += bytes
	c.full.Store(c.done)
}

// drop frees the lists, and caches none from now on.
func (c *denseCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.asked = true, nil
	c.full.Store(true)
	c.lists.Store(nil)
}

// Dense returns how many lists of a segment are cached, and how many bytes others may take.
func (s *Searcher) Dense(segment int) (lists int, room uint64) {
	c := s.parts[segment].dense
	if m := c.lists.Load(); m != nil {
		lists = len(*m)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return lists, c.room
}

// findDense sets l.dense if l, a list of the current segment, is cached.
func (r *run) findDense(l *list) {
	l.dense, l.asked = nil, true
	if uint64(l.entry.DF)*denseShare >= uint64(r.part.seg.Docs()) && l.entry.Kind == segment.KindExtent {
		l.dense = r.part.dense.get(l.entry.Offset)
		l.asked = l.dense != nil
	}
}

// dense returns the cached form of l, a list of the current segment, or nil. It caches the list if
// that is due. A list that cannot be read whole is never cached: damage that queries do not meet
// does not change how they end.
func (r *run) dense(l *list) *denseList {
	if l.asked {
		return l.dense
	}
	l.asked = true
	c, docs := r.part.dense, uint64(r.part.seg.Docs())
	bytes := docs*3/16 + uint64(l.entry.DF)
	if !c.want(l.entry.Offset, bytes) {
		return nil
	}
	var d *denseList
	err := store.Guard(func() (err error) { // a fault must not end the query
		d, err = newDenseList(r.part.seg, l)
		return err
	})
	if err != nil || uint64(len(d.docs))*manyShare > docs {
		c.refuse(bytes)
		return nil
	}
	c.put(l.entry.Offset, d)
	l.dense = d
	return d
}

// newDenseList returns the cached form of list l, or an error if some of the list is damaged.
func newDenseList(s *reader.Segment, l *list) (*denseList, error) {
	words := (int(s.Docs()) + 63) / 64
	d := &denseList{words: make([]uint64, words), ranks: make([]uint32, words), freqs: make([]uint8, 0, l.entry.DF+1)}
	c := reader.NewCursor()
	defer c.Close()
	c.SetArmed(trusted.Caller{}, true)
	if err := c.Init(s, l.entry); err != nil {
		return nil, err
	}
	if err := c.List(trusted.Caller{}).VerifyBytes(); err != nil {
		return nil, err // in bounds, perhaps, which queries use until the list is cached
	}
	for ; c.Doc() != end; c.NextBlock() {
		freqs := c.Freqs()
		for i, doc := range c.Docs()[:len(freqs)] {
			if int(doc/64) >= words {
				return nil, format.Corrupt("docID beyond the segment")
			}
			d.words[doc/64] |= 1 << (doc % 64)
			d.freqs = append(d.freqs, uint8(min(freqs[i], manyFreq)))
			if freqs[i] > manyFreq {
				d.docs, d.many = append(d.docs, doc), append(d.many, freqs[i])
				d.huge = d.huge || freqs[i] > math.MaxInt32
			}
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	d.freqs = append(d.freqs, 0)
	n := 0
	for i, w := range d.words {
		d.ranks[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	if n != int(l.entry.DF) || n != len(d.freqs)-1 {
		return nil, format.Corrupt("%d documents and %d frequencies in a list of %d", n, len(d.freqs)-1, l.entry.DF)
	}
	return d, nil
}

// addDense adds the scores of l's postings to the candidates. Their norms must be set; their order
// does not matter.
func (r *run) addDense(l *list, d *denseList) {
	c := &r.cand
	r.freqs = r.freqs[:0]
	most := uint8(0)
	for _, doc := range c.docs {
		f := d.freq(doc)
		most = max(most, f)
		r.freqs = append(r.freqs, uint32(f))
	}
	if most == manyFreq {
		for i, f := range r.freqs {
			if f == manyFreq {
				r.freqs[i] = d.manyFreq(c.docs[i])
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
