package reader

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
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
	return d.Live(s.Views, e)
}

// Live returns the number of postings of e whose documents are not in d. s is the
// segment of both; its snapshot must be held (Snapshot.Acquire). Live reads the list,
// unless it remembers the result.
func (d *Deletes) Live(s *segment.Segment, e segment.Entry) (df uint32, err error) {
	if d == nil || e.DF == 0 {
		return e.DF, nil
	}
	var n uint32
	switch e.Kind {
	case segment.KindSingleton:
		n = uint32(d.bit(e.Doc))
	case segment.KindCompact:
		n, err = d.read(s, e)
	default:
		d.counts.init(s.Meta().Extents)
		n, err = d.counts.of(e.Offset, func() (uint32, error) { return d.read(s, e) })
	}
	if err != nil {
		return 0, err
	}
	// Only in a damaged segment can more be left than there are documents.
	return min(e.DF-n, s.Meta().Docs-d.count), nil
}

func (d *Deletes) bit(doc uint32) uint64 {
	if w := uint(doc / 64); w < uint(len(d.bits)) {
		return d.bits[w] >> (doc % 64) & 1
	}
	return 0
}

// counter holds what read needs.
type counter struct {
	list segment.List
	docs [segment.RowPostings]uint32
}

var counters = sync.Pool{New: func() any { return new(counter) }}

// read returns how many postings of e are in d. It decodes the docIDs of rows of
// blocks, except where no document is deleted.
func (d *Deletes) read(s *segment.Segment, e segment.Entry) (n uint32, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	c := counters.Get().(*counter)
	defer counters.Put(c)
	l := &c.list
	if err := s.InitList(l, e); err != nil {
		return 0, err
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
			return 0, err
		}
		for _, doc := range c.docs[:k] {
			n += uint32(d.bit(doc))
		}
		first = last + 1
	}
	return n, nil
}

// none reports that no document from first to last is in d. It gives up where
// reading postings, of which there are that many, is cheaper.
func (d *Deletes) none(first, last uint32, postings int) bool {
	lo, hi := int(first/64), min(int(last/64)+1, len(d.bits))
	if hi-lo > postings {
		return false
	}
	for _, w := range d.bits[min(lo, hi):hi] {
		if w != 0 {
			return false
		}
	}
	return true
}

// deletedCounts remembers how many postings of an extent are deleted: in each slot
// the count of one of the extents whose offsets belong there. It is safe for
// concurrent use, and takes no memory before its first use.
type deletedCounts struct {
	once  sync.Once
	slots []atomic.Uint64 // high half: 1 + the rest of the offset; low half: the count
}

// maxCounts bounds the counts that are remembered of a segment: 128 KiB.
const maxCounts = 1 << 14

func (c *deletedCounts) init(extents uint64) {
	c.once.Do(func() { c.slots = make([]atomic.Uint64, 1<<bits.Len64(min(2*extents, maxCounts-1))) })
}

// of returns the count of the extent at an offset, from count if it is not known.
func (c *deletedCounts) of(offset int64, count func() (uint32, error)) (uint32, error) {
	at, n := uint64(offset)/64, uint64(len(c.slots)) // extents are aligned to 64 bytes
	slot, tag := &c.slots[at%n], 1+at/n
	if v := slot.Load(); v>>32 == tag {
		return uint32(v), nil
	}
	k, err := count()
	if err == nil && tag < 1<<32 {
		slot.Store(tag<<32 | uint64(k))
	}
	return k, err
}
