package columns

import (
	"cmp"
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/segment"
)

// Sorter finds the best documents of one segment after the other, for a Ranking. It compares numbers and ordinals of the
// segment, which become keys when the segment is done.
type Sorter struct {
	rank  *Ranking
	base  uint32 // of the segment
	docs  uint32
	views []view // of the fields to sort by, then of that to collapse by
	by    []SortBy

	k       int
	limit   entry // documents must be before it, if limited
	limited bool
	after   entry // documents must be behind it, if paged
	paged   bool

	entries []entry // candidates
	settled int     // those that settle has left

	ranked  []ranked
	scratch []uint32
	mask    [64]uint64
	groups  map[int64]int // the candidates by group
}

// entry is a document with its keys, by which it sorts: a lesser one is better.
type entry struct {
	keys    [MaxSort + 1]int64
	missing uint16 // bit i: there is no key i, which is 0 then
	grouped bool
	doc     int64 // global docID
	group   int64
}

// ordered returns a number of a column so that a lesser one is better. Between the ordinals of keywords there is a
// number for keywords that the segment does not have.
func (s SortBy) ordered(number int64) int64 {
	if s.Keyword {
		number = 2*number + 1
	}
	if s.Desc {
		return ^number
	}
	return number
}

// numbers returns the greatest range of numbers of a column that are ordered up to key.
func (s SortBy) numbers(key int64) (lo, hi int64) {
	lo, hi = math.MinInt64, key
	if s.Desc {
		lo, hi = ^key, math.MaxInt64
	}
	if s.Keyword {
		if s.Desc {
			lo >>= 1 // 2n+1 >= lo
		} else {
			hi = (hi - 1) >> 1 // 2n+1 <= hi
		}
	}
	return lo, hi
}

// best returns that of values by which a document is sorted.
func (s SortBy) best(values []int64) int64 {
	if s.Desc {
		return values[len(values)-1]
	}
	return values[0]
}

// less reports whether a is better than b.
func (s *Sorter) less(a, b *entry) bool { return s.compare(a, b) < 0 }

func (s *Sorter) compare(a, b *entry) int {
	for i := range s.by {
		if c := int(a.missing>>i&1) - int(b.missing>>i&1); c != 0 {
			return c
		}
		if c := cmp.Compare(a.keys[i], b.keys[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.doc, b.doc)
}

// Begin makes a segment the current one, whose first docID is base. fields has its column for each key of r, nil if it
// has none, and of the field to collapse by.
func (s *Sorter) Begin(r *Ranking, base, docs uint32, fields []Column) (err error) {
	s.rank, s.base, s.docs, s.by, s.k = r, base, docs, r.by, r.kept()
	s.entries, s.settled = s.entries[:0], 0
	clear(s.groups)
	for len(s.views) < len(fields) {
		s.views = append(s.views, view{})
	}
	s.views = s.views[:len(fields)]
	for i := range fields {
		s.views[i].set(fields[i])
	}
	l := r.Limit()
	if s.limited = l != nil; s.limited {
		if s.limit, err = s.entryOf(l); err != nil {
			return err
		}
	}
	if s.paged = r.after != nil && !r.collapse; s.paged {
		s.after, err = s.entryOf(r.after)
	}
	return err
}

// entryOf returns a hit of another segment among the documents of this one.
func (s *Sorter) entryOf(h *Hit) (e entry, err error) {
	e.doc = h.Doc
	for i, k := range h.Keys {
		c := s.views[i].Column
		switch by := s.by[i]; {
		case k.First:
			e.keys[i] = math.MinInt64
		case k.Missing:
			e.missing |= 1 << i
		case c == nil: // no document of this segment has a key
		case !by.Keyword:
			e.keys[i] = by.ordered(k.Number)
		default:
			ordinal, found, err := c.Ordinal(k.Bytes)
			if err != nil {
				return e, err
			}
			if e.keys[i] = by.ordered(ordinal); !found { // it is before that one
				e.keys[i] = 2 * ordinal
				if by.Desc {
					e.keys[i] = ^e.keys[i]
				}
			}
		}
	}
	return e, nil
}

// bound returns the least first key of documents with bounds b. some is false if none has a key.
func (s *Sorter) bound(b *segment.ColumnBounds) (key int64, some bool) {
	switch {
	case b.Docs == 0:
		return 0, false
	case s.by[0].Desc:
		return s.by[0].ordered(b.Max), true
	}
	return s.by[0].ordered(b.Min), true
}

// Skips reports whether no document of a block can be among the best.
func (s *Sorter) Skips(block int) bool {
	b := s.views[0].bounds(block)
	return s.skips(&b, uint32(block)*segment.ColumnBlock, s.inBlock(block))
}

// SkipsAll reports whether no document of the segment can be among the best.
func (s *Sorter) SkipsAll() bool {
	var b segment.ColumnBounds
	if c := s.views[0].Column; c != nil {
		info := c.Info()
		b.Min, b.Max, b.Docs = info.Min, info.Max, uint32(info.Docs)
	}
	return s.skips(&b, 0, s.docs)
}

// skips reports whether none of n documents from first on, which have bounds b, can be among the best.
func (s *Sorter) skips(b *segment.ColumnBounds, first, n uint32) bool {
	if n := len(s.entries); n > s.k && n-s.settled > s.k/8 {
		s.settle()
	}
	if s.paged && b.Docs == n && s.before(b) { // those without a key are the last
		return true
	}
	if !s.limited {
		return false
	}
	key, some := s.bound(b)
	switch limit := s.limit.missing&1 == 0; {
	case some != limit:
		return limit
	case some && key != s.limit.keys[0]:
		return key > s.limit.keys[0]
	}
	e := entry{doc: int64(s.base) + int64(first), missing: s.limit.missing & 1} // the best that there may be
	e.keys[0] = s.limit.keys[0]
	if len(s.by) == 2 && s.rank.ties && first < s.docs {
		values, err := s.views[1].of(first)
		if err != nil {
			return false // who reads it next says so
		}
		if len(values) == 0 {
			e.missing |= 2
		} else {
			e.keys[1] = s.by[1].ordered(s.by[1].best(values))
		}
	} else if len(s.by) > 1 {
		return false
	}
	return !s.less(&e, &s.limit)
}

// before reports whether documents with bounds b, which all have a key, are before s.after by their first keys.
func (s *Sorter) before(b *segment.ColumnBounds) bool {
	worst := b.Max
	if s.by[0].Desc {
		worst = b.Min
	}
	return s.after.missing&1 != 0 || s.by[0].ordered(worst) < s.after.keys[0]
}

// inBlock returns how many documents a block has.
func (s *Sorter) inBlock(block int) uint32 {
	return min(segment.ColumnBlock, s.docs-uint32(block)*segment.ColumnBlock)
}

// ranked is a block with the least first key of its documents, if some have one.
type ranked struct {
	key    int64
	some   bool
	number int
}

// Blocks returns the blocks with documents from lo up to hi that are not skipped, the best first.
func (s *Sorter) Blocks(dst []int, lo, hi uint32) []int {
	s.ranked = s.ranked[:0]
	for block := int(lo / segment.ColumnBlock); uint32(block)*segment.ColumnBlock < hi; block++ {
		b := s.views[0].bounds(block)
		if !s.skips(&b, uint32(block)*segment.ColumnBlock, s.inBlock(block)) {
			key, some := s.bound(&b)
			s.ranked = append(s.ranked, ranked{key, some, block})
		}
	}
	slices.SortFunc(s.ranked, func(a, b ranked) int {
		if a.some != b.some {
			if a.some {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.number, b.number))
	})
	dst = dst[:0]
	for _, b := range s.ranked {
		dst = append(dst, b.number)
	}
	return dst
}

// Add adds documents of a block.
func (s *Sorter) Add(p *Part) error {
	if s.Skips(p.Block) {
		return nil
	}
	docs := p.Docs
	if p.Bits != nil {
		words := p.Bits[:]
		if s.limited && s.limit.missing&1 == 0 && s.views[0].Column != nil {
			lo, hi := s.by[0].numbers(s.limit.keys[0])
			if err := s.views[0].Range(p.Block, lo, hi, &s.mask); err != nil {
				return err
			}
			for i, w := range p.Bits {
				s.mask[i] &= w
			}
			words = s.mask[:]
		}
		s.scratch = bitset.AppendDocs(s.scratch[:0], words, p.start())
		docs = s.scratch
	}
	switch f := s.views[0].bounds(p.Block).Form; {
	case f == segment.ColumnAscend || f == segment.ColumnDescend:
		return s.offerSorted(docs, (f == segment.ColumnAscend) == s.by[0].Desc)
	case len(docs) > few:
		if err := s.load(p.Block); err != nil {
			return err
		}
	}
	return s.offerAll(docs)
}

// load reads a block of all fields.
func (s *Sorter) load(block int) error {
	for i := range s.views {
		if err := s.views[i].load(block); err != nil {
			return err
		}
	}
	return nil
}

// offerSorted offers docs, which are sorted by their first keys, from the end that has the better ones, as long as they
// are good enough.
func (s *Sorter) offerSorted(docs []uint32, backwards bool) error {
	for i := range docs {
		if i == few {
			if err := s.load(int(docs[0] / segment.ColumnBlock)); err != nil {
				return err
			}
		}
		if backwards {
			i = len(docs) - 1 - i
		}
		e, err := s.entry(docs[i])
		if err != nil {
			return err
		}
		if s.limited && s.limit.missing&1 == 0 && e.keys[0] > s.limit.keys[0] {
			return nil
		}
		if err := s.take(&e); err != nil {
			return err
		}
	}
	return nil
}

// offerAll offers docs; if they are many, whose block has been read, from the end that has the better ones if they are
// sorted.
func (s *Sorter) offerAll(docs []uint32) error {
	backwards := false
	if len(docs) > few {
		first, err := s.entry(docs[0])
		if err != nil {
			return err
		}
		last, err := s.entry(docs[len(docs)-1])
		if err != nil {
			return err
		}
		backwards = s.less(&last, &first)
	}
	for i := range docs {
		if backwards {
			i = len(docs) - 1 - i
		}
		e, err := s.entry(docs[i])
		if err != nil {
			return err
		}
		if err := s.take(&e); err != nil {
			return err
		}
	}
	return nil
}

// entry returns a document with its keys. If it is not good enough by the first, it lacks the others.
func (s *Sorter) entry(doc uint32) (e entry, err error) {
	e.doc = int64(s.base + doc)
	limited := s.limited && s.limit.missing&1 == 0
	for i, by := range s.by {
		values, err := s.views[i].of(doc)
		if err != nil {
			return e, err
		}
		if len(values) == 0 {
			e.missing |= 1 << i
		} else {
			e.keys[i] = by.ordered(by.best(values))
		}
		if i == 0 && limited && (e.missing != 0 || e.keys[0] > s.limit.keys[0]) {
			break
		}
	}
	return e, nil
}

// take adds a document if it is good enough.
func (s *Sorter) take(e *entry) error {
	if s.limited && !s.less(e, &s.limit) || s.paged && !s.less(&s.after, e) {
		return nil
	}
	if s.rank.collapse {
		values, err := s.views[len(s.by)].of(uint32(e.doc) - s.base)
		if err != nil {
			return err
		}
		if e.grouped = len(values) > 0; e.grouped {
			e.group = values[0]
		}
	}
	if i, again := s.groups[e.group]; again && e.grouped {
		if s.less(e, &s.entries[i]) {
			s.entries[i] = *e
		}
		return nil
	}
	s.entries = append(s.entries, *e)
	s.note(len(s.entries) - 1)
	if n := len(s.entries); n == s.k && !s.limited || n-s.settled > s.room() {
		s.settle()
	}
	return nil
}

// note notes the group of a candidate, of which others only replace it.
func (s *Sorter) note(i int) {
	if s.entries[i].grouped {
		if s.groups == nil {
			s.groups = map[int64]int{}
		}
		s.groups[s.entries[i].group] = i
	}
}

// room returns how many candidates are taken before some are dropped.
func (s *Sorter) room() int { return max(32, len(s.entries)/3) }

// End adds the best documents to the Ranking.
func (s *Sorter) End() error {
	s.settle()
	hits := make([]Hit, len(s.entries))
	keys := make([]Key, len(s.entries)*len(s.by))
	for i := range s.entries {
		e := &s.entries[i]
		h := &hits[i]
		h.Doc, h.Keys = e.doc, keys[i*len(s.by):(i+1)*len(s.by)]
		for j, by := range s.by {
			if e.missing>>j&1 != 0 {
				h.Keys[j].Missing = true
				continue
			}
			n := e.keys[j]
			if by.Desc {
				n = ^n
			}
			if by.Keyword {
				n >>= 1
			}
			var err error
			if h.Keys[j], err = keyOf(s.views[j].Column, n, by.Keyword); err != nil {
				return err
			}
		}
		if h.grouped = e.grouped; h.grouped {
			k, err := keyOf(s.views[len(s.by)].Column, e.group, s.rank.keyword)
			if err != nil {
				return err
			}
			h.group = groupOf(k, s.rank.keyword)
		}
	}
	s.rank.add(hits)
	return nil
}

// Forget drops references that a pooled Sorter must not keep alive.
func (s *Sorter) Forget() {
	for i := range s.views {
		s.views[i].set(nil)
	}
	s.rank, s.by = nil, nil
}
