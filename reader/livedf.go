package reader

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// LiveDF returns the number of postings of e, an entry of s, whose documents are
// not deleted. In a segment with deletes the first call reads the list.
func (s *Segment) LiveDF(e segment.Entry) (df uint32, err error) {
	if err := s.life.acquire(); err != nil {
		return 0, err
	}
	defer s.life.release()
	d, err := s.Deletes()
	if err != nil {
		return 0, err
	}
	return d.Live(s.views, e)
}

// Live returns the number of postings of e whose documents are not in d. Its errors and
// conditions are those of Of.
func (d *Deletes) Live(s *segment.Segment, e segment.Entry) (df uint32, err error) {
	df, _, err = d.Of(s, e)
	return df, err
}

// Reach says for each of format.KthValues() how many postings of a list certainly reach its
// KthImpact of that index, not counting those of deleted documents. It means nothing for a
// list without that KthImpact.
type Reach [format.NumKth]uint16

// Of returns the number of postings of e whose documents are not in d, and how many of them
// reach the list's k-th impacts. s is the segment of both; its snapshot must be held
// (Snapshot.Acquire). Of reads the list, unless it remembers the result.
func (d *Deletes) Of(s *segment.Segment, e segment.Entry) (df uint32, r Reach, err error) {
	if d == nil || e.DF == 0 {
		return e.DF, reachOf(deletedOf{}), nil
	}
	var n deletedOf
	switch e.Kind {
	case segment.KindSingleton:
		n.all = uint32(d.bit(e.Doc))
	case segment.KindCompact:
		n, err = d.read(s, e)
	default:
		d.counts.init(s.Meta().Extents)
		n, err = d.counts.of(e.Offset, func() (deletedOf, error) { return d.read(s, e) })
	}
	if err != nil {
		return 0, Reach{}, err
	}
	// Only in a damaged segment can more be left than there are documents.
	return min(e.DF-n.all, s.Meta().Docs-d.Count()), reachOf(n), nil
}

// deletedOf counts deleted postings of a list: all, and those that reach its k-th impacts.
type deletedOf struct {
	all uint32
	kth segment.KthCounts
}

func reachOf(n deletedOf) (r Reach) {
	for i, k := range format.KthValues() {
		r[i] = uint16(max(0, k-n.kth[i]))
	}
	return r
}

func (d *Deletes) bit(doc uint32) uint64 {
	words := d.docs.Words()
	if w := uint(doc / 64); w < uint(len(words)) {
		return words[w] >> (doc % 64) & 1
	}
	return 0
}

// counter holds what read needs.
type counter struct {
	list  segment.List
	docs  [segment.RowPostings]uint32
	freqs [segment.RowPostings]uint32
	lens  [segment.RowPostings]uint32
}

var counters = sync.Pool{New: func() any { return new(counter) }}

// read counts the postings of e that are in d. It decodes the docIDs of rows of blocks,
// except where no document is deleted, and the frequencies of blocks with a deleted
// document whose bounds reach a k-th impact.
func (d *Deletes) read(s *segment.Segment, e segment.Entry) (n deletedOf, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	c := counters.Get().(*counter)
	defer counters.Put(c)
	l := &c.list
	if err := s.Lists().Init(l, e); err != nil {
		return n, err
	}
	step := max(len(c.docs)/l.BlockLen, 1)
	first := l.First
	for b := 0; b < l.Blocks; b += step {
		count := min(step, l.Blocks-b)
		last := l.Last(b + count - 1)
		if d.none(first, last, count*l.BlockLen) {
			first = last + 1
			continue
		}
		k, err := l.DecodeDocs(c.docs[:], b, count)
		if err != nil {
			return n, err
		}
		for i := 0; i < k; i += l.BlockLen {
			docs := c.docs[i:min(i+l.BlockLen, k)]
			dead := d.countIn(docs)
			n.all += dead
			if block := b + i/l.BlockLen; dead > 0 && n.kth.Wants(l, block) {
				if err := d.countBest(&n.kth, s, c, block, docs); err != nil {
					return n, err
				}
			}
		}
		first = last + 1
	}
	return n, nil
}

// countIn returns how many of docs are in d.
func (d *Deletes) countIn(docs []uint32) (n uint32) {
	for _, doc := range docs {
		n += uint32(d.bit(doc))
	}
	return n
}

// countBest adds the postings of a block that are in d to n. docs are the documents of the
// block.
func (d *Deletes) countBest(n *segment.KthCounts, s *segment.Segment, c *counter, block int, docs []uint32) error {
	lens, err := s.Documents().LengthsOf(c.list.Entry())
	if err != nil {
		return err
	}
	if _, err := c.list.DecodeFreqs(c.freqs[:], block, 1); err != nil {
		return err
	}
	dead := 0
	for j, doc := range docs {
		if d.bit(doc) != 0 {
			c.freqs[dead], c.lens[dead] = c.freqs[j], lens.Get(doc)
			dead++
		}
	}
	n.Add(&c.list, block, c.freqs[:dead], c.lens[:dead])
	return nil
}

// none reports that no document from first to last is in d. It gives up where
// reading postings, of which there are that many, is cheaper.
func (d *Deletes) none(first, last uint32, postings int) bool {
	lo, hi := int(first/64), min(int(last/64)+1, len(d.Bits()))
	if hi-lo > postings {
		return false
	}
	for _, w := range d.Bits()[min(lo, hi):hi] {
		if w != 0 {
			return false
		}
	}
	return true
}

// deletedCounts remembers how many postings of an extent are deleted: in each slot
// the counts of one of the extents whose offsets belong there. It is safe for
// concurrent use, and takes no memory before its first use.
type deletedCounts struct {
	once  sync.Once
	slots []deletedSlot
}

// deletedSlot holds in both high halves 1 + the rest of the offset, and in the low halves
// the two parts of a deletedOf, the counts for k-th impacts in 8, 8 and 16 bits.
type deletedSlot struct{ all, kth atomic.Uint64 }

// maxCounts bounds the counts that are remembered of a segment: 256 KiB.
const maxCounts = 1 << 14

func (c *deletedCounts) init(extents uint64) {
	c.once.Do(func() { c.slots = make([]deletedSlot, 1<<bits.Len64(min(2*extents, maxCounts-1))) })
}

// of returns the counts of the extent at an offset, from count if they are not known.
func (c *deletedCounts) of(offset int64, count func() (deletedOf, error)) (deletedOf, error) {
	at, n := uint64(offset)/64, uint64(len(c.slots)) // extents are aligned to 64 bytes
	slot, tag := &c.slots[at%n], 1+at/n
	if all, kth := slot.all.Load(), slot.kth.Load(); all>>32 == tag && kth>>32 == tag {
		return deletedOf{uint32(all), segment.KthCounts{int(kth & 0xff), int(kth >> 8 & 0xff), int(kth >> 16 & 0xffff)}}, nil
	}
	k, err := count()
	if err == nil && tag < 1<<32 {
		var kth [len(k.kth)]uint64
		for i, n := range k.kth {
			kth[i] = uint64(min(n, format.KthValues()[i]))
		}
		slot.all.Store(tag<<32 | uint64(k.all))
		slot.kth.Store(tag<<32 | kth[2]<<16 | kth[1]<<8 | kth[0])
	}
	return k, err
}
