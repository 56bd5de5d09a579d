package algorithm

import (
	"cmp"
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// Matcher finds all documents of a segment that match, in ascending order, window after window. It decodes no
// frequencies and computes no scores. Lists that are cached as bitmaps are not decoded either.
type Matcher struct {
	run *Run
	// Known is the number of matches that Next leaves out, since they are counted without looking at them.
	Known uint64

	limit   uint32    // documents before it are considered
	at      uint32    // those before it are done
	root    matchNode // what matches; nil for nothing
	bitmaps bool      // windows are bitmaps, otherwise docIDs

	furthest uint32 // lists are before it
	columns  columns.Part

	tested matchNode // a list whose documents are all in Known: those in a window are looked for in it
	found  int       // how many of them the window has

	lo, hi uint32 // of the window
	words  []uint64
	docs   []uint32

	// Memory.
	lists      []matchList
	dense      []matchWords
	leaves     []matchNode
	every      matchEvery
	part       []uint32
	set        bitset.Set
	kept       []uint32
	places     []uint64
	spareDocs  [][]uint32
	spareWords [][]uint64
}

// A window that is a bitmap has matchWindow documents, so that it stays in the first-level cache.
const matchWindow = 1 << 15

// lookUpCost is how many postings can be decoded in the time that looking up a document in a list takes.
const lookUpCost = 16

// Matcher returns a Matcher of the documents that the lists of the current segment hold, all of the lists or one. It
// puts the lists in another order. If the documents are only counted, so that posting.List.Live is set,
// Matcher.Known may have some. The result is valid until the next call.
func (r *Run) Matcher(conjunctive, counted bool) *Matcher {
	m := beginMatcher(r)
	decoded := arrange(r, conjunctive)
	for i := range r.Lists {
		m.leaves = append(m.leaves, m.leaf(r.Lists[i], i))
	}
	counted = counted && !r.filter.some() && m.at == 0 && m.limit == r.Part.Seg.Docs()
	switch last := len(m.leaves) - 1; {
	case last < 0:
	case counted && last == 0:
		m.Known = uint64(r.Lists[0].Live)
	case conjunctive:
		m.root, m.bitmaps = m.leaves[0], decoded == 0
		if last > 0 {
			least := uint64(r.Lists[0].Entry.DF)
			if decoded > 0 && decoded <= last { // cached lists come next: a document is looked up in them in no time
				least = min(least, uint64(r.Lists[decoded].Entry.DF))
				slices.Reverse(m.leaves[1:decoded])
				slices.Reverse(m.leaves[decoded:])
				slices.Reverse(m.leaves[1:])
			}
			m.every = matchEvery{must: m.leaves, least: least}
			m.root = &m.every
		}
	case counted && leavesOut(r, decoded):
		m.Known = uint64(r.Lists[last].Live)
		r.Open(min(last, decoded))
		rest := anyOf(m.leaves[:last:last])
		m.every = matchEvery{must: []matchNode{rest}, not: m.leaves[last:], least: rest.cost()}
		m.root = &m.every
	default:
		r.Open(decoded)
		if l := decoded - 1; counted && l >= 0 && !m.sparse(postings(r.Lists)-uint64(r.Lists[l].Entry.DF)) {
			m.Known, m.tested = uint64(r.Lists[l].Live), m.leaves[l]
			m.leaves = slices.Delete(m.leaves, l, l+1)
		}
		m.root = anyOf(m.leaves)
		m.bitmaps = !m.sparse(m.root.cost())
	}
	return m
}

// beginMatcher returns a Matcher over the current segment.
func beginMatcher(r *Run) *Matcher {
	if r.matcher == nil {
		r.matcher = new(Matcher)
	}
	m := r.matcher
	m.run, m.root, m.Known, m.bitmaps = r, nil, 0, false
	m.tested, m.found = nil, 0
	m.at, m.limit, m.furthest = r.lo, min(r.hi, r.Part.Seg.Docs()), 0
	m.lists, m.dense = slices.Grow(m.lists[:0], len(r.Lists)), slices.Grow(m.dense[:0], len(r.Lists))
	m.leaves = m.leaves[:0]
	return m
}

// leaf returns a node of a list, which is the Run's of that number unless it is open.
func (m *Matcher) leaf(l *posting.List, number int) matchNode {
	if l.Dense != nil {
		m.dense = append(m.dense, matchWords{l.Dense.Words(), uint64(l.Entry.DF)})
		return &m.dense[len(m.dense)-1]
	}
	m.lists = append(m.lists, matchList{l, m.run, number})
	return &m.lists[len(m.lists)-1]
}

// arrange puts the lists that are cached behind the others, of which it returns the number, and both in order of
// length. A conjunction does not ask for lists to be cached in which it looks up few documents.
func arrange(r *Run, conjunctive bool) (decoded int) {
	least := uint64(math.MaxUint32)
	for _, l := range r.Lists {
		least = min(least, uint64(l.Entry.DF))
	}
	for _, l := range r.Lists {
		if l.Dense == nil && (!conjunctive || least*lookUpCost >= uint64(l.Entry.DF)) {
			r.dense(l)
		}
		if l.Dense == nil {
			decoded++
		}
	}
	slices.SortFunc(r.Lists, func(a, b *posting.List) int {
		if (a.Dense == nil) != (b.Dense == nil) {
			if a.Dense == nil {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Entry.DF, b.Entry.DF)
	})
	return decoded
}

// postings returns how many postings lists have.
func postings(lists []*posting.List) (n uint64) {
	for _, l := range lists {
		n += uint64(l.Entry.DF)
	}
	return n
}

// leavesOut reports whether counting the documents of the longest list without looking at them, as known, saves work: the documents of
// the others can be looked up in it in less time than its own take.
func leavesOut(r *Run, decoded int) bool {
	last := len(r.Lists) - 1
	rest := postings(r.Lists[:last])
	switch len(r.Lists) - decoded {
	case 0:
		return rest*lookUpCost <= uint64(r.Lists[last].Entry.DF)
	case 1:
		return rest <= uint64(r.Part.Seg.Docs())/64
	}
	return false
}

// Next finds the matches of the next window that has some. It returns false at the end, or if the query must end.
func (m *Matcher) Next() bool {
	r := m.run
	for m.root != nil && m.at < m.limit && !r.Stopped() {
		if r.filter.sifted {
			m.at = min(r.filter.next(m.at), m.limit)
		}
		if m.at = min(m.root.first(m.at), m.limit); m.at == m.limit {
			return false
		}
		if m.bitmaps {
			m.fill()
			return r.Err == nil
		}
		if m.find(); len(m.docs) > 0 {
			return r.Err == nil
		}
	}
	return false
}

// Count returns the number of matches of the window.
func (m *Matcher) Count() uint64 {
	if m.bitmaps {
		return uint64(bitset.Count(m.words) - m.found)
	}
	return uint64(len(m.docs))
}

// AppendDocs appends the matches of the window to dst.
func (m *Matcher) AppendDocs(dst []uint32) []uint32 {
	if m.bitmaps {
		return bitset.AppendDocs(dst, m.words, m.lo)
	}
	return append(dst, m.docs...)
}

// fill makes the window the bitmap of the next documents.
func (m *Matcher) fill() {
	m.lo = m.at &^ 63
	hi := m.lo + min(matchWindow, m.limit-m.lo)
	m.hi = hi
	first, n := int(m.lo/64), int((hi-m.lo+63)/64)
	if cap(m.words) < n {
		m.words = make([]uint64, matchWindow/64)
	}
	w := m.words[:n]
	m.root.fill(m, w)
	w[0] &^= 1<<(m.at&63) - 1
	if end := hi & 63; end != 0 {
		w[n-1] &= 1<<end - 1
	}
	bitset.AndNot(w, tail(m.run.Part.Deletes.Bits(), first))
	if m.run.filter.sifted {
		m.run.filter.and(w, m.lo)
	}
	if m.tested != nil {
		m.part = m.tested.docs(m, m.part[:0], hi)
		m.found = bitset.Members(w, m.lo, m.part)
	}
	m.words, m.at = w, hi
}

// tail returns what follows the first n words.
func tail(words []uint64, n int) []uint64 { return words[min(n, len(words)):] }

// find makes the window the next documents that match.
func (m *Matcher) find() {
	cost := m.root.cost()
	e, every := m.root.(*matchEvery)
	if every {
		cost *= shorter
	}
	m.hi = m.at + min(windowFor(cost, m.run.Part.Seg.Docs()), m.limit-m.at)
	if every { // the filter may leave few to look up
		m.docs = e.must[0].docs(m, m.docs[:0], m.hi)
		m.drop()
		m.docs = e.rest(m, m.docs)
	} else {
		m.docs = m.root.docs(m, m.docs[:0], m.hi)
		m.drop()
	}
	m.at = m.hi
}

// shorter is by how much windows are shorter in which documents are looked up, so that bitmaps of them stay in the first-level cache.
const shorter = 4

// drop removes documents that are deleted, or not in the filter, from the window.
func (m *Matcher) drop() {
	r := m.run
	if d := r.Part.Deletes; d != nil && len(m.docs) > 0 {
		m.docs = bitset.Keep(m.docs, d.Bits(), 0, true)
	}
	if r.filter.sifted && len(m.docs) > 0 {
		m.docs = r.filter.keep(m.docs)
	}
}

// forget drops references that a pooled Run must not keep alive.
func (m *Matcher) forget() {
	clear(m.dense[:cap(m.dense)])
	clear(m.lists[:cap(m.lists)])
	clear(m.leaves[:cap(m.leaves)])
	m.root, m.tested, m.every = nil, nil, matchEvery{}
}

// size returns how many elements m, unless nil, has memory for.
func (m *Matcher) size() int {
	if m == nil {
		return 0
	}
	n := max(cap(m.docs), cap(m.part), cap(m.kept))
	for _, docs := range m.spareDocs {
		n = max(n, cap(docs))
	}
	return n
}
