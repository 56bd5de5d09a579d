package posting

import (
	"maps"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Long lists, which are those of common words, are mostly probed: hits need rarer words. Cache
// caches repeatedly probed long lists as bitmaps with frequencies. A probe is then one to three
// loads instead of a search in the skip header and two decoded blocks.

// DefaultDenseBytes is the default of Options.DenseBytes, in bytes for each document.
const DefaultDenseBytes = 32

const (
	// A list with at least 1/denseShare of a segment's documents is cached once DenseAsks
	// queries have probed it.
	DenseShare = 64
	DenseAsks  = 4

	// ManyFreq represents that frequency and all above it. A list with such frequencies in more
	// than 1/manyShare of a segment's documents is not cached.
	ManyFreq  = 255
	ManyShare = 64
)

// Cache caches lists of one segment. It is safe for concurrent use.
type Cache struct {
	lists atomic.Pointer[map[int64]*Dense] // by the offset of the extent; never modified
	full  atomic.Bool

	mu    sync.Mutex
	room  uint64          // bytes; guarded by mu
	asked map[int64]uint8 // guarded by mu
	done  bool            // by drop; guarded by mu
}

// Dense is a list's documents and frequencies.
type Dense struct {
	words []uint64 // bitmap of the documents
	ranks []uint32 // by word: postings before it
	freqs []uint8  // by posting, at most ManyFreq; one more at the end
	Docs  []uint32 // those with frequencies of at least ManyFreq, ascending
	many  []uint32 // the frequencies of docs
	Huge  bool     // some are 2^31 or more
}

// Holds returns 1 if the list holds a document, and 0 otherwise.
func (d *Dense) Holds(doc uint32) int {
	w := int(doc / 64)
	if w >= len(d.words) {
		return 0 // damage
	}
	return int(d.words[w] >> (doc % 64) & 1)
}

// Words returns the documents as a bitmap: document i is bit i%64 of word i/64.
func (d *Dense) Words() []uint64 { return d.words }

// Freq returns the frequency in a document, or ManyFreq if it is greater, or 0 if the list does not
// hold the document. It does not branch on that, since it is hard to predict.
func (d *Dense) Freq(doc uint32) uint8 {
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

// Freqs writes the frequencies in docs to dst, which is as long, or ManyFreq where they are greater. The list holds
// docs.
func (d *Dense) Freqs(dst, docs []uint32) (most uint32) {
	words, freqs := d.words, d.freqs
	ranks := d.ranks[:len(words)]
	dst = dst[:len(docs)]
	for i, doc := range docs {
		w := int(doc / 64)
		if w >= len(words) {
			continue // damage
		}
		at := int(ranks[w]) + bits.OnesCount64(words[w]&(1<<(doc%64)-1))
		if at < len(freqs) {
			f := uint32(freqs[at])
			most = max(most, f)
			dst[i] = f
		}
	}
	return most
}

// Rank returns how many postings are before a document, and 1 if the list holds it, and otherwise 0.
func (d *Dense) Rank(doc uint32) (rank uint32, held int) {
	w := int(doc / 64)
	if w >= len(d.words) || w >= len(d.ranks) {
		return 0, 0 // damage
	}
	word, bit := d.words[w], doc%64
	return d.ranks[w] + uint32(bits.OnesCount64(word&(1<<bit-1))), int(word >> bit & 1)
}

// ManyFreq returns the frequency in a document for which Freq returns the constant.
func (d *Dense) ManyFreq(doc uint32) uint32 {
	if i := LowerBound(d.Docs, doc); i < len(d.Docs) && d.Docs[i] == doc {
		return d.many[i]
	}
	return ManyFreq
}

func NewCache(bytes int, docs uint32) *Cache {
	switch {
	case bytes < 0:
		bytes = 0
	case bytes == 0:
		bytes = DefaultDenseBytes
	}
	return &Cache{room: uint64(bytes) * uint64(docs)}
}

// Size returns how many lists are cached, and how many bytes others may take.
func (c *Cache) Size() (lists int, room uint64) {
	if m := c.lists.Load(); m != nil {
		lists = len(*m)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return lists, c.room
}

// Get returns the list at an offset, or nil if it is not cached.
func (c *Cache) Get(offset int64) *Dense {
	if m := c.lists.Load(); m != nil {
		return (*m)[offset]
	}
	return nil
}

// Want records that a query probed a list that takes so many bytes and reports whether to cache it
// now. It may miss a probe under contention.
func (c *Cache) Want(offset int64, bytes uint64) bool {
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

// Put caches a list.
func (c *Cache) Put(offset int64, l *Dense) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return
	}
	m := map[int64]*Dense{offset: l}
	if old := c.lists.Load(); old != nil {
		maps.Copy(m, *old)
	}
	c.lists.Store(&m)
}

// Refuse gives back what want set aside for a list that is not cached. want does not ask for the
// list again.
func (c *Cache) Refuse(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room += bytes
	c.full.Store(c.done)
}

// Drop frees the lists, and caches none from now on.
func (c *Cache) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.asked = true, nil
	c.full.Store(true)
	c.lists.Store(nil)
}

// NewDense returns the cached form of the list at e, or an error if some of the list is damaged.
func NewDense(s *reader.Segment, e segment.Entry) (*Dense, error) {
	words := (int(s.Docs()) + 63) / 64
	d := &Dense{words: make([]uint64, words), ranks: make([]uint32, words), freqs: make([]uint8, 0, e.DF+1)}
	c := reader.NewCursor()
	defer c.Close()
	c.SetArmed(true)
	if err := c.Init(s, e); err != nil {
		return nil, err
	}
	if err := c.List().VerifyBytes(); err != nil {
		return nil, err // in bounds, perhaps, which queries use until the list is cached
	}
	for ; c.Doc() != End; c.NextBlock() {
		freqs := c.Freqs()
		for i, doc := range c.Docs()[:len(freqs)] {
			if int(doc/64) >= words {
				return nil, format.Corrupt("docID beyond the segment")
			}
			d.words[doc/64] |= 1 << (doc % 64)
			d.freqs = append(d.freqs, uint8(min(freqs[i], ManyFreq)))
			if freqs[i] > ManyFreq {
				d.Docs, d.many = append(d.Docs, doc), append(d.many, freqs[i])
				d.Huge = d.Huge || freqs[i] > math.MaxInt32
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
	if n != int(e.DF) || n != len(d.freqs)-1 {
		return nil, format.Corrupt("%d documents and %d frequencies in a list of %d", n, len(d.freqs)-1, e.DF)
	}
	return d, nil
}
